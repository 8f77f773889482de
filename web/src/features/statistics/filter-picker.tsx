import { useQuery } from '@tanstack/react-query'
import { Filter as FilterIcon } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Popover } from '../../ui/popover.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Select } from '../../ui/select.tsx'
import { topQuery } from './calls.ts'
import { type Dimension, PICKED, withFilter } from './filters.ts'
import type { Report } from './use-report.ts'
import { shortName, valueName } from './words.ts'

/** The most values that are offered; the search goes over them. */
const OFFERED = 1_000

/** Chooses what the report is narrowed to, by name. */
export function FilterPicker({ report }: { report: Report }) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  return (
    <Popover
      title={t('statistics.filter.add')}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" icon={<FilterIcon size={14} aria-hidden="true" />}>
          {t('statistics.filter.add')}
        </Button>
      }
    >
      <Picker report={report} onPicked={() => setOpen(false)} />
    </Popover>
  )
}

function Picker({ report, onPicked }: { report: Report; onPicked: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const [dimension, setDimension] = useState<Dimension>('country')
  const [mode, setMode] = useState<'is' | 'not'>('is')
  const { question, period, filters } = report
  const list = useQuery(topQuery(question, period, dimension, OFFERED))
  const values = (list.data?.data ?? []).filter(
    ({ value }) => value !== null || dimension !== 'link',
  )
  const pick = (value: string) => {
    report.setFilters(withFilter(filters, { dimension, value, exclude: mode === 'not' }))
    onPicked()
  }
  const dimensions = PICKED.filter((one) => one !== 'link' || question.linkId === null)
  return (
    <div className="flex w-64 flex-col gap-3">
      <Select<Dimension>
        label={t('statistics.filters')}
        value={dimension}
        onChange={setDimension}
        options={dimensions.map((value) => ({ value, label: t(`statistics.dimension.${value}`) }))}
      />
      <Segmented
        label={t('statistics.filter.mode')}
        value={mode}
        onChange={setMode}
        options={[
          { value: 'is', label: t('statistics.filter.only') },
          { value: 'not', label: t('statistics.filter.except') },
        ]}
      />
      <Combobox
        key={dimension}
        className="w-full!"
        label={t(`statistics.dimension.${dimension}`)}
        placeholder={t('statistics.filter.choose')}
        value=""
        onChange={(key) => pick(key.slice(1))}
        // A value may be empty, an option's key must not.
        options={values.map(({ value, short_url, name }) => ({
          value: `=${value ?? ''}`,
          label: short_url ? shortName(short_url) : (name ?? valueName(dimension, value, i18n)),
        }))}
      />
    </div>
  )
}
