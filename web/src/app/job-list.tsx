import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { errorText } from '../ui/errors.ts'
import { Progress } from '../ui/meter.tsx'
import { NOTICE } from '../ui/popup.ts'
import { dismissJob, type Job, jobStore, stopJob } from './jobs.ts'
import { ServerJobs } from './server-jobs.tsx'

/** The client's running jobs, on every page until they are dismissed. */
export function JobList() {
  const jobs = useSyncExternalStore(jobStore.subscribe, jobStore.get)
  return (
    // On a phone, toasts take its place while they are shown.
    <div className="pointer-events-none fixed start-4 end-4 bottom-[calc(4.5rem+env(safe-area-inset-bottom))] z-30 flex flex-col gap-2 *:pointer-events-auto max-sm:in-[body:has([data-toast])]:invisible sm:start-auto sm:end-6 sm:w-90 md:bottom-6">
      {jobs.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
      <ServerJobs />
    </div>
  )
}

function JobCard({ job }: { job: Job }) {
  const i18n = useI18n()
  const { t } = i18n
  const running = job.state === 'running'
  const title = running ? job.title : job.doneTitle
  return (
    <section aria-label={title} className={cx(NOTICE, 'flex flex-col gap-2 py-2.5')}>
      <div className="flex items-center justify-between gap-2">
        <p className="font-medium" role="status">
          {title}
        </p>
        {running ? (
          <Button size="sm" variant="ghost" onClick={() => stopJob(job.id)}>
            {t('jobs.stop')}
          </Button>
        ) : (
          <div className="flex items-center gap-1">
            {job.undo ? (
              <Button size="sm" onClick={job.undo}>
                {t('common.undo')}
              </Button>
            ) : null}
            <IconButton
              size="sm"
              label={t('common.close')}
              icon={<X />}
              onClick={() => dismissJob(job.id)}
            />
          </div>
        )}
      </div>
      <div className={cx('flex flex-col gap-1.5 pe-2', job.done === job.total && 'hidden')}>
        <Progress value={job.done + job.failed} max={job.total} label={title} />
        <p className="tabular text-faint text-xs">
          {t('jobs.progress', { done: job.done, total: job.total })}
          {job.failed > 0 ? ` · ${t('jobs.failed', { count: job.failed })}` : ''}
        </p>
        {job.error === null ? null : (
          <p className="text-bad text-sm">{errorText(job.error, i18n)}</p>
        )}
      </div>
    </section>
  )
}
