import { type DateOrders, timeOf } from './dates.ts'
import { refuseProtected } from './products.ts'
import type { Draft, SourceRecord } from './types.ts'
import { flagOf, parseNested, takeClicks } from './values.ts'

/** Fields with lists in a cell. */
const FLAT = new Set(['tags', 'aliases'])
/** Fields in which an empty text is a value. */
const MAY_BE_EMPTY = new Set(['title', 'notes'])
const TIMES = new Set(['starts_at', 'expires_at'])
/** Fields that are always text. */
const TEXTS = new Set([
  'destination_url',
  'slug',
  'domain',
  'title',
  'notes',
  'external_id',
  'fallback_url',
  'password',
])

/** Whether a file is Slugline's own export. */
export function isSlugline(columns: ReadonlySet<string>): boolean {
  return columns.has('destinationurl') && columns.has('slug') && columns.has('redirectstatus')
}

/**
 * A link of an export: its members are the API's fields. Read-only ones are dropped; cells of a CSV
 * file are texts, or JSON if the field is no text.
 * @param writable the fields that a new link may have
 */
export function sluglineDraft(
  record: SourceRecord,
  writable: ReadonlySet<string>,
  orders: DateOrders = {},
): Draft {
  const link: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(record)) {
    // UTM values are part of the destination already.
    if (!writable.has(field) || field === 'utm' || value === undefined || value === null) continue
    const read = TIMES.has(field) ? timeOf(value, orders[field]) : typed(field, value)
    if (read !== undefined) link[field] = read
  }
  const clicks = record.clicks as { imported?: unknown } | undefined
  const imported = typeof clicks === 'object' ? clicks?.imported : record['clicks.imported']
  const draft: Draft = { link }
  takeClicks(draft, imported)
  if (!draft.clicks) delete draft.clicks
  if (link.password === undefined) refuseProtected(draft, record.has_password)
  return draft
}

function typed(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  // Some spreadsheets write quotes around empty cells.
  if (value === '' && !MAY_BE_EMPTY.has(field)) return undefined
  if (TEXTS.has(field)) return value
  try {
    return parseNested(value)
  } catch {
    return FLAT.has(field) ? value.split(',').map((item) => item.trim()) : flagOf(value)
  }
}
