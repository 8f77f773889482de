import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { More } from '../../ui/more.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Entry } from './entry.tsx'
import { type AuditEntry, changesQuery } from './queries.ts'
import { daysOf, type Run } from './runs.ts'

interface Narrow {
  onActor: (actor: string) => void
  onTarget: (target: string) => void
}

/** The log by day; repeated actions of one person are folded. */
export function Days({ entries, ...narrow }: { entries: readonly AuditEntry[] } & Narrow) {
  const { t, format } = useI18n()
  return (
    <div className="flex flex-col gap-6">
      {daysOf(entries).map(({ day, runs }) => (
        <section key={day} aria-label={format.date(runs[0]?.[0]?.created_at ?? day)}>
          <h2 className="sticky top-0 z-10 border-line border-b bg-canvas py-2 font-medium text-muted text-sm">
            {format.date(runs[0]?.[0]?.created_at ?? day)}
          </h2>
          <ol aria-label={t('audit.title')}>
            {runs.map((run) => (
              <RunOfEntries key={run[0]?.id} run={run} {...narrow} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

/** The changes of a job. */
function JobChanges({ id, ...narrow }: { id: string } & Narrow) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const changes = useInfiniteQuery(changesQuery(workspace.id, id))
  return (
    <li className="border-line border-b ps-4 pb-3 sm:ps-12">
      <Answer of={changes} loading={<SkeletonRows count={3} />}>
        {(entries) => (
          <ol>
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} {...narrow} />
            ))}
          </ol>
        )}
      </Answer>
      <More list={changes} label={t('audit.more')} />
    </li>
  )
}

function RunOfEntries({ run, ...narrow }: { run: Run } & Narrow) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const [first, ...others] = run
  if (first === undefined) return null
  return (
    <>
      <Entry
        entry={first}
        {...narrow}
        more={
          first.changes > 0 ? (
            <button
              type="button"
              className="min-h-6 text-muted text-sm underline-offset-2 hover:underline"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t('audit.changes', { count: first.changes })}
            </button>
          ) : others.length === 0 ? null : (
            <button
              type="button"
              className="min-h-6 text-muted text-sm underline-offset-2 hover:underline"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t('audit.alike', { count: others.length })}
            </button>
          )
        }
      />
      {open && first.changes > 0 ? <JobChanges id={first.id} {...narrow} /> : null}
      {open ? others.map((entry) => <Entry key={entry.id} entry={entry} {...narrow} />) : null}
    </>
  )
}
