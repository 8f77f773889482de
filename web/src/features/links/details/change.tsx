import type { ReactNode } from 'react'
import { type I18n, useI18n } from '../../../i18n/index.tsx'
import { Breakable } from '../../../ui/breakable.tsx'
import { FolderName } from '../../groups/folder-name.tsx'
import { itemText } from '../rules/text.ts'
import { FIELD_NAMES, TIMES } from './field-names.ts'

/** Lists whose items are sentences. */
const LONG_LISTS = new Set(['rules', 'variants'])

/** A changed field, with old and new value. */
export function Change({
  field,
  from,
  to,
  created,
}: {
  field: string
  from?: unknown
  to?: unknown
  /** There was no old value. */
  created: boolean
}) {
  const i18n = useI18n()
  const label = FIELD_NAMES[field]
  const isLong = LONG_LISTS.has(field)
  // Lists and sentences have the direction of the page.
  const dir = Array.isArray(from) || Array.isArray(to) ? undefined : 'auto'
  const [was, is] = isLong ? differing(from, to) : [from, to]
  return (
    <li className="flex flex-wrap gap-x-2 [overflow-wrap:anywhere]">
      <span className="text-faint">{label ? i18n.t(label) : field}</span>
      {created ? null : (
        <>
          <del className="text-muted" dir={dir}>
            {valueText(field, was, i18n)}
          </del>
          <span aria-hidden="true" className="text-faint rtl:-scale-x-100">
            →
          </span>
        </>
      )}
      <ins className="no-underline" dir={dir}>
        {valueText(field, is, i18n)}
      </ins>
    </li>
  )
}

/** The items that only one of two lists has; both lists if only their order differs. */
function differing(from: unknown, to: unknown): [unknown, unknown] {
  const [was, is] = [from, to].map((list) => (Array.isArray(list) ? list : [])) as [
    unknown[],
    unknown[],
  ]
  const without = (list: unknown[], other: unknown[]) => {
    const known = new Set(other.map((item) => JSON.stringify(item)))
    return list.filter((item) => !known.has(JSON.stringify(item)))
  }
  const [gone, come] = [without(was, is), without(is, was)]
  return gone.length + come.length === 0 ? [was, is] : [gone, come]
}

function valueText(field: string, value: unknown, i18n: I18n): ReactNode {
  const { t, format } = i18n
  if (value === null || value === undefined || value === '') return t('common.none')
  if (value === true) return t('links.on')
  if (value === false) return t('links.off')
  if (Array.isArray(value)) {
    if (value.length === 0) return t('common.none')
    const items = value.map((item) => itemText(item, i18n))
    if (!LONG_LISTS.has(field)) return format.list(items)
    return items.map((item) => (
      <span key={item} className="block">
        {item}
      </span>
    ))
  }
  if (field === 'folder_id') return <FolderName id={String(value)} />
  if (field === 'match') return t(value === 'prefix' ? 'links.on' : 'links.off')
  if (field === 'tracking') return t(`links.tracking.${value as 'full' | 'count' | 'none'}`)
  if (typeof value === 'object') {
    return Object.values(value)
      .filter((part) => part !== null)
      .join(' · ')
  }
  if (TIMES.has(field) && typeof value === 'string') return format.dateTime(value)
  if (field === 'max_clicks' && typeof value === 'number') return format.number(value)
  return <Breakable>{String(value)}</Breakable>
}
