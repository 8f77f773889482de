import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useAction } from '../../ui/toast.tsx'
import { type Job, showJob } from '../jobs/queries.ts'
import { FromFile } from './from-file.tsx'
import { FromService } from './from-service.tsx'
import { JobView } from './job.tsx'
import { type Plan, startChecked, startImport } from './queries.ts'
import { Recent } from './recent.tsx'

const route = getRouteApi('/shell/import')

/** Imports: what to import, and the progress of one. */
export function ImportPage() {
  const { t } = useI18n()
  const { job } = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const { workspace, may } = usePlace()
  const [plan, setPlan] = useState<Plan | null>(null)
  const [tab, setTab] = useState<'file' | 'service'>('file')
  const [checked, setChecked] = useState<string | null>(null)
  const show = (made: Job) => {
    showJob(client, workspace.id, made)
    void navigate({ search: { job: made.id } })
  }
  const start = useAction(
    ({ what, dryRun }: { what: Plan; dryRun: boolean }) => startImport(what, dryRun),
    (made, { what, dryRun }) => {
      setPlan(what)
      setChecked(dryRun ? made.id : null)
      show(made)
    },
  )
  const begin = useAction(startChecked, show)
  const check = (what: Plan) => start.mutate({ what, dryRun: true })
  const writable = may('links:write')

  return (
    <Page
      title={t(job === undefined ? 'imports.title' : 'imports.link')}
      description={job === undefined ? t('imports.description') : undefined}
      before={
        <Link
          to={job === undefined ? '/links' : '/import'}
          className="inline-flex items-center gap-1 text-muted text-sm hover:text-fg"
        >
          <ArrowLeft className="rtl:-scale-x-100" />
          {job === undefined ? t('shell.links') : t('imports.title')}
        </Link>
      }
    >
      {job === undefined ? (
        <div className="flex flex-col gap-8">
          {writable ? (
            <Tabs
              label={t('imports.title')}
              value={tab}
              onChange={setTab}
              tabs={[
                {
                  value: 'file',
                  label: t('imports.file'),
                  panel: <FromFile onCheck={check} busy={start.isPending} />,
                },
                {
                  value: 'service',
                  label: t('imports.service'),
                  panel: <FromService onCheck={check} busy={start.isPending} />,
                },
              ]}
            />
          ) : null}
          <Recent />
        </div>
      ) : (
        <JobView
          key={job}
          id={job}
          writable={writable}
          starting={start.isPending || begin.isPending}
          onImport={() => begin.mutate(job)}
          // What a service needs isn't kept: it can be asked again as long as the page is open.
          onRepeat={
            plan?.kind === 'service' && checked === job
              ? () => start.mutate({ what: plan, dryRun: false })
              : undefined
          }
        />
      )}
    </Page>
  )
}
