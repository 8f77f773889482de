import { useI18n } from '../../../i18n/index.tsx'
import { FIELD_NAMES, TIMES } from '../field-names.ts'
import { itemText } from '../text.ts'

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
  const label = FIELD_NAMES[field]
  const show = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return t('common.none')
    if (value === true) return t('links.on')
    if (value === false) return t('links.off')
    if (Array.isArray(value))
      return value.length === 0 ? t('common.none') : format.list(value.map(itemText))
    if (field === 'match') return t(value === 'prefix' ? 'links.on' : 'links.off')
    if (field === 'tracking') return t(`links.tracking.${value as 'full' | 'count' | 'none'}`)
    if (typeof value === 'object') {
      return Object.values(value)
        .filter((part) => part !== null)
        .join(' · ')
    }
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
