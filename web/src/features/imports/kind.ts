import type { Job } from './calls.ts'

/** What a job of imports does. */
export function kindOf({ type }: Pick<Job, 'type'>): 'check' | 'import' | 'undo' {
  if (type === 'imports.undo') return 'undo'
  return type.endsWith('.dry_run') ? 'check' : 'import'
}
