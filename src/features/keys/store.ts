import { AppError } from '../../lib/errors/index.ts'
import type { ApiKeysTable, Millis, Sql, Transaction } from '../../platform/storage/index.ts'

/** A key's row with its workspace, its creator (null: no such account) and its successor's id. */
export type KeyRow = Awaited<ReturnType<typeof listKeys>>[number]

/** What a new key's row holds. */
export type NewKeyRow = Omit<ApiKeysTable, 'revoked_at' | 'last_used_at'>

function keys(sql: Sql) {
  return sql.db
    .selectFrom('api_keys as k')
    .innerJoin('workspaces as w', 'w.no', 'k.workspace_no')
    .select(['k.id', 'k.prefix', 'k.name', 'k.scopes', 'k.created_by', 'k.created_at'])
    .select(['k.expires_at', 'k.revoked_at', 'k.last_used_at', 'k.rotated_from', 'k.workspace_no'])
    .select('k.restrictions')
    .select(['w.id as workspace_id', 'w.name as workspace_name'])
    .leftJoin('users as u', 'u.id', 'k.created_by')
    .select(['u.email as creator_email', 'u.name as creator_name'])
    .select((e) =>
      e
        .selectFrom('api_keys as s')
        .select('s.id')
        .whereRef('s.workspace_no', '=', 'k.workspace_no')
        .whereRef('s.rotated_from', '=', 'k.id')
        .limit(1)
        .as('successor_id'),
    )
}

/** Keys of a workspace, or of all, oldest first. */
export function listKeys(sql: Sql, workspaceNo: number | undefined) {
  let query = keys(sql)
  if (workspaceNo !== undefined) query = query.where('k.workspace_no', '=', workspaceNo)
  return query.orderBy('k.workspace_no').orderBy('k.created_at').orderBy('k.id').execute()
}

/**
 * A page of a workspace's keys, newest first: those older than `below`. Without `revoked`, only
 * those that aren’t revoked; expired keys are among them.
 */
export function pageOfKeys(
  sql: Sql,
  workspaceNo: number,
  { below, revoked, limit }: { below: string | null; revoked: boolean; limit: number },
) {
  let query = keys(sql).where('k.workspace_no', '=', workspaceNo)
  if (below !== null) query = query.where('k.id', '<', below)
  if (!revoked) {
    // Equal if the key expired: see `takeSlot`.
    query = query.where((e) =>
      e.or([e('k.revoked_at', 'is', null), e('k.revoked_at', '=', e.ref('k.expires_at'))]),
    )
  }
  return query.orderBy('k.id', 'desc').limit(limit).execute()
}

/** Changes a key. */
export async function updateKey(
  tx: Transaction,
  id: string,
  changes: Pick<ApiKeysTable, 'name' | 'restrictions'>,
): Promise<void> {
  await tx.db.updateTable('api_keys').set(changes).where('id', '=', id).execute()
}

/** The key of that id, or of those 8 public characters. */
export function findKey(sql: Sql, ref: string, workspaceNo: number | undefined) {
  let query = keys(sql).where((e) => e.or([e('k.id', '=', ref), e('k.prefix', '=', ref)]))
  if (workspaceNo !== undefined) query = query.where('k.workspace_no', '=', workspaceNo)
  return query.executeTakeFirst()
}

/** False: these 8 public characters are taken. */
export async function insertKey(tx: Transaction, row: NewKeyRow): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('api_keys')
    .values({ ...row, revoked_at: null, last_used_at: null })
    .onConflict((conflict) => conflict.column('prefix').doNothing())
    .returning('id')
    .execute()
  return inserted.length > 0
}

/** False: it was revoked already. */
export async function revokeKey(tx: Transaction, id: string, at: Millis): Promise<boolean> {
  const revoked = await tx.db
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return revoked.length > 0
}

/**
 * Takes a slot for a key of the workspace, or throws. `workspaces.api_keys_count` counts the slots
 * in use: one per unrevoked key, except rotated ones, whose slot their successor has. Expiry needs
 * no transaction, so expired keys release their slots here, when one is needed.
 * @throws AppError PLAN_LIMIT_REACHED with API_KEYS_LIMIT.
 */
export async function takeSlot(
  tx: Transaction,
  plans: { of(planId: string): { limits: { api_keys: number | null } } },
  workspaceNo: number,
  now: Millis,
): Promise<void> {
  const workspace = await tx.db
    .selectFrom('workspaces')
    .select('plan_id')
    .where('no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  const limit = plans.of(workspace.plan_id).limits.api_keys
  if (await useSlots(tx, workspaceNo, 1, limit)) return
  await useSlots(tx, workspaceNo, -(await closeExpired(tx, workspaceNo, now)))
  if (await useSlots(tx, workspaceNo, 1, limit)) return
  throw new AppError('PLAN_LIMIT_REACHED', {
    details: [{ field: 'api_keys', code: 'API_KEYS_LIMIT', params: { limit: limit ?? 0 } }],
  })
}

/** Adds `count`, maybe negative, to the slots in use. False: `limit` is reached; null: none. */
export async function useSlots(
  tx: Transaction,
  workspaceNo: number,
  count: number,
  limit: number | null = null,
): Promise<boolean> {
  let query = tx.db
    .updateTable('workspaces')
    .set((e) => ({ api_keys_count: e('api_keys_count', '+', count) }))
    .where('no', '=', workspaceNo)
  if (limit !== null) query = query.where('api_keys_count', '<', limit)
  return (await query.returning('no').execute()).length > 0
}

/**
 * Marks expired keys as ended at their expiry, so that each releases its slot once. Returns how
 * many. So `revoked_at` equal to `expires_at` means expired, not revoked.
 */
async function closeExpired(tx: Transaction, workspaceNo: number, now: Millis): Promise<number> {
  const closed = await tx.db
    .updateTable('api_keys')
    .set((e) => ({ revoked_at: e.ref('expires_at') }))
    .where('workspace_no', '=', workspaceNo)
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('api_keys as successor')
            .select('successor.id')
            .where('successor.workspace_no', '=', workspaceNo)
            .whereRef('successor.rotated_from', '=', 'api_keys.id'),
        ),
      ),
    )
    .returning('id')
    .execute()
  return closed.length
}
