import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Progress } from '../../ui/meter.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Cancel } from '../jobs/cancel.tsx'
import { importedClicksOf, isUndoable, kindOf, numbersOf } from '../jobs/kind.ts'
import { JobName } from '../jobs/name.tsx'
import { isOver, type Job, jobQuery } from '../jobs/queries.ts'
import { UndoImport } from '../jobs/undo-import.tsx'
import { Rows } from './rows.tsx'

const route = getRouteApi('/shell/import')

/** The progress and result of an import, which continues when the page is left. */
export function JobView({
  id,
  writable,
  starting,
  onImport,
  onRepeat,
}: {
  id: string
  writable: boolean
  starting: boolean
  /** Imports the file of a dry run, which the server has kept. */
  onImport: () => void
  /** Imports what was checked by asking for it again. Absent: that isn't possible. */
  onRepeat: (() => void) | undefined
}) {
  const { workspace } = usePlace()
  const client = useQueryClient()
  const job = useQuery(jobQuery(workspace.id, id))
  const over = job.data !== undefined && isOver(job.data)
  useEffect(() => {
    // Invalidates the lists.
    if (over) void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'links') })
  }, [over, client, workspace.id])

  if (job.data === undefined) {
    return job.error ? <Problem error={job.error} onRetry={() => job.refetch()} /> : null
  }
  return (
    <div className="flex flex-col gap-6">
      {over ? <Result job={job.data} /> : <Running job={job.data} writable={writable} />}
      {over && writable ? (
        <NextSteps
          job={job.data}
          starting={starting}
          onImport={isKept(job.data) ? onImport : onRepeat}
        />
      ) : null}
      {over ? <Rows job={job.data} /> : null}
    </div>
  )
}

/** Whether the server still has the file of a dry run. */
function isKept({ result }: Job): boolean {
  const until = result?.kept_until
  return until !== undefined && Date.parse(until) > Date.now()
}

function Running({ job, writable }: { job: Job; writable: boolean }) {
  const { t } = useI18n()
  const { done, total } = job.progress
  const title = t(`jobs.kind.${kindOf(job)}`)
  return (
    <Card className="flex flex-col gap-3 p-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 font-medium [overflow-wrap:anywhere]" role="status">
          {title}
          <JobName job={job} />
        </p>
        {writable ? <Cancel job={job} /> : null}
      </div>
      <Progress value={done} max={total} label={title} />
      <p className="tabular text-muted text-sm">
        {total === null ? t(`jobs.state.${job.status}`) : t('jobs.progress', { done, total })}
      </p>
      <p className="text-faint text-sm">{t('imports.leave')}</p>
    </Card>
  )
}

function Result({ job }: { job: Job }) {
  const { t, format } = useI18n()
  const title = t(`jobs.kind.${kindOf(job)}`)
  const clicks = importedClicksOf(job)
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="font-medium [overflow-wrap:anywhere]">
        {job.error?.message ?? `${title} · ${t(`jobs.state.${job.status}`)}`}
        <JobName job={job} />
      </p>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {numbersOf(job).map(({ name, count }) => (
          <div key={name} className="rounded-md border border-line px-4 py-3">
            <dt className="text-muted text-sm">{t(`imports.number.${name}`)}</dt>
            <dd className="tabular font-semibold text-xl">{format.number(count)}</dd>
          </div>
        ))}
      </dl>
      {clicks > 0 ? (
        <p className="text-muted text-sm">{t('imports.clicks', { count: clicks })}</p>
      ) : null}
    </div>
  )
}

function NextSteps({
  job,
  starting,
  onImport,
}: {
  job: Job
  starting: boolean
  /** Absent: the checked data is no longer available. */
  onImport: (() => void) | undefined
}) {
  const { t } = useI18n()
  const navigate = route.useNavigate()
  const kind = kindOf(job)
  const { created = 0, updated = 0 } = job.result ?? {}
  const changes = created + updated
  if (kind === 'undo') {
    return (
      <Link to="/links" className={buttonClass('secondary', 'md', 'self-start')}>
        {t('common.toLinks')}
      </Link>
    )
  }
  if (kind === 'check') {
    const started = job.result?.import_id
    if (started !== undefined) {
      return (
        <Link
          to="/import"
          search={{ job: started }}
          className={buttonClass('secondary', 'md', 'self-start')}
        >
          {t('imports.view')}
        </Link>
      )
    }
    if (onImport === undefined) {
      return <p className="text-muted text-sm">{t('imports.chooseAgain')}</p>
    }
    return (
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={changes === 0} loading={starting} onClick={onImport}>
          {t('imports.start')}
        </Button>
        <Button onClick={() => void navigate({ search: {} })}>{t('imports.back')}</Button>
      </div>
    )
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/links" className={buttonClass('primary')}>
        {t('common.toLinks')}
      </Link>
      {isUndoable(job) ? (
        <UndoImport
          job={job}
          label={t('imports.undo')}
          onStarted={(undo) => void navigate({ search: { job: undo.id } })}
        />
      ) : null}
    </div>
  )
}
