import { useQuery } from '@tanstack/react-query'
import { useI18n } from '../../i18n/index.tsx'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { statsBeforeQuery, statsQuery } from './calls.ts'
import { OverTime } from './over-time.tsx'
import { TopList } from './top-list.tsx'
import { useReport } from './use-report.ts'

/** The last 30 days of a link: over time, by source, by country. Pressing one opens the report. */
export default function Overview({ linkId }: { linkId: string }) {
  const { t } = useI18n()
  const report = useReport(linkId)
  const { question, period, before, interval } = report
  const stats = useQuery(statsQuery(question, period, interval))
  const earlier = useQuery(statsBeforeQuery(question, period, before, interval))
  // The link's page has the all-time numbers, and the report explains why there are none here.
  if (stats.isError) return null
  if (stats.data === undefined) return <Skeleton className="h-70 w-full" />
  if (stats.data.totals.clicks === 0) {
    return <p className="text-muted">{t('statistics.overview.none')}</p>
  }
  return (
    <div className="flex flex-col gap-6">
      <OverTime report={report} stats={stats.data} before={earlier.data} />
      <div className="grid gap-6 lg:grid-cols-2">
        {(['referrer', 'country'] as const).map((dimension) => (
          <Card key={dimension} className="min-w-0 p-4">
            <h2 className="mb-2 font-semibold">
              {t(dimension === 'country' ? 'statistics.group.places' : 'statistics.group.sources')}
            </h2>
            <TopList report={report} dimension={dimension} />
          </Card>
        ))}
      </div>
    </div>
  )
}
