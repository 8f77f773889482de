import { BOTS_MODES } from '@src/statistics/columns.ts'
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { DayInput } from '../../ui/day-input.tsx'
import { Select } from '../../ui/select.tsx'
import { folderQuery } from '../groups/queries.ts'
import { FilterPicker } from './filter-picker.tsx'
import { type Filter, filterText, joined } from './filters.ts'
import { linkHeadQuery } from './queries.ts'
import {
  addDays,
  COMPARISONS,
  type Interval,
  ownTimeZone,
  RANGE_KEYS,
  RANGES,
  type Range,
} from './range.ts'
import type { Report } from './use-report.ts'
import { filterName, shortName, valueName } from './words.ts'
import { ZoneSelect } from './zone-select.tsx'

/** The parameters of the report: range, interval, zone, traffic, and the filters as chips. */
export function Controls({ report, children }: { report: Report; children?: ReactNode }) {
  const { t } = useI18n()
  const { change, range, period, interval, intervals, question, search } = report
  // Nothing is compared or added up in a list of clicks.
  const isList = search.tab === 'clicks'
  const setRange = (next: Range) => {
    const dates =
      next === 'custom'
        ? { from: period.from, to: addDays(period.to, -1) }
        : { from: undefined, to: undefined }
    change({ range: next, ...dates, interval: undefined })
  }
  useShortcuts(
    Object.fromEntries(
      Object.entries(RANGE_KEYS).map(([one, key]) => [key, () => setRange(one as Range)]),
    ),
  )
  return (
    <div className="mb-5 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <FilterPicker report={report} />
        {children}
        <Select
          compact
          label={t('statistics.range')}
          value={range}
          onChange={setRange}
          options={RANGES.map((value) => ({ value, label: t(`statistics.range.${value}`) }))}
        />
        {isList ? null : (
          <>
            <Comparisons report={report} />
            <Select<Interval>
              compact
              label={t('statistics.interval')}
              value={interval}
              onChange={(next) => change({ interval: next })}
              options={intervals.map((value) => ({
                value,
                label: t(`statistics.interval.${value}`),
              }))}
            />
          </>
        )}
        {question.shared ? null : (
          <Select
            compact
            label={t('statistics.kinds')}
            value={question.bots}
            onChange={(bots) => change({ bots: bots === 'exclude' ? undefined : bots })}
            options={BOTS_MODES.map((value) => ({ value, label: t(`statistics.kinds.${value}`) }))}
          />
        )}
        <ZoneSelect
          className="max-w-52"
          value={question.zone}
          onChange={(zone) => change({ zone: zone === ownTimeZone() ? undefined : zone })}
        />
      </div>
      {range === 'custom' ? <Dates report={report} /> : null}
      {report.comparison === 'custom' && !isList ? <Against report={report} /> : null}
      <Filters report={report} />
    </div>
  )
}

/** What the period is compared with. */
function Comparisons({
  report: { comparison, period, before, change, range },
}: {
  report: Report
}) {
  const { t } = useI18n()
  const standard = range === 'all' ? 'none' : 'period'
  return (
    <Select
      compact
      label={t('statistics.compare')}
      value={comparison}
      onChange={(next) =>
        change({
          compare: next === standard ? undefined : next,
          against: next === 'custom' ? (before ?? period).from : undefined,
        })
      }
      options={COMPARISONS.map((value) => ({ value, label: t(`statistics.compare.${value}`) }))}
    />
  )
}

/** Days in a line; two beside each other on a phone. */
const DAYS = 'grid grid-cols-2 gap-x-2 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-4'

function Dates({ report: { period, change, search } }: { report: Report }) {
  const { t } = useI18n()
  const days = { from: search.from ?? period.from, to: search.to ?? addDays(period.to, -1) }
  return (
    <div className={DAYS}>
      <DayInput
        label={t('statistics.from')}
        value={days.from}
        onChange={(from) => from && change({ ...days, from })}
      />
      <DayInput
        label={t('statistics.to')}
        value={days.to}
        onChange={(to) => to && change({ ...days, to })}
      />
    </div>
  )
}

/** The start of the compared period, which has as many days. */
function Against({ report: { before, period, change } }: { report: Report }) {
  const { t } = useI18n()
  return (
    <div className={DAYS}>
      <DayInput
        label={t('statistics.compare.from')}
        value={(before ?? period).from}
        onChange={(against) => against && change({ against })}
      />
    </div>
  )
}

function Filters({ report: { question, filters, setFilters } }: { report: Report }) {
  const { t } = useI18n()
  const groups = joined(filters)
  if (groups.length === 0) return null
  return (
    <ul aria-label={t('statistics.filters')} className="flex flex-wrap items-center gap-2">
      {groups.map((group) => (
        <li key={group.map(filterText).join()} className="max-w-full">
          <FilterChip
            workspace={question.workspace}
            group={group}
            onRemove={() => setFilters(filters.filter((one) => !group.includes(one)))}
          />
        </li>
      ))}
      {groups.length > 1 ? (
        <li>
          <Button size="sm" variant="ghost" onClick={() => setFilters([])}>
            {t('statistics.filter.clear')}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

/** The values that a chip names; more are counted. */
const NAMED = 3

/** Filters of one dimension as text. */
function FilterChip({
  workspace,
  group,
  onRemove,
}: {
  workspace: string
  group: readonly [Filter, ...Filter[]]
  onRemove: () => void
}) {
  const i18n = useI18n()
  const [first] = group
  const names = useFilterNames(workspace, group.slice(0, NAMED))
  const more = group.length - names.length
  if (more > 0) names.push(`+${i18n.format.number(more)}`)
  const name = filterName(first, names, i18n)
  return (
    <Chip
      tone={first.match === 'not' ? 'neutral' : 'accent'}
      onRemove={onRemove}
      removeLabel={i18n.t('statistics.filter.remove', { filter: name })}
    >
      {name}
    </Chip>
  )
}

/** The names of values; of links their short URLs, and of folders their names instead of ids. */
function useFilterNames(workspace: string, filters: readonly Filter[]): string[] {
  const i18n = useI18n()
  const asked = (dimension: Filter['dimension']) =>
    filters.filter((one) => one.dimension === dimension && one.value !== '')
  const links = useQueries({
    queries: asked('link').map(({ value }) => linkHeadQuery(workspace, value)),
  })
  const folders = useQueries({
    queries: asked('folder').map(({ value }) => folderQuery(workspace, value)),
  })
  return filters.map(({ dimension, value }) => {
    if (dimension === 'folder') {
      const folder = folders.find(({ data }) => data?.id === value)?.data
      const isPending = folders.some((one) => one.isPending)
      return folder?.name ?? (isPending ? '…' : i18n.t('keys.restrictions.deletedFolder'))
    }
    const link = links.find(({ data }) => data?.id === value)?.data
    if (dimension === 'link' && link !== undefined) return shortName(link.short_url)
    return valueName(dimension, value, i18n)
  })
}
