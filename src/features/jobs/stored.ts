import { isObject } from '../../lib/validation/checked.ts'
import type { JobRow } from './store.ts'
import type { Checkpoint, Job } from './types.ts'

/** A job in the form that handlers get, and how many requests it owes for its last step. */
export function jobOf(row: JobRow): { job: Job; owed: number } {
  const { id, workspace_no: workspaceNo, actor, input, done, total, failed } = row
  const stored: unknown = JSON.parse(row.state ?? 'null')
  const { owed = 0, ...members } = (isObject(stored) ? stored : {}) as { owed?: number }
  const job = {
    id,
    workspaceNo,
    actor: JSON.parse(actor),
    input: JSON.parse(input),
    startedAt: row.started_at ?? row.created_at,
    state: isObject(stored) ? members : stored,
    progress: { done, total, failed },
  }
  return { job, owed }
}

/** What a checkpoint stores. What the job owes is a member of its state: it survives the process. */
export function columnsOf(
  { progress, state, result }: Checkpoint<unknown>,
  owed: number,
): Partial<JobRow> {
  const stored = owed > 0 && isObject(state) ? { ...(state as object), owed } : state
  return {
    ...progress,
    ...(state !== undefined && { state: JSON.stringify(stored) }),
    ...(result !== undefined && { result: JSON.stringify(result) }),
  }
}
