import type { Tone } from '../../ui/chip.tsx'
import type { Job } from './queries.ts'

export type Kind = 'check' | 'import' | 'undo' | 'links' | 'linksUndo' | 'other'

/** The kind of a job. */
export function kindOf({ type }: Pick<Job, 'type'>): Kind {
  if (type === 'imports.undo') return 'undo'
  if (type === 'links.by_filter.undo') return 'linksUndo'
  if (type.startsWith('imports.')) return type.endsWith('.dry_run') ? 'check' : 'import'
  return type.startsWith('links.') ? 'links' : 'other'
}

export const TONES: Readonly<Record<Job['status'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'neutral',
}

/** The counts of an import's result, in the order shown. */
const NUMBERS = ['created', 'updated', 'skipped', 'refused', 'deleted', 'restored', 'kept'] as const

/** The counts of an import so far, by name. */
export function numbersOf({ result }: Pick<Job, 'result'>) {
  const numbers = (result ?? {}) as Partial<Record<(typeof NUMBERS)[number], number>>
  return NUMBERS.flatMap((name) => {
    const count = numbers[name]
    return count === undefined ? [] : [{ name, count }]
  })
}

/** The clicks that came along with an import's links. */
export function importedClicksOf({ result }: Pick<Job, 'result'>): number {
  return (result as { imported_clicks?: number } | null)?.imported_clicks ?? 0
}

/** Whether a job has changed links, which can be undone. */
export function isUndoable(job: Job): boolean {
  const { created = 0, updated = 0, succeeded = 0 } = job.result ?? {}
  if (job.finished_at === null) return false
  return kindOf(job) === 'links' ? succeeded > 0 : kindOf(job) === 'import' && created + updated > 0
}

/** The id of the job that a job undoes; null: none, or it failed. */
export function undoneBy(job: Job): string | null {
  if (job.status !== 'succeeded') return null
  const { import_id = null, job_id = null } = job.result ?? {}
  const kind = kindOf(job)
  return kind === 'undo' ? import_id : kind === 'linksUndo' ? job_id : null
}
