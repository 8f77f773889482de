import { type DateOrders, timeOf } from './dates.ts'
import { IMPORT_FIELDS, type ImportField, NAMES } from './names.ts'
import type { ColumnNames, Draft, Mapping, SourceRecord } from './types.ts'
import {
  addressOf,
  flagOf,
  integerOf,
  isEmpty,
  limitOf,
  listOf,
  slugOf,
  takeClicks,
} from './values.ts'

/** A column's name in its form for comparison; the zone that times have anyway is left out. */
export function normalized(name: string): string {
  return name
    .toLowerCase()
    .replace(/\((?:utc|gmt)\)\s*$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The columns of a file in their form for comparison. */
export function columnSet(columns: readonly string[]): ReadonlySet<string> {
  return new Set(columns.map(normalized))
}

/** Guesses which column holds which field. No column holds two. */
export function proposeMapping(columns: readonly string[], own: ColumnNames = {}): Mapping {
  const byName = new Map([...columns].reverse().map((column) => [normalized(column), column]))
  const mapping: Mapping = {}
  // Product-specific names come first.
  const fields = [...new Set([...Object.keys(own), ...IMPORT_FIELDS])] as ImportField[]
  for (const field of fields) {
    const name = namesOf(field, own[field]).find((each) => byName.has(each))
    if (name === undefined) continue
    mapping[field] = byName.get(name) as string
    byName.delete(name)
  }
  return mapping
}

/** A product's names come before the common ones; with none the field isn't read. */
function namesOf(field: ImportField, own?: readonly string[]): readonly string[] {
  return own?.length === 0 ? [] : [...(own ?? []), ...NAMES[field]]
}

/** What isn't a field of a link. */
const ABOUT_LINK: ReadonlySet<ImportField> = new Set([
  'clicks',
  'created_at',
  'domain',
  'short_url',
])

/** A link's fields as a mapping reads them from a record. */
export function draftByMapping(
  record: SourceRecord,
  mapping: Mapping,
  orders: DateOrders = {},
): Draft {
  const link: Record<string, unknown> = {}
  const draft: Draft = { link }
  for (const [field, column] of Object.entries(mapping) as [ImportField, string][]) {
    const value = record[column]
    if (isEmpty(value) || (typeof value === 'string' && value.trim() === '')) continue
    // Turning it into text may take long, or fail.
    if (typeof value === 'object' && field !== 'tags' && field !== 'aliases') {
      if (!ABOUT_LINK.has(field)) link[field] = value
      continue
    }
    if (field === 'clicks') takeClicks(draft, value)
    else if (field === 'domain') draft.host = String(value).trim().toLowerCase()
    else if (field === 'short_url') addAddress(draft, String(value))
    else if (field === 'created_at') draft.createdAt = timeOf(value, orders[column])
    else if (field === 'starts_at' || field === 'expires_at') {
      const time = timeOf(value, orders[column])
      if (time !== undefined) link[field] = time
    } else link[field] = fieldOf(field, value)
  }
  return draft
}

function addAddress(draft: Draft, text: string): void {
  const { host, slug } = addressOf(text)
  draft.host ??= host
  if (slug !== '') draft.link.slug ??= slug
}

function fieldOf(field: ImportField, value: unknown): unknown {
  switch (field) {
    case 'slug':
      return slugOf(value)
    case 'tags':
    case 'aliases':
      return listOf(value)
    case 'enabled':
    case 'forward_query':
      return flagOf(value)
    case 'redirect_status':
      return integerOf(value)
    case 'max_clicks':
      return limitOf(value)
    case 'destination_url':
    case 'fallback_url':
      return String(value).trim()
    default:
      return String(value)
  }
}
