import { columnSet, draftByMapping, normalized, proposeMapping } from './columns.ts'
import type { DateOrders } from './dates.ts'
import { PRODUCTS } from './products.ts'
import { createSluglineReader, isSlugline } from './slugline.ts'
import type { Draft, Format, FormatName, Mapping, SourceRecord } from './types.ts'
import { fitted } from './values.ts'

export { proposeMapping } from './columns.ts'
export { createOrderSurvey, type DateOrders } from './dates.ts'
export { IMPORT_FIELDS, type ImportField } from './names.ts'
export * from './types.ts'
export { DEPTH_MAX, parseNested } from './values.ts'

/** Detects a file's format by its columns or members; null: there is no destination. */
export function recognize(columns: readonly string[]): FormatName | null {
  const names = columnSet(columns)
  if (isSlugline(names)) return 'slugline'
  const product = Object.entries(PRODUCTS).find(([, format]) => isOne(format, names))
  if (product !== undefined) return product[0] as FormatName
  return proposeMapping(columns).destination_url === undefined ? null : 'csv'
}

function isOne({ has, lacks = '' }: Format, names: ReadonlySet<string>): boolean {
  return has.some((all) => all.every((name) => names.has(name))) && !names.has(lacks)
}

/** The default mapping of columns to fields for a format. */
export function mappingOf(format: FormatName, columns: readonly string[]): Mapping {
  if (format === 'slugline' || format === 'csv') return proposeMapping(columns)
  return proposeMapping(columns, PRODUCTS[format].columns)
}

/** Records with more members aren't links. */
export const COLUMNS_MAX = 1_000
/** The most sets of members whose mapping is remembered. */
const MAPPINGS_MAX = 100

/** Converts a record to a link. @throws if its members aren't of the format's types */
export type ReadDraft = (record: SourceRecord, orders?: DateOrders) => Draft

/**
 * Makes the function that converts a file's records.
 * @param mapping which column holds which field; by default the format's
 * @param writable the fields that a new link may have
 */
export function createDraftReader(
  format: FormatName,
  writable: ReadonlySet<string>,
  mapping?: Mapping,
): ReadDraft {
  if (mapping !== undefined) return (record, orders) => draftByMapping(record, mapping, orders)
  if (format === 'slugline') return createSluglineReader(writable)
  const { adjust } = format === 'csv' ? {} : PRODUCTS[format]
  const mappings = new Map<string, { mapping: Mapping; names: Map<string, string> }>()
  return (nested, orders) => {
    const record = flattened(nested)
    const columns = Object.keys(record)
    if (columns.length > COLUMNS_MAX) throw new RangeError('Too many members')
    // Records of a file have few different sets of members, usually one.
    const key = columns.join('\n')
    let known = mappings.get(key)
    if (known === undefined) {
      const names = new Map(columns.map((column) => [normalized(column), column]))
      known = { mapping: mappingOf(format, columns), names }
      if (mappings.size === MAPPINGS_MAX) mappings.clear()
      mappings.set(key, known)
    }
    const { names } = known
    const draft = draftByMapping(record, known.mapping, orders)
    adjust?.(draft, (name) => record[names.get(name) ?? ''])
    draft.link = fitted(draft.link)
    return draft
  }
}

/** Members of nested objects by path: `meta.validSince`. */
function flattened(record: SourceRecord): SourceRecord {
  const flat: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) flat[name] = value
    else for (const [inner, each] of Object.entries(value)) flat[`${name}.${inner}`] = each
  }
  return flat
}
