import type { Sql, Transaction } from '../storage/index.ts'

/** The members of a workspace, with who they are. */
export function members(sql: Sql, workspaceNo: number) {
  return sql.db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'u.email', 'u.name', 'm.role', 'm.created_at'])
    .where('m.workspace_no', '=', workspaceNo)
}

export type MemberRow = NonNullable<Awaited<ReturnType<typeof findMember>>>

/** One member of a workspace. */
export async function findMember(sql: Sql, workspaceNo: number, userId: string) {
  return members(sql, workspaceNo).where('m.user_id', '=', userId).executeTakeFirst()
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

/** Takes an invitation back. Undefined: there is none, or no more. */
export async function deleteInvitation(
  tx: Transaction,
  workspaceNo: number,
  id: string,
  now: number,
) {
  return tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', workspaceNo)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}
