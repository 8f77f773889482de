import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useGroupsChanged } from '../features/groups/use-tags.ts'
import { Cancel } from '../features/jobs/cancel.tsx'
import { isUndoable, kindOf, undoneBy } from '../features/jobs/kind.ts'
import { JobName } from '../features/jobs/name.tsx'
import { isOver, type Job, newestQuery } from '../features/jobs/queries.ts'
import { UndoLinks } from '../features/jobs/undo-links.tsx'
import { useI18n } from '../i18n/index.tsx'
import { IconButton } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Progress } from '../ui/meter.tsx'
import { NOTICE } from '../ui/popup.ts'
import { usePlace } from './workspace.tsx'

/** The server's running jobs, and those that ended while the page was open. */
export function ServerJobs() {
  const { workspace } = usePlace()
  const groupsChanged = useEffectEvent(useGroupsChanged())
  const jobs = useQuery(newestQuery(workspace.id)).data?.data
  // These pages show the jobs themselves.
  const isShown = useLocation({ select: ({ pathname }) => /\/(jobs|import)$/.test(pathname) })
  const [watched, setWatched] = useState<ReadonlySet<string>>(new Set())
  const open = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (jobs === undefined) return
    const running = jobs.filter((job) => !isOver(job)).map(({ id }) => id)
    const ended = [...open.current].some((id) => !running.includes(id))
    open.current = new Set(running)
    setWatched((before) => new Set(isShown ? [] : [...before, ...running]))
    // Shows what they have changed.
    if (ended) void groupsChanged()
  }, [jobs, isShown])
  const dismiss = (id: string) =>
    setWatched((before) => new Set([...before].filter((one) => one !== id)))
  if (isShown) return null
  const undone = new Set(jobs?.map(undoneBy))
  return jobs
    ?.filter((job) => watched.has(job.id) && !undone.has(job.id))
    .map((job) => <JobCard key={job.id} job={job} onDismiss={() => dismiss(job.id)} />)
}

function JobCard({ job, onDismiss }: { job: Job; onDismiss: () => void }) {
  const { t } = useI18n()
  const { may } = usePlace()
  const { status, progress, error } = job
  const kind = t(`jobs.kind.${kindOf(job)}`)
  return (
    <section aria-label={kind} className={cx(NOTICE, 'flex flex-col gap-2 py-2.5')}>
      <div className="flex items-center justify-between gap-2">
        <p className="min-w-0 font-medium [overflow-wrap:anywhere]" role="status">
          {isOver(job) ? `${kind} · ${t(`jobs.state.${status}`)}` : kind}
          <JobName job={job} />
        </p>
        {isOver(job) ? (
          <div className="flex items-center gap-1">
            {kindOf(job) === 'links' && isUndoable(job) && may('links:write') ? (
              <UndoLinks job={job} onStarted={onDismiss} />
            ) : null}
            <IconButton size="sm" label={t('common.close')} icon={<X />} onClick={onDismiss} />
          </div>
        ) : may('links:write') ? (
          <Cancel job={job} />
        ) : null}
      </div>
      <div className="flex flex-col gap-1.5 pe-2">
        <Progress value={progress.done} max={progress.total} label={kind} />
        <p className="tabular flex flex-wrap justify-between gap-x-3 text-faint text-xs">
          <span>
            {progress.total === null
              ? null
              : t('jobs.progress', { done: progress.done, total: progress.total })}
            {progress.failed > 0 ? ` · ${t('jobs.failed', { count: progress.failed })}` : ''}
          </span>
          <Link
            to="/jobs"
            className="-my-1 inline-flex min-h-6 items-center text-accent-text underline underline-offset-2"
          >
            {t('jobs.all')}
          </Link>
        </p>
        {error === null ? null : <p className="text-bad text-sm">{error.message}</p>}
      </div>
    </section>
  )
}
