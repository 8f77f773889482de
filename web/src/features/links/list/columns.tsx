import { Columns3 } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { hideColumns, OPTIONAL, type OptionalColumn, useHiddenColumns } from './hidden-columns.ts'

const NAMES = {
  tags: 'links.field.tags',
  days: 'links.last30Days',
  clicks: 'links.clicks',
  creator: 'links.createdBy',
  created: 'links.createdAt',
} as const

/** Chooses the columns of the table. */
export function ColumnChoice() {
  const { t } = useI18n()
  const hidden = useHiddenColumns()
  const set = (column: OptionalColumn, shown: boolean) => {
    hideColumns(OPTIONAL.filter((name) => (name === column ? !shown : hidden.has(name))))
  }
  return (
    <Popover
      title={t('links.columns')}
      align="end"
      trigger={
        <IconButton label={t('links.columns')} icon={<Columns3 />} className="max-lg:hidden" />
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
