import { DAY_MS } from '@src/statistics/intervals.ts'
import { useQuery } from '@tanstack/react-query'
import { useI18n } from '../../i18n/index.tsx'
import { cx } from '../../ui/cx.ts'
import { errorText } from '../../ui/errors.ts'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ticksTo } from './axis.ts'
import { type Filter, narrowedTo } from './filters.ts'
import { topQuery } from './queries.ts'
import type { Report } from './use-report.ts'
import { valueName } from './words.ts'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]

/** When people click: by hour and by weekday, in natural order. */
export function Times({ report }: { report: Report }) {
  const { t } = useI18n()
  return (
    <Card className="min-w-0 p-4 lg:col-span-2">
      <h2 className="mb-3 font-semibold">{t('statistics.group.times')}</h2>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Columns
          report={report}
          dimension="hour"
          rows={[HOURS.slice(0, 8), HOURS.slice(8, 16), HOURS.slice(16)]}
        />
        <Columns report={report} dimension="weekday" rows={[WEEKDAYS]} />
      </div>
    </Card>
  )
}

/** Bars from zero; a click on one filters. */
function Columns({
  report,
  dimension,
  rows,
}: {
  report: Report
  dimension: 'hour' | 'weekday'
  /** Side by side if there is room, so that each bar is wide enough to hit. */
  rows: readonly (readonly number[])[]
}) {
  const i18n = useI18n()
  const { t, format } = i18n
  const limit = rows.flat().length
  const list = useQuery(topQuery(report.question, report.period, dimension, limit))
  if (list.isError) return <p className="text-bad">{errorText(list.error, i18n)}</p>
  // Purged days have no hours, so their clicks aren't shown.
  const clicks = new Map(
    list.data?.data.flatMap(({ value, clicks }) =>
      value === null ? [] : [[Number(value), clicks]],
    ),
  )
  const most = ticksTo(Math.max(1, ...clicks.values())).at(-1) ?? 1
  return (
    <section aria-label={t(`statistics.dimension.${dimension}`)} className="flex flex-col gap-1">
      <h3 className="flex justify-between text-faint text-xs">
        {t(`statistics.dimension.${dimension}`)}
        <span className="tabular">{list.data ? format.compact(most) : ''}</span>
      </h3>
      {list.data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <div className={cx('grid gap-y-3', rows.length > 1 && 'xl:grid-cols-3')}>
          {rows.map((values) => (
            <ColumnRow
              key={values[0]}
              report={report}
              dimension={dimension}
              values={values}
              clicks={clicks}
              most={most}
            />
          ))}
        </div>
      )}
    </section>
  )
}

function ColumnRow({
  report,
  dimension,
  values,
  clicks,
  most,
}: {
  report: Report
  dimension: 'hour' | 'weekday'
  values: readonly number[]
  clicks: ReadonlyMap<number, number>
  most: number
}) {
  const i18n = useI18n()
  const { t, regional } = i18n
  // Only some of the hours have room for their label.
  const every = dimension === 'hour' ? 4 : 1
  const narrow = (value: number) => {
    const filter: Filter = { dimension, value: String(value), match: 'is' }
    report.setFilters(narrowedTo(report.filters, filter))
  }
  const shortName = (value: number) =>
    dimension === 'hour'
      ? valueName('hour', value, i18n)
      : new Intl.DateTimeFormat(regional, { weekday: 'short', timeZone: 'UTC' }).format(
          (value + 3) * DAY_MS,
        )
  return (
    <div>
      <ul className="flex h-24 items-end border-line border-t border-b">
        {values.map((value) => {
          const count = clicks.get(value) ?? 0
          const label = valueName(dimension, value, i18n)
          const name = t('common.labelled', { label, value: count })
          return (
            <li key={value} className="h-full min-w-0 flex-1">
              <button
                type="button"
                aria-label={t('statistics.filter.by', { value: name })}
                title={name}
                onClick={() => narrow(value)}
                className="flex h-full w-full items-end px-px hover:bg-hover"
              >
                <span
                  className="w-full rounded-t-xs bg-accent"
                  style={{ height: `${(count / most) * 100}%` }}
                />
              </button>
            </li>
          )
        })}
      </ul>
      <div aria-hidden="true" className="tabular flex text-faint text-xs">
        {values
          .filter((_, at) => at % every === 0)
          .map((value) => (
            <span
              key={value}
              className={cx('min-w-0 flex-1 truncate', every === 1 ? 'text-center' : 'text-start')}
            >
              {shortName(value)}
            </span>
          ))}
      </div>
    </div>
  )
}
