import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, Presentation } from 'lucide-react'
import { ApiError } from '../../api/errors.ts'
import type { SessionWorkspace } from '../../api/session.ts'
import { NotFound } from '../../app/missing.tsx'
import { queryClient } from '../../app/queries.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { BRIEF, BRIEF_LABEL, buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ShareButton } from '../shares/button.tsx'
import { Controls } from './controls.tsx'
import { Export } from './export.tsx'
import { isGroup, sharedFilters } from './filters.ts'
import { LivePanel, LiveToggle, RecentVisitors } from './live.tsx'
import { linkHeadQuery, statsBeforeQuery, statsQuery } from './queries.ts'
import { ReportView } from './report.tsx'
import { SavedFilters } from './saved-filters.tsx'
import type { StatisticsSearch } from './search.ts'
import { SingleClicks } from './single-clicks.tsx'
import { type Report, reportOf, useReport } from './use-report.ts'
import { shortName } from './words.ts'

/** The statistics of the whole workspace. */
export function StatisticsPage() {
  const { t } = useI18n()
  const report = useReport(null)
  return (
    <Page
      title={t('statistics.title')}
      description={<RecentVisitors report={report} />}
      actions={
        <>
          <LiveToggle report={report} />
          <Export report={report} />
          <Link to="/statistics/shared" className={buttonClass('secondary', 'md', BRIEF)}>
            <Presentation />
            <span className={BRIEF_LABEL}>{t('shares.title')}</span>
          </Link>
          <ShareReport report={report} />
        </>
      }
    >
      <Controls report={report}>
        <SavedFilters report={report} />
      </Controls>
      <Tabbed report={report} />
    </Page>
  )
}

/** Shares what the page shows. A tag or a folder in its filter becomes the share's subject. */
function ShareReport({ report: { filters } }: { report: Report }) {
  const groups = filters.filter(({ dimension }) => isGroup(dimension))
  const [group] = groups
  // A share has one subject.
  if (groups.length > 1) return null
  const subject =
    group === undefined
      ? { workspace: true as const }
      : group.dimension === 'tag'
        ? { tag: group.value }
        : { folder_id: group.value }
  const name = group?.dimension === 'tag' ? group.value : ''
  return <ShareButton fresh={{ subject, name, filters: sharedFilters(filters) }} />
}

/** The statistics of one link. */
export function LinkStatisticsPage() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const { id } = useParams({ from: '/shell/links/$id/statistics' })
  const report = useReport(id)
  const link = useQuery(linkHeadQuery(workspace.id, id))
  if (link.error instanceof ApiError && link.error.status === 404) return <NotFound />
  const short = link.data === undefined ? '…' : shortName(link.data.short_url)
  return (
    <Page
      title={t('statistics.ofLink', { link: short })}
      heading={<bdi dir="ltr">{short}</bdi>}
      description={link.data ? link.data.title || link.data.destination_url : undefined}
      before={
        <Link
          to="/links/$id"
          params={{ id }}
          className="inline-flex min-h-6 items-center gap-1 text-muted pointer-coarse:min-h-10 text-sm hover:text-fg"
        >
          <ArrowLeft className="rtl:-scale-x-100" />
          {t('statistics.backToLink')}
        </Link>
      }
      actions={
        <>
          <LiveToggle report={report} />
          <Export report={report} />
          {link.data === undefined ? null : (
            <ShareButton
              fresh={{
                subject: { link_id: link.data.id },
                name: link.data.title || short,
                filters: sharedFilters(report.filters),
              }}
            />
          )}
        </>
      }
    >
      <Controls report={report} />
      <Tabbed report={report} />
    </Page>
  )
}

/** The report, or its clicks one by one. */
function Tabbed({ report }: { report: Report }) {
  const { t } = useI18n()
  const { search, change } = report
  return (
    <div className="flex flex-col gap-5">
      {search.live === 'on' ? <LivePanel report={report} /> : null}
      <Tabs<'report' | 'clicks'>
        label={t('statistics.title')}
        value={search.tab ?? 'report'}
        onChange={(tab) => change({ tab: tab === 'clicks' ? tab : undefined })}
        tabs={[
          {
            value: 'report',
            label: t('statistics.tab.report'),
            panel: <ReportView report={report} />,
          },
          {
            value: 'clicks',
            label: t('statistics.tab.clicks'),
            panel: <SingleClicks report={report} />,
          },
        ]}
      />
    </div>
  )
}

/** Requests what the statistics page shows first, before it is rendered. */
export function prefetchReport(search: StatisticsSearch, workspace: SessionWorkspace): void {
  const scope = { workspace: workspace.id, linkId: null, since: workspace.created_at }
  const { question, period, before, interval } = reportOf(search, scope, () => {})
  void queryClient.prefetchQuery(statsQuery(question, period, interval))
  if (before !== null) {
    void queryClient.prefetchQuery(statsBeforeQuery(question, period, before, interval))
  }
}
