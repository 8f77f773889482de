import type { Tone } from '../../ui/chip.tsx'
import type { Job } from './calls.ts'

export type Kind = 'check' | 'import' | 'undo' | 'links' | 'other'

/** The kind of a job. */
export function kindOf({ type }: Pick<Job, 'type'>): Kind {
  if (type === 'imports.undo') return 'undo'
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

/** Whether an import can be undone. */
export function isUndoable(job: Job): boolean {
  const { created = 0, updated = 0 } = job.result ?? {}
  return kindOf(job) === 'import' && job.finished_at !== null && created + updated > 0
}

/** The id of the import that a job undoes; null: none, or it failed. */
export function undoneBy(job: Job): string | null {
  if (kindOf(job) !== 'undo' || job.status !== 'succeeded') return null
  return job.result?.import_id ?? null
}
