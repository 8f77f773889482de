import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type Actor, type AuditAction, recordChange } from '../audit/index.ts'
import type { JobRow } from './store.ts'

/** An action that records the end of a job. */
export type EndAction = Extract<AuditAction, `import.${string}`>

/** These actions by the types of jobs; other types have none. */
export type EndActions = ReadonlyMap<string, EndAction>

/** What a job is about, for people. Inputs of other types can be large. */
export function nameOf({ type, input }: Pick<JobRow, 'type' | 'input'>): string | null {
  if (!type.startsWith('imports.')) return null
  return (JSON.parse(input) as { name?: string | null }).name ?? null
}

/** Records the end of a job in the transaction that ends it, which has locked the workspace. */
export async function recordEnd(
  tx: Transaction,
  actions: EndActions,
  row: JobRow,
  at: number,
): Promise<void> {
  const action = actions.get(row.type)
  if (action === undefined) return
  const { id, type, status, done, total, failed } = row
  const actor = JSON.parse(row.actor) as Actor
  const name = nameOf(row)
  await recordChange(tx, actor, {
    workspaceNo: row.workspace_no,
    at,
    action,
    target: { type: 'import', id, label: type },
    ...(name !== null && { after: { name } }),
    // Without the names of people and the sentence about an error, which depend on the reader.
    object: {
      id,
      type,
      status,
      progress: { done, total, failed },
      result: row.result === null ? null : JSON.parse(row.result),
      error: row.error === null ? null : { code: JSON.parse(row.error).code },
      created_by: { type: actor.type, id: actor.id },
      created_at: formatTimestamp(row.created_at),
      started_at: formatTimestamp(row.started_at),
      finished_at: formatTimestamp(row.finished_at),
    },
  }).catch((error) => {
    // The workspace was deleted in the meantime.
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
  })
}
