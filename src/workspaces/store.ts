import type { Selectable } from 'kysely'
import type { Sql, Transaction, WorkspacesTable } from '../storage/index.ts'

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

/** The one of that name without regard to case. */
export async function workspaceByName(sql: Sql, key: string): Promise<WorkspaceRow | undefined> {
  return sql.db.selectFrom('workspaces').selectAll().where('name_key', '=', key).executeTakeFirst()
}

/** The new row, or undefined when the name is taken. */
export async function insertWorkspace(
  tx: Transaction,
  row: Pick<WorkspaceRow, 'id' | 'name' | 'name_key' | 'plan_id' | 'created_at'>,
): Promise<WorkspaceRow | undefined> {
  return tx.db
    .insertInto('workspaces')
    .values({ ...row, language: null })
    .onConflict((conflict) => conflict.column('name_key').doNothing())
    .returningAll()
    .executeTakeFirst()
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

/** Makes a user a member; the place was taken before. */
export async function insertMember(
  tx: Transaction,
  row: { workspace_no: number; user_id: string; role: string; created_at: number },
): Promise<void> {
  await tx.db.insertInto('members').values(row).execute()
}
