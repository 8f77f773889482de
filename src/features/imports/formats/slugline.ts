import { normalized } from './columns.ts'
import { type DateOrders, timeOf } from './dates.ts'
import { refuseProtected } from './products.ts'
import type { Draft, SourceRecord } from './types.ts'
import { flagOf, limitOf, parseNested, takeClicks } from './values.ts'

/** Fields with lists in a cell. */
const LISTS = new Set(['tags', 'aliases'])
const FLAGS = new Set(['archived', 'enabled', 'forward_query', 'forward_path'])
const NUMBERS = new Set(['redirect_status', 'max_clicks'])
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

/** Members that are read besides writable fields. */
const ABOUT_LINK = ['has_password', 'clicks', 'clicks.imported']

/**
 * Makes the function that reads a link of an export: its members are the API's fields, in any case.
 * Read-only ones are dropped; cells of a CSV file are texts, or JSON if the field is no text.
 * @param writable the fields that a new link may have
 */
export function createSluglineReader(writable: ReadonlySet<string>) {
  const names = [...writable, ...ABOUT_LINK]
  const exact = new Set(names)
  const known = new Map(names.map((name) => [normalized(name), name]))

  return (record: SourceRecord, orders: DateOrders = {}): Draft => {
    const link: Record<string, unknown> = {}
    const about: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(record)) {
      const field = exact.has(column) ? column : known.get(normalized(column))
      // UTM values are part of the destination already.
      if (field === undefined || field === 'utm' || value === undefined || value === null) continue
      if (!writable.has(field)) about[field] = value
      else {
        const read = TIMES.has(field) ? timeOf(value, orders[column]) : typed(field, value)
        if (read !== undefined) link[field] = read
      }
    }
    const clicks = about.clicks as { imported?: unknown } | undefined
    const imported = typeof clicks === 'object' ? clicks.imported : about['clicks.imported']
    const draft: Draft = { link }
    takeClicks(draft, imported)
    if (!draft.clicks) delete draft.clicks
    if (link.password === undefined) refuseProtected(draft, about.has_password)
    return draft
  }
}

function typed(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  // Some spreadsheets write quotes around empty cells.
  if (value === '' && !MAY_BE_EMPTY.has(field)) return undefined
  if (TEXTS.has(field)) return value
  if (FLAGS.has(field)) return flagOf(value)
  if (NUMBERS.has(field)) return limitOf(value)
  // A list in brackets that isn't JSON was cut off.
  if (LISTS.has(field) && !value.startsWith('[')) return value.split(',').map((item) => item.trim())
  try {
    return parseNested(value)
  } catch {
    return value
  }
}
