import type { Sql, Transaction } from '../storage/index.ts'

/**
 * What is asked of somebody before they may go. Until the end of the transaction nothing new is
 * theirs: what refers to them waits, sessions and memberships alike.
 */
export async function personToRemove(tx: Transaction, userId: string) {
  return tx.db
    .selectFrom('users')
    .select(['id', 'email', 'instance_owner'])
    .where('id', '=', userId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

/** Locks all workspaces of somebody: who else owns them stays so. */
export async function lockWorkspacesOf(tx: Transaction, userId: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('members')
    .select('workspace_no as no')
    .where('user_id', '=', userId)
    // In an order that all share, so that none waits for another in a circle.
    .orderBy('workspace_no')
    .execute()
  for (const { no } of rows) await tx.lockWorkspace(no)
}

/** Whether anybody else has an account. */
export async function hasOtherPeople(sql: Pick<Sql, 'db'>, userId: string): Promise<boolean> {
  const query = sql.db.selectFrom('users').select('id').where('id', '<>', userId).limit(1)
  return (await query.execute()).length > 0
}

/** The name of a workspace that has no other owner; undefined: there is none. */
export async function soleOwnerOf(
  sql: Pick<Sql, 'db'>,
  userId: string,
): Promise<string | undefined> {
  const row = await sql.db
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.no', 'm.workspace_no')
    .select('w.name')
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members as o')
            .select('o.user_id')
            .whereRef('o.workspace_no', '=', 'm.workspace_no')
            .where('o.role', '=', 'owner')
            .where('o.user_id', '<>', userId),
        ),
      ),
    )
    .orderBy('w.name_key')
    .limit(1)
    .executeTakeFirst()
  return row?.name
}

/** Takes somebody out of all workspaces, which get their places back. */
export async function leaveAll(
  tx: Transaction,
  userId: string,
): Promise<{ workspace_no: number; role: string }[]> {
  const left = await tx.db
    .deleteFrom('members')
    .where('user_id', '=', userId)
    .returning(['workspace_no', 'role'])
    .execute()
  for (const { workspace_no: no } of left) {
    await tx.db
      .updateTable('workspaces')
      .set((e) => ({ members_count: e('members_count', '-', 1) }))
      .where('no', '=', no)
      .execute()
  }
  return left
}

/** Deletes a person with all that they sign in by. */
export async function deletePerson(tx: Transaction, userId: string): Promise<void> {
  for (const table of ['sessions', 'two_factors', 'passkeys', 'accounts'] as const) {
    await tx.db.deleteFrom(table).where('user_id', '=', userId).execute()
  }
  await tx.db.deleteFrom('verifications').where('value', '=', userId).execute()
  await tx.db.deleteFrom('users').where('id', '=', userId).execute()
}

/** Hands the instance over; false: there is no such person. */
export async function setInstanceOwner(
  tx: Transaction,
  userId: string,
  now: number,
): Promise<boolean> {
  // In this order: there is one at most.
  await tx.db
    .updateTable('users')
    .set({ instance_owner: 0, updated_at: now })
    .where('instance_owner', '=', 1)
    .where('id', '<>', userId)
    .execute()
  const { numUpdatedRows } = await tx.db
    .updateTable('users')
    .set({ instance_owner: 1, updated_at: now })
    .where('id', '=', userId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The hash of somebody's password; undefined: they have none. */
export async function passwordHashOf(
  sql: Pick<Sql, 'db'>,
  userId: string,
): Promise<string | undefined> {
  const row = await sql.db
    .selectFrom('accounts')
    .select('password_hash')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst()
  return row?.password_hash ?? undefined
}

/** When a session was opened, in milliseconds since the epoch; undefined: it is gone. */
export async function sessionOpened(sql: Pick<Sql, 'db'>, id: string): Promise<number | undefined> {
  const row = await sql.db
    .selectFrom('sessions')
    .select('created_at')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.created_at
}
