import { type MessageKey, useI18n } from '../../i18n/index.tsx'
import type { Link } from './calls.ts'
import { Middle } from './middle.tsx'
import { readable } from './text.ts'

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

/** Where a link leads, or else the match of a search that the row doesn't show otherwise. */
export function DestinationLine({
  link,
  query,
  className,
}: {
  link: Link
  query: string | undefined
  /** If there is no title above it. */
  className: string
}) {
  const { t } = useI18n()
  const hit = hiddenHit(link, query)
  if (hit === null) {
    return (
      <Middle
        text={readable(link.destination_url)}
        className={link.title ? 'text-faint text-xs' : className}
      />
    )
  }
  return (
    <span className="flex min-w-0 gap-1 text-faint text-xs">
      {hit.field === 'links.field.destination' ? null : <span>{t(hit.field)}:</span>}
      <bdi className="truncate">
        {hit.before}
        <mark className="rounded-xs bg-warn-soft text-fg">{hit.match}</mark>
        {hit.after}
      </bdi>
    </span>
  )
}
