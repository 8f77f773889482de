import type { MessageKey } from '../../../i18n/index.tsx'
import type { Link } from '../queries.ts'
import { readable } from '../text.ts'

/** Characters of context around a match. */
const AROUND = 18

/** A match of the search, with its context. */
interface Hit {
  field: MessageKey
  before: string
  match: string
  after: string
}

/** A match in a field that a row doesn't show, or truncates; null: it is visible. */
export function hiddenHit(link: Link, query: string | undefined): Hit | null {
  const sought = query?.trim().toLowerCase() ?? ''
  if (sought === '') return null
  const has = (text: string | null) => text?.toLowerCase().includes(sought) ?? false
  if (has(link.slug) || has(link.title)) return null
  const fields: [MessageKey, string][] = [
    ['links.field.destination', readable(link.destination_url)],
    ['links.field.tags', link.tags.find(has) ?? ''],
    ['links.field.externalId', link.external_id ?? ''],
  ]
  for (const [field, text] of fields) {
    const at = text.toLowerCase().indexOf(sought)
    if (at < 0) continue
    const end = at + sought.length
    const start = Math.max(0, at - AROUND)
    return {
      field,
      before: `${start > 0 ? '…' : ''}${text.slice(start, at)}`,
      match: text.slice(at, end),
      after: `${text.slice(end, end + AROUND)}${end + AROUND < text.length ? '…' : ''}`,
    }
  }
  return null
}
