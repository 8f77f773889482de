import { bitly } from './bitly.ts'
import { chhoto } from './chhoto.ts'
import { columnSet, draftByMapping, normalized, proposeMapping } from './columns.ts'
import { dub } from './dub.ts'
import { kutt } from './kutt.ts'
import { rebrandly } from './rebrandly.ts'
import { shlink } from './shlink.ts'
import { shortIo } from './short_io.ts'
import { sink } from './sink.ts'
import { isSlugline, sluglineDraft } from './slugline.ts'
import type { Draft, Format, FormatName, Mapping, SourceRecord } from './types.ts'
import { fitted } from './values.ts'
import { yourls } from './yourls.ts'

export { proposeMapping } from './columns.ts'
export * from './types.ts'

/** In this order files are recognized: what is more special first. */
const RIVALS: Readonly<Record<Exclude<FormatName, 'slugline' | 'csv'>, Format>> = {
  bitly,
  shlink,
  rebrandly,
  short_io: shortIo,
  kutt,
  chhoto,
  dub,
  sink,
  yourls,
}

/** Whose file it is by its columns or members; null: nothing in it looks like a destination. */
export function recognize(columns: readonly string[]): FormatName | null {
  const names = columnSet(columns)
  if (isSlugline(names)) return 'slugline'
  const rival = (Object.keys(RIVALS) as (keyof typeof RIVALS)[]).find((name) =>
    RIVALS[name].recognizes(names),
  )
  if (rival !== undefined) return rival
  return proposeMapping(columns).destination_url === undefined ? null : 'csv'
}

/** Which column holds which field in a file of a format. */
export function mappingOf(format: FormatName, columns: readonly string[]): Mapping {
  if (format === 'slugline' || format === 'csv') return proposeMapping(columns)
  return proposeMapping(columns, RIVALS[format].columns)
}

/** Tells what a record says of a link. */
export type ReadDraft = (record: SourceRecord) => Draft

/**
 * Makes the reader of a file's records.
 * @param mapping which column holds which field; by default as the format has it
 * @param writable the fields that a new link may have
 */
export function createDraftReader(
  format: FormatName,
  writable: ReadonlySet<string>,
  mapping?: Mapping,
): ReadDraft {
  if (mapping !== undefined) return (record) => draftByMapping(record, mapping)
  if (format === 'slugline') return (record) => sluglineDraft(record, writable)
  const { adjust } = format === 'csv' ? {} : RIVALS[format]
  const mappings = new Map<string, { mapping: Mapping; names: Map<string, string> }>()
  return (nested) => {
    const record = flattened(nested)
    const columns = Object.keys(record)
    // The records of a file have few different sets of members, most often one.
    const key = columns.join('\n')
    let known = mappings.get(key)
    if (known === undefined) {
      const names = new Map(columns.map((column) => [normalized(column), column]))
      known = { mapping: mappingOf(format, columns), names }
      mappings.set(key, known)
    }
    const { names } = known
    const draft = draftByMapping(record, known.mapping)
    adjust?.(draft, (name) => record[names.get(name) ?? ''])
    draft.link = fitted(draft.link)
    return draft
  }
}

/** The members of objects in it become its own: `meta.validSince`. */
function flattened(record: SourceRecord): SourceRecord {
  const flat: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) flat[name] = value
    else for (const [inner, each] of Object.entries(value)) flat[`${name}.${inner}`] = each
  }
  return flat
}
