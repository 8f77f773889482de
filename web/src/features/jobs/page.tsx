import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { JobLines } from './line.tsx'
import { jobsQuery } from './queries.ts'

/** The workspace's current and past jobs. */
export function JobsPage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const list = useInfiniteQuery(jobsQuery(workspace.id))
  return (
    <Page title={t('jobs.title')} description={t('jobs.text')}>
      <Answer of={list} loading={<SkeletonRows count={3} tall />}>
        {(jobs) =>
          jobs.length === 0 ? (
            <Empty
              icon={<ListChecks size={28} />}
              title={t('jobs.empty.title')}
              action={
                may('links:write') ? (
                  <Link to="/import" className={buttonClass()}>
                    {t('imports.title')}
                  </Link>
                ) : null
              }
            >
              <p>{t('jobs.empty.text')}</p>
            </Empty>
          ) : (
            <JobLines jobs={jobs} />
          )
        }
      </Answer>
      <More list={list} label={t('audit.more')} />
    </Page>
  )
}
