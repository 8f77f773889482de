import { Columns3 } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Popover } from '../../ui/popover.tsx'

/** Columns of the table that can be left out. */
export const OPTIONAL = ['tags', 'days', 'clicks', 'created'] as const
export type OptionalColumn = (typeof OPTIONAL)[number]

const KEPT = 'slugline.columns.hidden'
const NAMES = {
  tags: 'links.field.tags',
  days: 'links.last30Days',
  clicks: 'links.clicks',
  created: 'links.createdAt',
} as const
const changed = new EventTarget()

/** The columns that this person has left out, in this browser. */
export function useHiddenColumns(): ReadonlySet<OptionalColumn> {
  const kept = useSyncExternalStore(
    (listen) => {
      changed.addEventListener('change', listen)
      return () => changed.removeEventListener('change', listen)
    },
    () => localStorage.getItem(KEPT) ?? '',
  )
  return new Set(OPTIONAL.filter((name) => kept.split(' ').includes(name)))
}

/** Chooses the columns of the table. */
export function ColumnChoice() {
  const { t } = useI18n()
  const hidden = useHiddenColumns()
  const set = (column: OptionalColumn, shown: boolean) => {
    const next = OPTIONAL.filter((name) => (name === column ? !shown : hidden.has(name)))
    localStorage.setItem(KEPT, next.join(' '))
    changed.dispatchEvent(new Event('change'))
  }
  return (
    <Popover
      title={t('links.columns')}
      align="end"
      trigger={
        <IconButton
          label={t('links.columns')}
          icon={<Columns3 size={14} aria-hidden="true" />}
          className="max-lg:hidden"
        />
      }
    >
      <div className="flex flex-col gap-2">
        {OPTIONAL.map((name) => (
          <Checkbox
            key={name}
            label={t(NAMES[name])}
            checked={!hidden.has(name)}
            onChange={(shown) => set(name, shown)}
          />
        ))}
      </div>
    </Popover>
  )
}
