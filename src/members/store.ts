import type { Sql, Transaction } from '../storage/index.ts'

/** A member with the person behind. */
export interface MemberRow {
  user_id: string
  email: string
  name: string | null
  role: string
  created_at: number
}

function members(sql: Sql, workspaceNo: number) {
  return sql.db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'u.email', 'u.name', 'm.role', 'm.created_at'])
    .where('m.workspace_no', '=', workspaceNo)
}

/** All members of a workspace, in the order in which they joined. */
export async function listMembers(sql: Sql, workspaceNo: number): Promise<MemberRow[]> {
  return members(sql, workspaceNo).orderBy('m.created_at').orderBy('m.user_id').execute()
}

/** One member of a workspace. */
export async function findMember(
  sql: Sql,
  workspaceNo: number,
  userId: string,
): Promise<MemberRow | undefined> {
  return members(sql, workspaceNo).where('m.user_id', '=', userId).executeTakeFirst()
}

/** Whether somebody with this address is a member. */
export async function isMember(sql: Sql, workspaceNo: number, emailKey: string): Promise<boolean> {
  const row = await members(sql, workspaceNo).where('u.email_key', '=', emailKey).executeTakeFirst()
  return row !== undefined
}

/** Whether a workspace has an owner besides this member. */
export async function hasOtherOwner(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_no', '=', workspaceNo)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Gives a member another role. */
export async function updateRole(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
  role: string,
): Promise<void> {
  await tx.db
    .updateTable('members')
    .set({ role })
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', '=', userId)
    .execute()
}

/** Takes a member out, and gives their place back. */
export async function deleteMember(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
): Promise<void> {
  await tx.db
    .deleteFrom('members')
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', '=', userId)
    .execute()
  await tx.db
    .updateTable('workspaces')
    .set((e) => ({ members_count: e('members_count', '-', 1) }))
    .where('no', '=', workspaceNo)
    .execute()
}
