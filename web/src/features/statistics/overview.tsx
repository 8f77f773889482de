import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { List } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { OverTime } from './over-time.tsx'
import { statsBeforeQuery, statsQuery } from './queries.ts'
import { LINK_RANGES } from './range.ts'
import { TopList } from './top-list.tsx'
import { useReport } from './use-report.ts'

/** A period of a link: over time, by source, by country. Pressing one opens the report. */
export default function Overview({
  linkId,
  onRange,
}: {
  linkId: string
  onRange: (range: (typeof LINK_RANGES)[number]) => void
}) {
  const { t } = useI18n()
  const report = useReport(linkId)
  const { question, range, period, before, interval } = report
  const stats = useQuery(statsQuery(question, period, interval))
  const earlier = useQuery(statsBeforeQuery(question, period, before, interval))
  if (stats.isError && stats.data === undefined) {
    return <Problem error={stats.error} onRetry={() => void stats.refetch()} />
  }
  return (
    <div className="flex flex-col items-start gap-4">
      <div className="flex w-full flex-wrap items-center justify-between gap-2">
        <Segmented
          label={t('statistics.range')}
          value={range}
          onChange={(next) => onRange(next as (typeof LINK_RANGES)[number])}
          options={LINK_RANGES.map((value) => ({ value, label: t(`statistics.range.${value}`) }))}
        />
        <Link
          to="/links/$id/statistics"
          params={{ id: linkId }}
          search={{ range, tab: 'clicks' }}
          className={buttonClass('ghost', 'sm', '-mx-2')}
        >
          <List />
          {t('statistics.tab.clicks')}
        </Link>
      </div>
      {stats.data === undefined ? (
        <Skeleton className="h-70 w-full" />
      ) : stats.data.totals.clicks === 0 ? (
        <p className="text-muted">{t('statistics.overview.none')}</p>
      ) : (
        <div className="flex w-full flex-col gap-6">
          <OverTime hasTotal report={report} stats={stats.data} before={earlier.data} />
          <div className="grid gap-6 lg:grid-cols-2">
            {(['referrer', 'country'] as const).map((dimension) => (
              <Card key={dimension} className="min-w-0 p-4">
                <h2 className="mb-2 font-semibold">
                  {t(
                    dimension === 'country'
                      ? 'statistics.group.places'
                      : 'statistics.group.sources',
                  )}
                </h2>
                <TopList report={report} dimension={dimension} />
              </Card>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}
