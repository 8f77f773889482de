import type { Role } from '../../http/callers.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { emailKey } from '../../lib/validation/email.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { lockUsers } from '../users/service.ts'
import type { Workspace, WorkspaceService } from '../workspaces/service.ts'
import { userIdByEmail } from './by-email.ts'
import { recordAccount } from './security.ts'
import { endVerifications } from './sessions.ts'
import { LINK_SECONDS } from './site.ts'
import { accountOf, issueToken } from './store.ts'
import type { AccountsDeps } from './types.ts'

/** All people with an account, oldest first. */
export async function listPeople(storage: Pick<Storage, 'read'>) {
  const rows = await storage.read.db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'instance_owner', 'two_factor_enabled', 'created_at'])
    .select(({ selectFrom }) =>
      (['passkeys', 'members'] as const).map((table) =>
        selectFrom(table)
          .select((of) => of.fn.countAll<number>().as('n'))
          .whereRef(`${table}.user_id`, '=', 'users.id')
          .$asScalar()
          .as(table),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    instance_owner: row.instance_owner === 1,
    /** Whether a code is required after the password. */
    two_factor: row.two_factor_enabled === 1,
    passkeys: Number(row.passkeys),
    workspaces: Number(row.members),
    /** RFC 3339 */
    created_at: new Date(row.created_at).toISOString(),
  }))
}

/**
 * Removes the second factor of a person who has lost it and the recovery codes; ends their sessions
 * and invalidates all links sent to them. Null: there is no such person; false: there was no
 * factor.
 */
export function dropSecondFactor(
  { storage, clock }: { storage: Pick<Storage, 'write'>; clock: Clock },
  email: string,
): Promise<boolean | null> {
  return storage.write(async (tx) => {
    const now = clock.now()
    const user = await tx.db
      .updateTable('users')
      .set({ two_factor_enabled: 0, updated_at: now })
      .where('email_key', '=', emailKey(email))
      .returning(['id', 'email'])
      .executeTakeFirst()
    if (user === undefined) return null
    const { numDeletedRows } = await tx.db
      .deleteFrom('two_factors')
      .where('user_id', '=', user.id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await tx.db.deleteFrom('sessions').where('user_id', '=', user.id).execute()
    await endVerifications(tx, user.id)
    await recordAccount(tx, COMMAND_LINE, now, 'account.two_factor_disabled', user)
    return true
  })
}

/**
 * A URL at which a person can choose a new password, once, within an hour; null: there is no such
 * person. Earlier links are invalidated. better-auth accepts the token as its own.
 */
export async function createResetLink(
  input: Pick<AccountsDeps, 'storage' | 'clock' | 'ids' | 'random' | 'baseUrl'> & { email: string },
): Promise<{ url: string | null; expiresAt: number }> {
  const { storage, clock, baseUrl, email } = input
  const now = clock.now()
  const token = await storage.write(async (tx) => {
    const id = await userIdByEmail(tx, email)
    if (id === undefined) return null
    await endVerifications(tx, id)
    const user = { id, email: email.trim() }
    await recordAccount(tx, COMMAND_LINE, now, 'account.reset_link_created', user)
    return issueToken(tx, input, { use: 'reset-password', userId: id })
  })
  const url = token === null ? null : `${baseUrl}/app/reset-password#token=${token}`
  return { url, expiresAt: now + LINK_SECONDS * 1_000 }
}

/** Makes a person the owner of the instance, instead of the previous one. False: no such person. */
export async function handOverInstance(
  { storage, clock }: { storage: Pick<Storage, 'write'>; clock: Clock },
  email: string,
): Promise<boolean> {
  return storage.write(async (tx) => {
    await lockUsers(tx)
    const id = await userIdByEmail(tx, email)
    if (id === undefined) return false
    const now = clock.now()
    // In this order, because there may be only one owner at a time.
    for (const instance_owner of [0, 1]) {
      await tx.db
        .updateTable('users')
        .set({ instance_owner, updated_at: now })
        .where('instance_owner', '<>', instance_owner)
        .where('id', instance_owner === 1 ? '=' : '<>', id)
        .execute()
    }
    const user = { id, email: email.trim() }
    await recordAccount(tx, COMMAND_LINE, now, 'instance.handed_over', user)
    return true
  })
}

/**
 * Makes a person with an account a member of a workspace; null: there is no such person.
 * @throws WorkspaceRefused WORKSPACE_NOT_FOUND, AppError ALREADY_MEMBER, PLAN_LIMIT_REACHED
 */
export function addMember(
  deps: {
    storage: Pick<Storage, 'write'>
    workspaces: Pick<WorkspaceService, 'get' | 'join'>
  },
  { email, workspace, role }: { email: string; workspace: string; role: Role },
): Promise<{ email: string; workspace: Workspace } | null> {
  return deps.storage.write(async (tx) => {
    const id = await userIdByEmail(tx, email)
    const person = id === undefined ? undefined : await accountOf(tx, id)
    if (person === undefined) return null
    const found = await deps.workspaces.get(tx, workspace)
    await deps.workspaces.join(tx, found, person, role, COMMAND_LINE)
    return { email: person.email, workspace: found }
  })
}
