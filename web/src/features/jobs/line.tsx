import { Link } from '@tanstack/react-router'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Progress } from '../../ui/meter.tsx'
import { Parts } from '../../ui/parts.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { usePerson } from '../members/person.tsx'
import { Cancel } from './cancel.tsx'
import { importedClicksOf, isUndoable, kindOf, numbersOf, TONES, undoneBy } from './kind.ts'
import { JobName } from './name.tsx'
import { isOver, type Job } from './queries.ts'
import { UndoImport } from './undo-import.tsx'
import { UndoLinks } from './undo-links.tsx'

/** Jobs, one per row. */
export function JobLines({ jobs }: { jobs: readonly Job[] }) {
  const undone = new Set(jobs.map(undoneBy))
  return (
    <ul className="border-line border-t">
      {jobs.map((job) => (
        <JobLine key={job.id} job={job} undone={undone.has(job.id)} />
      ))}
    </ul>
  )
}

/** A job: what it does, who started it, its progress and result. */
function JobLine({ job, undone }: { job: Job; undone: boolean }) {
  const { t } = useI18n()
  const { may } = usePlace()
  const { name, detail } = usePerson(job.actor)
  const kind = kindOf(job)
  const title = t(`jobs.kind.${kind}`)
  const { done, total, failed } = job.progress
  const numbers = numbersOf(job).filter(({ count }) => count > 0)
  const told = isOver(job)
    ? numbers.map((each) =>
        t('common.labelled', { label: t(`imports.number.${each.name}`), value: each.count }),
      )
    : []
  const clicks = importedClicksOf(job)
  if (isOver(job) && clicks > 0) told.push(t('imports.clicks', { count: clicks }))
  if (told.length === 0 && total !== null) told.push(t('jobs.progress', { done, total }))
  if (numbers.length === 0 && failed > 0) told.push(t('jobs.failed', { count: failed }))
  return (
    <li className="flex flex-col gap-1.5 border-line border-b py-3">
      <div className="flex items-start gap-3">
        <div className="flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          {kind.startsWith('links') || kind === 'other' ? (
            <span className="font-medium">{title}</span>
          ) : (
            <Link
              to="/import"
              search={{ job: job.id }}
              className="inline-flex min-h-6 items-center rounded-xs font-medium underline-offset-2 hover:underline"
            >
              <span className="[overflow-wrap:anywhere]">
                {title}
                <JobName job={job} />
              </span>
            </Link>
          )}
          <Chip tone={TONES[job.status]}>{t(`jobs.state.${job.status}`)}</Chip>
          {undone ? <Chip>{t('jobs.undone')}</Chip> : null}
        </div>
        {may('links:write') && !isOver(job) ? <Cancel job={job} /> : null}
        {!may('links:write') || !isUndoable(job) || undone ? null : kind === 'links' ? (
          <UndoLinks job={job} />
        ) : (
          <UndoImport job={job} size="sm" label={t('common.undo')} />
        )}
      </div>
      {isOver(job) ? null : <Progress value={done} max={total} label={title} />}
      <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-muted text-sm">
        {told.length === 0 ? null : (
          <span className="tabular">
            <Parts>{told}</Parts>
          </span>
        )}
        <span className="text-faint">
          <Parts>
            <span className="[overflow-wrap:anywhere]" title={detail}>
              {t('jobs.by', { name })}
            </span>
            <RelativeTime time={job.created_at} />
          </Parts>
        </span>
      </p>
      {job.error === null ? null : <p className="text-bad text-sm">{job.error.message}</p>}
    </li>
  )
}
