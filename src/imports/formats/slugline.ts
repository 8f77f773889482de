import { refuseProtected } from './products.ts'
import type { Draft, SourceRecord } from './types.ts'

/** Fields that are lists in a cell. */
const FLAT = new Set(['tags', 'aliases'])
/** Fields that are text, whatever it looks like. */
const TEXTS = new Set([
  'destination_url',
  'slug',
  'domain',
  'title',
  'notes',
  'external_id',
  'starts_at',
  'expires_at',
  'fallback_url',
  'password',
])

/** Whether a file is an export of Slugline itself. */
export function isSlugline(columns: ReadonlySet<string>): boolean {
  return columns.has('destinationurl') && columns.has('slug') && columns.has('redirectstatus')
}

/**
 * A link of an export: its members are the fields of the API. What can't be written is left out; cells
 * of a CSV file hold texts, and JSON where the field is no text.
 * @param writable the fields that a new link may have
 */
export function sluglineDraft(record: SourceRecord, writable: ReadonlySet<string>): Draft {
  const link: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(record)) {
    // What the destination says already isn't written into it again.
    if (!writable.has(field) || field === 'utm' || value === undefined || value === null) continue
    link[field] = typed(field, value)
  }
  const clicks = record.clicks as { imported?: unknown } | undefined
  const imported = typeof clicks === 'object' ? clicks?.imported : record['clicks.imported']
  const before = Number(imported ?? 0)
  const draft: Draft = { link, ...(before > 0 && { clicks: before }) }
  if (link.password === undefined) refuseProtected(draft, record.has_password)
  return draft
}

function typed(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (TEXTS.has(field)) return value
  try {
    return JSON.parse(value)
  } catch {
    return FLAT.has(field) ? value.split(',').map((item) => item.trim()) : value
  }
}
