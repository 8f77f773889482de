import type { AuditEntry } from './queries.ts'

/** Entries shown as one: the same action by the same person, in quick succession. */
export type Run = readonly AuditEntry[]

/** Shorter runs are shown one by one. */
const FOLDED_MIN = 4
const APART_MS = 60_000

/** Entries, the newest first, by the day of the person's time zone, and folded within it. */
export function daysOf(entries: readonly AuditEntry[]): { day: string; runs: Run[] }[] {
  const days = Map.groupBy(entries, ({ created_at }) => new Date(created_at).toDateString())
  return [...days].map(([day, all]) => ({ day, runs: runsOf(all) }))
}

function runsOf(entries: readonly AuditEntry[]): Run[] {
  const runs: AuditEntry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run !== undefined && before !== undefined && belongs(entry, before)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap((run) => (run.length < FOLDED_MIN ? run.map((entry) => [entry]) : [run]))
}

function belongs(entry: AuditEntry, newer: AuditEntry): boolean {
  return (
    // A job has its own changes.
    entry.changes === 0 &&
    newer.changes === 0 &&
    entry.action === newer.action &&
    entry.actor.type === newer.actor.type &&
    entry.actor.id === newer.actor.id &&
    Date.parse(newer.created_at) - Date.parse(entry.created_at) < APART_MS
  )
}
