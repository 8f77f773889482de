import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import type { AuditEntry } from './calls.ts'
import { Entry } from './entry.tsx'
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
          others.length === 0 ? null : (
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
      {open ? others.map((entry) => <Entry key={entry.id} entry={entry} {...narrow} />) : null}
    </>
  )
}
