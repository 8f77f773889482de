import { AppError } from '../errors/index.ts'
import { SEQS_PER_WORKSPACE, type Transaction } from '../storage/index.ts'
import { type AuditRow, insertEntry, takeEntryNumber, takeInstanceEntryNumber } from './store.ts'
import { type Actor, type Change, type Fields, INSTANCE } from './types.ts'

/**
 * Writes down a change in the transaction that makes it: either both stand, or neither.
 *
 * @param n the entry's number, where the caller has raised `workspaces.audit_made` itself.
 * @throws AppError NOT_FOUND: the workspace has been deleted meanwhile.
 */
export async function recordChange(
  tx: Transaction,
  actor: Actor,
  change: Change,
  n?: number,
): Promise<void> {
  const { workspaceNo } = change
  const number =
    n ??
    (workspaceNo === INSTANCE
      ? await takeInstanceEntryNumber(tx)
      : await takeEntryNumber(tx, workspaceNo))
  if (number === undefined) throw new AppError('NOT_FOUND')
  await insertEntry(tx, {
    seq: workspaceNo * SEQS_PER_WORKSPACE + number,
    ...entryRowOf(actor, change),
  })
}

/** What an entry's row holds besides its number. */
export function entryRowOf(actor: Actor, change: Change): Omit<AuditRow, 'seq'> {
  const { target } = change
  return {
    at: change.at,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_label: actor.label,
    action: change.action,
    target_type: target.type,
    target_id: target.id,
    target_label: target.label,
    version: change.version ?? null,
    before: stored(change.before),
    after: stored(change.after),
    request_id: actor.requestId,
  }
}

function stored(fields: Fields): string {
  for (const _ in fields) return JSON.stringify(fields)
  return '{}'
}

/** The fields in which two states differ: as they were, and as they are. */
export function changedFields<F extends Fields>(
  before: F,
  after: F,
): { before: Fields; after: Fields } {
  const was: Record<string, unknown> = {}
  const is: Record<string, unknown> = {}
  for (const name of Object.keys(after)) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue
    was[name] = before[name]
    is[name] = after[name]
  }
  return { before: was, after: is }
}
