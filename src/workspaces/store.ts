import { sql as raw, type Selectable } from 'kysely'
import type { DeletedWorkspacesTable, Sql, Transaction, WorkspacesTable } from '../storage/index.ts'

/** A workspace's row. */
export type WorkspaceRow = Selectable<WorkspacesTable>

/** All of them, oldest first. */
export async function listWorkspaces(sql: Sql): Promise<WorkspaceRow[]> {
  return sql.db.selectFrom('workspaces').selectAll().orderBy('no').execute()
}

/** The one of that id. */
export async function workspaceById(sql: Sql, id: string): Promise<WorkspaceRow | undefined> {
  return sql.db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those of that name without regard to case; two are enough to say that it is ambiguous. */
export async function workspacesByName(sql: Sql, key: string): Promise<WorkspaceRow[]> {
  return sql.db.selectFrom('workspaces').selectAll().where('name_key', '=', key).limit(2).execute()
}

/** The new row. */
export async function insertWorkspace(
  tx: Transaction,
  row: Pick<WorkspaceRow, 'id' | 'name' | 'name_key' | 'plan_id' | 'created_at'>,
): Promise<WorkspaceRow> {
  return tx.db
    .insertInto('workspaces')
    .values({ ...row, language: null })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Puts a workspace on a plan. */
export async function updatePlan(tx: Transaction, no: number, planId: string): Promise<void> {
  await tx.db.updateTable('workspaces').set({ plan_id: planId }).where('no', '=', no).execute()
}

/** Takes a member's place; false when `limit` places are taken. A null limit is none. */
export async function takeMemberPlace(
  tx: Transaction,
  no: number,
  limit: number | null,
): Promise<boolean> {
  let query = tx.db
    .updateTable('workspaces')
    .set((e) => ({ members_count: e('members_count', '+', 1) }))
    .where('no', '=', no)
  if (limit !== null) query = query.where('members_count', '<', limit)
  return (await query.returning('no').execute()).length > 0
}

/** Makes a user a member; the place was taken before. False: they are one already. */
export async function insertMember(
  tx: Transaction,
  row: { workspace_no: number; user_id: string; role: string; created_at: number },
): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_no', 'user_id']).doNothing())
    .returning('user_id')
    .execute()
  return inserted.length > 0
}

/** Workspaces whose number is below `below`, the newest first; by id, or by a part of the name. */
export async function searchWorkspaces(
  sql: Sql,
  wanted: { id?: string; part?: string; below: number | null; limit: number },
): Promise<WorkspaceRow[]> {
  let query = sql.db.selectFrom('workspaces').selectAll()
  if (wanted.id !== undefined) query = query.where('id', '=', wanted.id)
  if (wanted.part !== undefined) {
    const pattern = `%${wanted.part.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(raw<boolean>`name_key LIKE ${pattern} ESCAPE ${'\\'}`)
  }
  if (wanted.below !== null) query = query.where('no', '<', wanted.below)
  return query.orderBy('no', 'desc').limit(wanted.limit).execute()
}

/** Deletes a workspace with its keys, members and invitations; not its links. */
export async function deleteWorkspaceRows(tx: Transaction, no: number): Promise<void> {
  await tx.db.deleteFrom('api_keys').where('workspace_no', '=', no).execute()
  await tx.db.deleteFrom('invitations').where('workspace_no', '=', no).execute()
  await tx.db.deleteFrom('members').where('workspace_no', '=', no).execute()
  await tx.db.deleteFrom('workspaces').where('no', '=', no).execute()
}

/** Remembers a workspace that is gone. */
export async function keepDeletedWorkspace(
  tx: Transaction,
  row: DeletedWorkspacesTable,
): Promise<void> {
  await tx.db.insertInto('deleted_workspaces').values(row).execute()
}

/** The numbers of the workspaces that are gone and have left something behind. */
export async function workspacesToPurge(sql: Sql): Promise<number[]> {
  const rows = await sql.db
    .selectFrom('deleted_workspaces')
    .select('no')
    .where('purged_at', 'is', null)
    .execute()
  return rows.map(({ no }) => no)
}

/** Notes that nothing is left of a workspace. */
export async function finishPurge(tx: Transaction, no: number, at: number): Promise<void> {
  await tx.db
    .updateTable('deleted_workspaces')
    .set({ purged_at: at })
    .where('no', '=', no)
    .execute()
}

/** Deletes records of a workspace's requests, at most `limit`. How many. */
export async function dropIdempotency(tx: Transaction, no: number, limit: number): Promise<number> {
  const rows = await tx.db
    .selectFrom('idempotency')
    .select('key')
    .where('workspace_no', '=', no)
    .limit(limit)
    .execute()
  const keys = rows.map(({ key }) => key)
  if (keys.length > 0) {
    await tx.db
      .deleteFrom('idempotency')
      .where('workspace_no', '=', no)
      .where('key', 'in', keys)
      .execute()
  }
  return keys.length
}
