import { detailsOfZodError } from '../../http/details.ts'
import { boundedDetails, type ErrorDetail } from '../../lib/errors/index.ts'
import { parseFor } from '../../lib/validation/checked.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { Domains } from '../../model/domains/index.ts'
import type { CreateFields, LinkSchemas } from '../links/index.ts'
import type { DateOrders, Draft, FormatName, Mapping, ReadDraft } from './formats/index.ts'
import { createDraftReader } from './formats/index.ts'
import type { ReadRecord } from './records.ts'
import type { ReadyRecord } from './write.ts'

/** Options of an import. */
export interface ReadOptions {
  format: FormatName
  mapping?: Mapping | undefined
  /** The host for links whose own isn't served by this instance. */
  domain?: string | undefined
  /** The folder of every link, instead of the record's own. */
  folder_id?: string | undefined
}

/** A validated record whose password is yet to be hashed. */
export type CheckedRecord = Omit<ReadyRecord, 'fields'> & {
  fields: (CreateFields & { imported_clicks?: number; created_at?: number }) | null
}

/** Of one link: with it the sum of many links is still an integer of the database. */
const CLICKS_MAX = 1e12
const TOO_MANY_CLICKS: ErrorDetail = {
  field: 'clicks',
  code: 'OUT_OF_RANGE',
  params: { max: CLICKS_MAX },
}

/** An ID of which a spreadsheet kept the first digits alone, so that several become one: `1.23457E+11`. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d\d$/
const SHORTENED_ID: ErrorDetail = {
  field: 'external_id',
  code: 'INVALID_VALUE',
  params: { example: '123456789012' },
}

const UNREADABLE: Draft = { link: {}, faults: [{ field: '', code: 'UNREADABLE_RECORD' }] }

/**
 * Makes the validation of an import's records, which is that of the API's new links.
 * @param startedAt ms; no link was made later
 */
export function createRecordCheck(
  { create }: Pick<LinkSchemas, 'create'>,
  { domains, workspaceNo }: { domains: Pick<Domains, 'usableBy'>; workspaceNo: number },
  { format, mapping, domain, folder_id }: ReadOptions,
  startedAt: number,
): (record: ReadRecord, n: number, orders?: DateOrders) => CheckedRecord {
  const writable = new Set(Object.keys(create.shape))
  const read: ReadDraft = createDraftReader(format, writable, mapping)
  function draftOf(record: ReadRecord, orders?: DateOrders): Draft {
    try {
      return record === null ? UNREADABLE : read(record, orders)
    } catch {
      // Its members aren't of the format's types.
      return UNREADABLE
    }
  }

  return (record, n, orders) => {
    const draft = draftOf(record, orders)
    const { link, host, clicks, faults = [], lacksPassword } = draft
    const created = checkCreation(draft.createdAt, startedAt)
    const own = host ?? (link.domain as string | undefined)
    // Another service's domains aren't known here.
    const isOurs = typeof own === 'string' && domains.usableBy(workspaceNo, own) !== 'unknown'
    const place = isOurs ? own : domain
    const { domain: _, ...fields } = link
    const known = Object.fromEntries(Object.entries(fields).filter(([name]) => writable.has(name)))
    const input = {
      ...known,
      ...(place !== undefined && { domain: place }),
      ...(folder_id !== undefined && { folder_id }),
    }
    const shown = {
      n,
      slug: textOf(link.slug),
      destinationUrl: textOf(link.destination_url),
      folder: folder_id ?? textOf(link.folder_id),
    }
    const result = parseFor(workspaceNo, create, input)
    const all = [
      ...faults,
      ...(SHORTENED.test(String(link.external_id)) ? [SHORTENED_ID] : []),
      ...(clicks !== undefined && clicks > CLICKS_MAX ? [TOO_MANY_CLICKS] : []),
      ...(created instanceof ValidationIssue ? [created.of('created_at')] : []),
      ...(result.success || draft === UNREADABLE
        ? []
        : detailsOfZodError(result.error, input, create)),
    ]
    if (!result.success || all.length > 0)
      return { ...shown, fields: null, faults: boundedDetails(all) }
    const imported = {
      ...(clicks !== undefined && { imported_clicks: clicks }),
      ...(typeof created === 'number' && { created_at: created }),
    }
    return { ...shown, fields: { ...result.data, ...imported }, faults: [], lacksPassword }
  }
}

/** When a link was made; undefined: it isn't told. */
function checkCreation(value: unknown, startedAt: number): number | ValidationIssue | undefined {
  if (value === undefined) return undefined
  const ms =
    typeof value === 'string' ? parseTimestamp(value) : new ValidationIssue('INVALID_TIMESTAMP')
  return typeof ms === 'number' && ms > startedAt ? new ValidationIssue('DATE_IN_FUTURE') : ms
}

/** A text for the report, as databases can store it; cut if it is longer than any link could be. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  return value.slice(0, 2_048).toWellFormed().replaceAll('\0', '\ufffd')
}
