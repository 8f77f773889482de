import { type Actor, recordChange } from '../audit/index.ts'
import type { Transaction } from '../storage/index.ts'
import { isoOrNull } from './schemas.ts'
import { freeSlots, type KeyRow, listKeys, revokeKey } from './store.ts'

/**
 * Revokes what a person has made of a workspace's keys, in the transaction that takes their access
 * away. The workspace is locked already.
 */
export async function revokeKeysOf(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
  actor: Actor,
  now: number,
): Promise<void> {
  for (const key of await listKeys(tx, workspaceNo)) {
    if (key.created_by === userId) await endKey(tx, key, actor, now)
  }
}

/** Ends a key for good. False: it was revoked before. */
export async function endKey(
  tx: Transaction,
  key: KeyRow,
  actor: Actor,
  now: number,
): Promise<boolean> {
  if (!(await revokeKey(tx, key.id, now))) return false
  // A key that was rotated has passed its slot on.
  if (key.successor_id === null) await freeSlots(tx, key.workspace_no)
  await recordChange(tx, actor, {
    workspaceNo: key.workspace_no,
    at: now,
    action: 'api_key.revoked',
    target: { type: 'api_key', id: key.id, label: key.name },
    before: { revoked_at: null },
    after: { revoked_at: isoOrNull(now) },
  })
  return true
}
