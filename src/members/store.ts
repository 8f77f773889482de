import type { InvitationsTable, Sql, Transaction } from '../storage/index.ts'

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

/** An invitation's row. */
export type InvitationRow = InvitationsTable
/** With the address of whoever sent it, as long as there is that person. */
export type SentInvitation = InvitationRow & { inviter_email: string | null }

/** Open invitations of a workspace, the newest first. */
export async function listInvitations(
  sql: Sql,
  workspaceNo: number,
  now: number,
): Promise<SentInvitation[]> {
  return sql.db
    .selectFrom('invitations as i')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .selectAll('i')
    .select('u.email as inviter_email')
    .where('i.workspace_no', '=', workspaceNo)
    .where('i.expires_at', '>', now)
    .orderBy('i.created_at', 'desc')
    .orderBy('i.id', 'desc')
    .execute()
}

/** How many places of a workspace are taken or promised, an invitation of this address aside. */
export async function placesTaken(
  tx: Transaction,
  workspaceNo: number,
  exceptKey: string,
  now: number,
): Promise<number> {
  const { members_count } = await tx.db
    .selectFrom('workspaces')
    .select('members_count')
    .where('no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  const { open } = await tx.db
    .selectFrom('invitations')
    .select((e) => e.fn.countAll<number>().as('open'))
    .where('workspace_no', '=', workspaceNo)
    .where('expires_at', '>', now)
    .where('email_key', '<>', exceptKey)
    .executeTakeFirstOrThrow()
  return members_count + Number(open)
}

/** The name of a workspace that exists. */
export async function nameOf(tx: Transaction, workspaceNo: number): Promise<string> {
  const { name } = await tx.db
    .selectFrom('workspaces')
    .select('name')
    .where('no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  return name
}

/** Adds an invitation, in place of the one that the same address has. */
export async function replaceInvitation(tx: Transaction, row: InvitationRow): Promise<void> {
  await tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', row.workspace_no)
    .where('email_key', '=', row.email_key)
    .execute()
  await tx.db.insertInto('invitations').values(row).execute()
}

/** Takes an invitation back. Undefined: there is none, or no more. */
export async function deleteInvitation(
  tx: Transaction,
  workspaceNo: number,
  id: string,
  now: number,
): Promise<InvitationRow | undefined> {
  return tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', workspaceNo)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** The open invitation behind a token, and its workspace. */
export async function invitationByToken(sql: Sql, tokenHash: string, now: number) {
  return sql.db
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.no', 'i.workspace_no')
    .selectAll('i')
    .select(['w.id as workspace_id', 'w.name as workspace_name', 'w.plan_id'])
    .where('i.token_hash', '=', tokenHash)
    .where('i.expires_at', '>', now)
    .executeTakeFirst()
}

/** Takes back the open invitations that a person has sent. */
export async function deleteInvitationsBy(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
  now: number,
): Promise<InvitationRow[]> {
  return tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', workspaceNo)
    .where('invited_by', '=', userId)
    .where('expires_at', '>', now)
    .returningAll()
    .execute()
}
