import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { type Job, recentQuery } from './calls.ts'
import { kindOf } from './kind.ts'

const TONES: Readonly<Record<Job['status'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'neutral',
}

/** The imports of late: the way back to one that was left. */
export function Recent() {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const { data = [] } = useQuery(recentQuery(workspace.id))
  if (data.length === 0) return null
  return (
    <Section title={t('imports.recent')}>
      <ul className="flex flex-col">
        {data.map((job) => (
          <li key={job.id} className="border-line border-b">
            <Link
              to="/import"
              search={{ job: job.id }}
              className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-1 py-2 hover:bg-hover"
            >
              <span className="min-w-40 flex-1 font-medium">
                {t(`imports.kind.${kindOf(job)}`)}
              </span>
              <Chip tone={TONES[job.status]}>{t(`imports.state.${job.status}`)}</Chip>
              <span className="tabular text-muted text-sm">
                {format.number(job.progress.total ?? job.progress.done)}
              </span>
              <span className="text-faint text-sm">
                <RelativeTime time={job.created_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
