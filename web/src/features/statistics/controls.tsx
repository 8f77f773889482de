import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { BOTS_MODES } from '../../../../src/statistics/columns.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Input } from '../../ui/input.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Select } from '../../ui/select.tsx'
import { linkHeadQuery } from './calls.ts'
import { type Filter, filterText, withoutFilter } from './filters.ts'
import { addDays, type Interval, ownTimeZone, RANGES, type Range } from './range.ts'
import type { Report } from './use-report.ts'
import { filterName, shortName } from './words.ts'

/** What the report is about: range, interval, zone, who counts, and the filters as chips. */
export function Controls({ report }: { report: Report }) {
  const { t } = useI18n()
  const { change, range, period, interval, intervals, question } = report
  const setRange = (next: Range) => {
    const dates =
      next === 'custom'
        ? { from: period.from, to: addDays(period.to, -1) }
        : { from: undefined, to: undefined }
    change({ range: next, ...dates, interval: undefined })
  }
  const ranges = RANGES.map((value) => ({ value, label: t(`statistics.range.${value}`) }))
  return (
    <div className="mb-5 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="hidden sm:block">
          <Segmented
            label={t('statistics.range')}
            value={range}
            onChange={setRange}
            options={ranges}
          />
        </div>
        <div className="sm:hidden">
          <Select
            compact
            label={t('statistics.range')}
            value={range}
            onChange={setRange}
            options={ranges}
          />
        </div>
        <Select<Interval>
          compact
          label={t('statistics.interval')}
          value={interval}
          onChange={(next) => change({ interval: next })}
          options={intervals.map((value) => ({ value, label: t(`statistics.interval.${value}`) }))}
        />
        <Select
          compact
          label={t('statistics.kinds')}
          value={question.bots}
          onChange={(bots) => change({ bots: bots === 'exclude' ? undefined : bots })}
          options={BOTS_MODES.map((value) => ({ value, label: t(`statistics.kinds.${value}`) }))}
        />
        <ZoneSelect report={report} />
      </div>
      {range === 'custom' ? <Dates report={report} /> : null}
      <Filters report={report} />
    </div>
  )
}

function Dates({ report: { period, change, search } }: { report: Report }) {
  const { t } = useI18n()
  const days = { from: search.from ?? period.from, to: search.to ?? addDays(period.to, -1) }
  const fields = [
    ['from', 'statistics.from'],
    ['to', 'statistics.to'],
  ] as const
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-2">
      {fields.map(([name, label]) => (
        <label
          key={name}
          htmlFor={`statistics-${name}`}
          className="flex items-center gap-2 text-muted text-sm"
        >
          {t(label)}
          <Input
            id={`statistics-${name}`}
            type="date"
            className="w-38!"
            value={days[name]}
            onChange={({ target }) => {
              if (target.value !== '') change({ ...days, [name]: target.value })
            }}
          />
        </label>
      ))}
    </div>
  )
}

function ZoneSelect({ report: { question, change } }: { report: Report }) {
  const { t } = useI18n()
  const own = ownTimeZone()
  const zones = useMemo(() => {
    const all = new Set([own, 'UTC', question.zone, ...Intl.supportedValuesOf('timeZone')])
    return [...all].map((value) => ({ value, label: value.replaceAll('_', ' ') }))
  }, [own, question.zone])
  return (
    <Combobox
      className="max-w-52"
      label={t('statistics.timeZone')}
      value={question.zone}
      onChange={(zone) => change({ zone: zone === own ? undefined : zone })}
      options={zones}
    />
  )
}

function Filters({ report: { filters, setFilters } }: { report: Report }) {
  const { t } = useI18n()
  if (filters.length === 0) return null
  return (
    <ul aria-label={t('statistics.filters')} className="flex flex-wrap items-center gap-2">
      {filters.map((filter) => (
        <li key={filterText(filter)} className="max-w-full">
          <FilterChip filter={filter} onRemove={() => setFilters(withoutFilter(filters, filter))} />
        </li>
      ))}
      {filters.length > 1 ? (
        <li>
          <Button size="sm" variant="ghost" onClick={() => setFilters([])}>
            {t('statistics.filter.clear')}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

/** A filter in words; a link goes by its short address, not by its id. */
function FilterChip({ filter, onRemove }: { filter: Filter; onRemove: () => void }) {
  const i18n = useI18n()
  const { workspace } = usePlace()
  const link = useQuery({
    ...linkHeadQuery(workspace.id, filter.value),
    enabled: filter.dimension === 'link' && filter.value !== '',
  })
  const name = filterName(filter, i18n, link.data && shortName(link.data.short_url))
  return (
    <Chip
      tone={filter.exclude ? 'neutral' : 'accent'}
      onRemove={onRemove}
      removeLabel={i18n.t('statistics.filter.remove', { filter: name })}
    >
      {name}
    </Chip>
  )
}
