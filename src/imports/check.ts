import type { Domains } from '../domains/index.ts'
import { boundedDetails } from '../errors/index.ts'
import { detailsOfZodError } from '../http/details.ts'
import type { CreateFields, LinkSchemas } from '../links/index.ts'
import { checkForWorkspace } from '../validation/requesting-workspace.ts'
import type { Draft, FormatName, Mapping, ReadDraft } from './formats/index.ts'
import { createDraftReader } from './formats/index.ts'
import type { ReadRecord } from './records.ts'
import type { ReadyRecord } from './write.ts'

/** Options of an import. */
export interface ReadOptions {
  format: FormatName
  mapping?: Mapping | undefined
  /** The host for links whose own isn't served by this instance. */
  domain?: string | undefined
}

/** A validated record whose password is yet to be hashed. */
export type CheckedRecord = Omit<ReadyRecord, 'fields'> & {
  fields: (CreateFields & { imported_clicks?: number }) | null
}

const UNREADABLE: Draft = { link: {}, faults: [{ field: '', code: 'UNREADABLE_RECORD' }] }

/** Makes the validation of an import's records, which is that of the API's new links. */
export function createRecordCheck(
  { create }: Pick<LinkSchemas, 'create'>,
  { domains, workspaceNo }: { domains: Pick<Domains, 'usableBy'>; workspaceNo: number },
  { format, mapping, domain }: ReadOptions,
): (record: ReadRecord, n: number) => CheckedRecord {
  const writable = new Set(Object.keys(create.shape))
  const read: ReadDraft = createDraftReader(format, writable, mapping)
  return (record, n) => {
    const { link, host, clicks, faults = [] } = record === null ? UNREADABLE : read(record)
    const own = host ?? (link.domain as string | undefined)
    // Another service's domains aren't known here.
    const isOurs = typeof own === 'string' && domains.usableBy(workspaceNo, own) !== 'unknown'
    const place = isOurs ? own : domain
    const { domain: _, ...fields } = link
    const known = Object.fromEntries(Object.entries(fields).filter(([name]) => writable.has(name)))
    const input = place === undefined ? known : { ...known, domain: place }
    const shown = { n, slug: textOf(link.slug), destinationUrl: textOf(link.destination_url) }
    const result = checkForWorkspace(workspaceNo, () => create.safeParse(input))
    const all = [
      ...faults,
      ...(result.success || record === null ? [] : detailsOfZodError(result.error, input, create)),
    ]
    if (!result.success || all.length > 0)
      return { ...shown, fields: null, faults: boundedDetails(all) }
    const imported = clicks === undefined ? {} : { imported_clicks: clicks }
    return { ...shown, fields: { ...result.data, ...imported }, faults: [] }
  }
}

/** A text for the report, cut if it is longer than any link could be. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 2_048).toWellFormed() : null
}
