import type { InvitationsTable, Sql, Transaction } from '../storage/index.ts'

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

/** Whether there is something that can't be accepted any more. */
export async function hasExpired(sql: Sql, now: number): Promise<boolean> {
  const row = await sql.db
    .selectFrom('invitations')
    .select('id')
    .where('expires_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes what can't be accepted any more. */
export async function deleteExpired(tx: Transaction, now: number): Promise<void> {
  await tx.db.deleteFrom('invitations').where('expires_at', '<=', now).execute()
}
