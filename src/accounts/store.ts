import { sql as raw } from 'kysely'
import type { Sql, Transaction, VerificationsTable } from '../storage/index.ts'

/**
 * 1: the workspace asks for a second factor, and the member has a password without one. Who signs
 * in by a provider or by passkeys alone has the factors that these ask for.
 */
export const lacksFactor = raw<number>`CASE WHEN workspaces.require_two_factor = 1 AND EXISTS (
    SELECT 1 FROM users JOIN accounts ON accounts.user_id = users.id
    WHERE users.id = members.user_id AND users.two_factor_enabled = 0
      AND accounts.provider_id = 'credential' AND accounts.password_hash IS NOT NULL
  ) THEN 1 ELSE 0 END`.as('lacks_factor')

/** A person's own row, and whether a password of theirs is kept. */
export async function accountOf(sql: Pick<Sql, 'db'>, userId: string) {
  return sql.db
    .selectFrom('users')
    .selectAll()
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('accounts')
            .select('accounts.id')
            .whereRef('accounts.user_id', '=', 'users.id')
            .where('accounts.provider_id', '=', 'credential')
            .where('accounts.password_hash', 'is not', null),
        )
        .as('has_password'),
    )
    .where('users.id', '=', userId)
    .executeTakeFirst()
}

/** The id of whoever has an address. */
export async function userIdByEmail(
  sql: Pick<Sql, 'db'>,
  email: string,
): Promise<string | undefined> {
  const row = await sql.db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', email.toLowerCase())
    .executeTakeFirst()
  return row?.id
}

/** The hash of a person's password; undefined: there is none. */
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

/** The workspaces that somebody is a member of, by name. */
export async function workspacesOf(sql: Pick<Sql, 'db'>, userId: string) {
  return sql.db
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.no', 'members.workspace_no')
    .select([
      'workspaces.id',
      'workspaces.name',
      'members.role',
      'workspaces.plan_id',
      'workspaces.language',
    ])
    .select(lacksFactor)
    .where('members.user_id', '=', userId)
    .orderBy('workspaces.name_key')
    .execute()
}

/** Changes what a person may change of themselves. */
export async function updateAccount(
  tx: Transaction,
  userId: string,
  patch: { name?: string | undefined; language?: string | null | undefined },
  now: number,
): Promise<void> {
  const values = {
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.language !== undefined && { language: patch.language }),
    updated_at: now,
  }
  await tx.db.updateTable('users').set(values).where('id', '=', userId).execute()
}

/** Whether somebody of this address is invited anywhere. */
export async function invitationWaits(
  sql: Pick<Sql, 'db'>,
  email: string,
  now: number,
): Promise<boolean> {
  const rows = await sql.db
    .selectFrom('invitations')
    .select('id')
    .where('email_key', '=', email.toLowerCase())
    .where('expires_at', '>', now)
    .limit(1)
    .execute()
  return rows.length > 0
}

/** A token's identifier, as better-auth stores them with `storeIdentifier: 'hashed'`. */
export function verificationName(name: string): string {
  return new Bun.CryptoHasher('sha256').update(name).digest('base64url')
}

/** Stores a token that can be used once. */
export async function insertVerification(tx: Transaction, row: VerificationsTable): Promise<void> {
  await tx.db.insertInto('verifications').values(row).execute()
}
