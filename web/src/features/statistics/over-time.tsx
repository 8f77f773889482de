import { useI18n } from '../../i18n/index.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { Chart, type ChartPoint, type ChartProps } from './chart.tsx'
import { METRIC_NAMES } from './figures.tsx'
import type { Stats } from './queries.ts'
import { addDays, dayIn, daysOf, type Interval, type Period } from './range.ts'
import type { Report } from './use-report.ts'
import { bucketFormats } from './words.ts'

/** The chosen count over time, as a chart or as a table. */
export function OverTime({
  report,
  stats,
  before,
  hasTotal = false,
}: {
  report: Report
  stats: Stats
  before: Stats | undefined
  /** Shows the count of the whole period, where nothing else does. */
  hasTotal?: boolean
}) {
  const { t, format, dir, regional } = useI18n()
  const { metric, question, period, search, change } = report
  const metricName = t(METRIC_NAMES[metric])
  const name = t('statistics.chart.title', { metric: metricName })
  const { tick, title, span } = bucketFormats(
    stats.interval,
    question.zone,
    daysOf(period),
    regional,
  )
  // The last bucket is in progress as long as its last day is.
  const goesOn = period.to > dayIn(question.zone)
  const points = stats.series.map(
    (bucket, at): ChartPoint => ({
      start: bucket.start,
      value: bucket[metric],
      before: before?.series[at]?.[metric] ?? null,
      beforeStart: before?.series[at]?.start ?? null,
      open: at === stats.series.length - 1 && goesOn,
    }),
  )
  const most = points.reduce<ChartPoint | undefined>(
    (peak, point) => (peak === undefined || point.value > peak.value ? point : peak),
    undefined,
  )
  const [first, last] = [points.at(0), points.at(-1)]
  const summary =
    first === undefined || last === undefined || most === undefined
      ? metricName
      : t('statistics.chart.summary', {
          metric: metricName,
          from: title(first.start),
          to: title(last.start),
          total: stats.totals[metric],
          most: most.value,
          peak: title(most.start),
        })
  const view = search.view ?? 'chart'
  const beforeLabel = t(
    report.comparison === 'period' ? 'statistics.chart.before' : 'statistics.chart.compared',
  )
  const zoom = (first: string, last: string) =>
    change({
      range: 'custom',
      from: dayIn(question.zone, new Date(first)),
      to: lastDayOf(stats.interval, dayIn(question.zone, new Date(last)), addDays(period.to, -1)),
      interval: undefined,
    })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">
          {hasTotal
            ? t('common.labelled', { label: name, value: format.number(stats.totals[metric]) })
            : name}
        </h2>
        <div className="print:hidden">
          <Segmented
            label={t('statistics.view')}
            value={view}
            onChange={(next) => change({ view: next === 'chart' ? undefined : 'table' })}
            options={[
              { value: 'chart', label: t('statistics.chart') },
              { value: 'table', label: t('statistics.table') },
            ]}
          />
        </div>
      </div>
      {view === 'table' ? (
        <BucketTable
          points={points}
          summary={summary}
          metricName={metricName}
          beforeLabel={report.before === null ? null : beforeLabel}
          title={title}
        />
      ) : (
        <>
          {/* A chart of time runs the way of the language; its box has a fixed height. */}
          <div className="h-60 sm:h-70 print:h-auto">
            <Chart
              points={points}
              unit={metricName}
              summary={summary}
              beforeLabel={beforeLabel}
              openLabel={t('statistics.chart.open')}
              rightToLeft={dir === 'rtl'}
              tick={tick}
              span={span}
              count={format.number}
              shortCount={format.compact}
              canOpen={stats.interval !== 'hour'}
              onZoom={zoom}
            />
          </div>
          <Legend report={report} beforeLabel={beforeLabel} />
        </>
      )}
    </div>
  )
}

/** The period of each line. */
function Legend({
  report: { period, before },
  beforeLabel,
}: {
  report: Report
  beforeLabel: string
}) {
  const { t, regional } = useI18n()
  const range = new Intl.DateTimeFormat(regional, { dateStyle: 'medium', timeZone: 'UTC' })
  const days = ({ from, to }: Period) =>
    range.formatRange(new Date(from), new Date(addDays(to, -1)))
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 text-muted text-xs">
      <span className="flex items-center gap-1.5">
        <span className="h-0.5 w-4 bg-accent" />
        {days(period)}
      </span>
      {before === null ? null : (
        <span className="flex items-center gap-1.5">
          <span className="w-4 border-line-strong border-t-2 border-dotted" />
          {t('common.labelled', { label: beforeLabel, value: days(before) })}
        </span>
      )}
    </div>
  )
}

/** The last day of the bucket that begins on a day, within the period. */
function lastDayOf(interval: Interval, day: string, end: string): string {
  const days = { hour: 0, day: 0, week: 6, month: 0 }[interval]
  const last =
    interval === 'month'
      ? new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0))
          .toISOString()
          .slice(0, 10)
      : addDays(day, days)
  return last < end ? last : end
}

/** The buckets as a table, newest first. */
function BucketTable({
  points,
  summary,
  metricName,
  beforeLabel,
  title,
}: Pick<ChartProps, 'points' | 'summary'> & {
  title: (start: string) => string
  metricName: string
  /** Null: no comparison. */
  beforeLabel: string | null
}) {
  const { t, format } = useI18n()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="max-h-100 overflow-y-auto" tabIndex={0} aria-label={summary}>
      <Table>
        <thead>
          <tr>
            <Th className="ps-0">{t('statistics.chart.start')}</Th>
            <Th end>{metricName}</Th>
            {/* On a phone its words are longer than its numbers in some languages. */}
            {beforeLabel === null ? null : (
              <Th end className="whitespace-normal!">
                {beforeLabel}
              </Th>
            )}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.start}>
              <Td className="h-9! ps-0">
                {title(point.start)}{' '}
                {point.open ? (
                  <span className="whitespace-nowrap text-faint">
                    · {t('statistics.chart.open')}
                  </span>
                ) : null}
              </Td>
              <Td end className="h-9!">
                {format.number(point.value)}
              </Td>
              {beforeLabel === null ? null : (
                <Td end className="h-9! text-muted">
                  {point.before === null ? '–' : format.number(point.before)}
                </Td>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}
