import { sql as raw } from 'kysely'
import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { LINK_SECONDS } from './site.ts'

const TOKEN_BYTES = 24

/**
 * 1: the workspace requires a second factor, and the member has a password without one. People who
 * sign in by a provider or with passkeys only have the factors of those.
 */
export const lacksFactor = raw<number>`CASE WHEN workspaces.require_two_factor = 1 AND EXISTS (
    SELECT 1 FROM users JOIN accounts ON accounts.user_id = users.id
    WHERE users.id = members.user_id AND users.two_factor_enabled = 0
      AND accounts.provider_id = 'credential' AND accounts.password_hash IS NOT NULL
  ) THEN 1 ELSE 0 END`.as('lacks_factor')

/** 1: the workspace has a logo. */
export const hasLogo = raw<number>`CASE WHEN EXISTS (
    SELECT 1 FROM logos WHERE logos.workspace_no = workspaces.no
  ) THEN 1 ELSE 0 END`.as('has_logo')

/** A person's own row, and whether they have a password. */
export async function accountOf(sql: Pick<Sql, 'db'>, userId: string) {
  return sql.db
    .selectFrom('users')
    .leftJoin('pictures', 'pictures.user_id', 'users.id')
    .selectAll('users')
    .select('pictures.digest as picture')
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

/** What a token is for. */
type TokenUse = 'reset-password' | 'change-email'

/** A token's identifier, in the form of better-auth's `storeIdentifier: 'hashed'`. */
export function tokenIdentifier(use: TokenUse, token: string): string {
  return new Bun.CryptoHasher('sha256').update(`${use}:${token}`).digest('base64url')
}

/** Issues a token that works once, within an hour; it contains `payload` in plain text. */
export async function issueToken(
  tx: Transaction,
  { clock, ids, random }: { clock: Clock; ids: Ids; random: Random },
  { use, userId, payload = '' }: { use: TokenUse; userId: string; payload?: string },
): Promise<string> {
  const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url') + payload
  const now = clock.now()
  await tx.db
    .insertInto('verifications')
    .values({
      id: ids.next('ver'),
      identifier: tokenIdentifier(use, token),
      value: userId,
      created_at: now,
      updated_at: now,
      expires_at: now + LINK_SECONDS * 1_000,
    })
    .execute()
  return token
}
