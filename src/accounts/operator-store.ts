import type { Sql, Transaction } from '../storage/index.ts'

/** All people, and how much they have of what. */
export async function people(sql: Pick<Sql, 'db'>) {
  return sql.db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'instance_owner', 'two_factor_enabled', 'created_at'])
    .select((e) => [
      e
        .selectFrom('passkeys')
        .select((p) => p.fn.countAll<number>().as('n'))
        .whereRef('passkeys.user_id', '=', 'users.id')
        .$asScalar()
        .$notNull()
        .as('passkeys'),
      e
        .selectFrom('members')
        .select((m) => m.fn.countAll<number>().as('n'))
        .whereRef('members.user_id', '=', 'users.id')
        .$asScalar()
        .$notNull()
        .as('workspaces'),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Takes a second factor away, with the sessions and all that was begun. Null: no such person. */
export async function removeSecondFactor(
  tx: Transaction,
  email: string,
  now: number,
): Promise<boolean | null> {
  const user = await tx.db
    .updateTable('users')
    .set({ two_factor_enabled: 0, updated_at: now })
    .where('email_key', '=', email.trim().toLowerCase())
    .returning('id')
    .executeTakeFirst()
  if (user === undefined) return null
  const { numDeletedRows } = await tx.db
    .deleteFrom('two_factors')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await tx.db.deleteFrom('sessions').where('user_id', '=', user.id).execute()
  await tx.db.deleteFrom('verifications').where('value', '=', user.id).execute()
  return true
}
