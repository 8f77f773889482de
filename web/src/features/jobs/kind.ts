import type { Tone } from '../../ui/chip.tsx'
import type { Job } from './calls.ts'

export type Kind = 'check' | 'import' | 'undo' | 'links' | 'other'

/** What a job does. */
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

/** The numbers of a result of imports, in the order in which they are shown. */
const NUMBERS = ['created', 'updated', 'skipped', 'refused', 'deleted', 'restored', 'kept'] as const

/** What came of an import so far, by name. */
export function numbersOf({ result }: Pick<Job, 'result'>) {
  const numbers = (result ?? {}) as Partial<Record<(typeof NUMBERS)[number], number>>
  return NUMBERS.flatMap((name) => {
    const count = numbers[name]
    return count === undefined ? [] : [{ name, count }]
  })
}

/** Whether there is something of an import that can be taken back. */
export function isUndoable(job: Job): boolean {
  const { created = 0, updated = 0 } = (job.result ?? {}) as { created?: number; updated?: number }
  return kindOf(job) === 'import' && job.finished_at !== null && created + updated > 0
}

/** The id of the import that a job takes back; null: it takes back none, or has failed to. */
export function undoneBy(job: Job): string | null {
  if (kindOf(job) !== 'undo' || job.status !== 'succeeded') return null
  return (job.result as { import_id?: string } | null)?.import_id ?? null
}
