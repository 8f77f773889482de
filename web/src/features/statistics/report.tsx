import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type MessageKey, useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { errorText } from '../../ui/errors.ts'
import { Problem } from '../../ui/problem.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { Figures } from './figures.tsx'
import { OverTime } from './over-time.tsx'
import { Places } from './places.tsx'
import { isUnavailable, statsBeforeQuery, statsQuery } from './queries.ts'
import { TopCards } from './top-cards.tsx'
import type { Report } from './use-report.ts'

/** The totals, the chart, and the top lists. */
export function ReportView({ report }: { report: Report }) {
  const i18n = useI18n()
  const { t } = i18n
  const { question, period, before, interval } = report
  const stats = useQuery(statsQuery(question, period, interval))
  const earlier = useQuery(statsBeforeQuery(question, period, before, interval))
  if (stats.isError && stats.data === undefined) {
    return <ReportProblem error={stats.error} onRetry={() => void stats.refetch()} />
  }
  if (stats.data === undefined) return <ReportSkeleton />
  const { totals, imported_clicks: imported } = stats.data
  const nothing = totals.clicks === 0 && totals.bots === 0
  // Data of the previous query, without a comparison now.
  const compared = before === null ? undefined : earlier.data
  return (
    <div className="flex flex-col gap-8">
      {stats.isError ? (
        <p role="status" className="rounded-sm bg-warn-soft px-3 py-2 text-sm text-warn">
          {isUnavailable(stats.error) ? t('statistics.unavailable') : errorText(stats.error, i18n)}
        </p>
      ) : null}
      {nothing ? (
        <NoClicks report={report} unfiltered="statistics.empty.unfiltered">
          <Imported count={imported} />
        </NoClicks>
      ) : (
        <>
          <section className="flex flex-col gap-4">
            <Figures report={report} totals={totals} before={compared?.totals} />
            <Imported count={imported} />
            <OverTime report={report} stats={stats.data} before={compared} />
          </section>
          <Places report={report} />
          <TopCards report={report} />
        </>
      )}
    </div>
  )
}

/** Why there is nothing: the statistics are restarting, which ends by itself, or another error. */
export function ReportProblem({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useI18n()
  if (!isUnavailable(error)) return <Problem error={error} onRetry={onRetry} />
  return (
    <Empty title={t('statistics.unavailable')}>
      <p>{t('statistics.unavailableText')}</p>
    </Empty>
  )
}

/** A period without clicks, and what to do. */
export function NoClicks({
  report: { filters, setFilters },
  unfiltered,
  children,
}: {
  report: Report
  /** What is said without filters. */
  unfiltered: MessageKey
  children?: ReactNode
}) {
  const { t } = useI18n()
  const filtered = filters.length > 0
  return (
    <Empty
      title={t('statistics.empty.title')}
      action={
        filtered ? (
          <Button onClick={() => setFilters([])}>{t('statistics.filter.clear')}</Button>
        ) : null
      }
    >
      <p>{t(filtered ? 'statistics.empty.text' : unfiltered)}</p>
      {children}
    </Empty>
  )
}

/** Clicks from before an import: they have no dates, so they are in no chart and no list. */
function Imported({ count }: { count: number | null }) {
  const { t } = useI18n()
  if (!count) return null
  return <p className="-mt-2 text-muted text-sm">{t('statistics.imported', { count })}</p>
}

function ReportSkeleton() {
  const { t } = useI18n()
  return (
    <div className="flex flex-col gap-4">
      <Loading label={t('common.loading')} />
      <div className="grid grid-cols-2 gap-2 lg:grid-cols-4">
        {[0, 1, 2, 3].map((figure) => (
          <Skeleton key={figure} className="h-18 w-full" />
        ))}
      </div>
      <Skeleton className="h-70 w-full" />
    </div>
  )
}
