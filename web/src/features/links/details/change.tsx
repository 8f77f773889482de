import { type MessageKey, useI18n } from '../../../i18n/index.tsx'

/** The words for the fields that a history tells of. */
const FIELDS: Readonly<Record<string, MessageKey>> = {
  destination_url: 'links.field.destination',
  slug: 'links.field.slug',
  aliases: 'links.field.aliases',
  domain: 'links.field.domain',
  title: 'links.field.title',
  notes: 'links.field.notes',
  tags: 'links.field.tags',
  external_id: 'links.field.externalId',
  enabled: 'links.field.enabled',
  redirect_status: 'links.field.redirectStatus',
  forward_query: 'links.field.forwardQuery',
  starts_at: 'links.field.startsAt',
  expires_at: 'links.field.expiresAt',
  max_clicks: 'links.field.maxClicks',
  fallback_url: 'links.field.fallback',
  has_password: 'links.field.password',
  blocked: 'links.status.blocked',
  reason: 'links.field.reason',
}
const TIMES = new Set(['starts_at', 'expires_at'])

/** One field: what it was, and what it has been since. */
export function Change({
  field,
  from,
  to,
  created,
}: {
  field: string
  from?: unknown
  to?: unknown
  /** There was nothing before. */
  created: boolean
}) {
  const { t, format } = useI18n()
  const label = FIELDS[field]
  const show = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return t('common.none')
    if (value === true) return t('links.on')
    if (value === false) return t('links.off')
    if (Array.isArray(value))
      return value.length === 0 ? t('common.none') : format.list(value.map(String))
    if (TIMES.has(field) && typeof value === 'string') return format.dateTime(value)
    if (field === 'max_clicks' && typeof value === 'number') return format.number(value)
    return String(value)
  }
  return (
    <li className="flex flex-wrap gap-x-2 [overflow-wrap:anywhere]">
      <span className="text-faint">{label ? t(label) : field}</span>
      {created ? null : (
        <>
          <del className="text-muted" dir="auto">
            {show(from)}
          </del>
          <span aria-hidden="true" className="text-faint rtl:-scale-x-100">
            →
          </span>
        </>
      )}
      <ins className="no-underline" dir="auto">
        {show(to)}
      </ins>
    </li>
  )
}
