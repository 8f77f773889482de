import type { Person, Role, Sessions } from '../../http/index.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Sql, Storage, Transaction } from '../../platform/storage/index.ts'
import { hiddenFoldersOf } from '../folders/index.ts'
import { permissionsOf } from '../members/roles.ts'
import { personLimits } from '../workspaces/person-limits.ts'
import type { createSessionCookie } from './cookies.ts'
import { lacksFactor } from './store.ts'
import type { AccountsDeps } from './types.ts'

interface SessionsDeps extends Pick<AccountsDeps, 'storage' | 'clock' | 'plans'> {
  cookie: ReturnType<typeof createSessionCookie>
}

/** The person of a session's token, until it expires. */
async function personByToken(
  { storage, clock }: Pick<SessionsDeps, 'storage' | 'clock'>,
  token: string,
): Promise<Person | null> {
  const row = await storage.read.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id as userId', 'users.email', 'users.name', 'users.language'])
    .select(['sessions.id as sessionId', 'sessions.created_at as confirmedAt'])
    .select('users.instance_owner')
    .where('sessions.token', '=', token)
    .where('sessions.expires_at', '>', clock.now())
    .executeTakeFirst()
  if (row === undefined) return null
  const { instance_owner, ...person } = row
  return { ...person, instanceOwner: instance_owner === 1 }
}

/**
 * Identifies the person of a request: by two point reads of committed state, so that a revocation
 * or a changed role applies to the next request.
 */
export function createSessions(deps: SessionsDeps): Sessions {
  const { storage, plans, cookie } = deps
  return {
    async personOf(headers) {
      const token = await cookie(headers.get('cookie'))
      return token === null ? null : personByToken(deps, token)
    },

    async memberOf({ sessionId, userId, email, instanceOwner }, workspaceId) {
      const { read } = storage
      const member = await findMember(read, plans, userId, { id: workspaceId }, instanceOwner)
      if (member === null) return null
      const limits = await personLimits(read, plans, userId)
      const session = { kind: 'session', sessionId, userId, email } as const
      return { ...session, ...member, person: { id: userId, limits } }
    },
  }
}

/**
 * What a person may do and see in a workspace now; null: they aren't a member.
 * @throws AppError TWO_FACTOR_REQUIRED
 */
export async function findMember(
  sql: Sql,
  plans: SessionsDeps['plans'],
  userId: string,
  workspace: { id: string } | { no: number },
  instanceOwner = false,
) {
  const named =
    'id' in workspace ? (['id', workspace.id] as const) : (['no', workspace.no] as const)
  const row = await sql.db
    .selectFrom('workspaces')
    .innerJoin('members', 'members.workspace_no', 'workspaces.no')
    .select(['members.role', 'workspaces.no', 'workspaces.id', 'workspaces.language'])
    .select(['workspaces.plan_id', lacksFactor])
    .where(`workspaces.${named[0]}`, '=', named[1])
    .where('members.user_id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return null
  if (Number(row.lacks_factor) === 1) throw new AppError('TWO_FACTOR_REQUIRED')
  const { no, id, language, plan_id } = row
  const scopes = permissionsOf(row.role, instanceOwner)
  return {
    // An unknown role has no permissions, so the cast is harmless.
    role: row.role as Role,
    scopes,
    hiddenFolders: await hiddenFoldersOf(sql, no, { userId, scopes }),
    workspace: { no, id, language, plan: plans.of(plan_id) },
  }
}

/** A person's own sessions. better-auth's list would expose their tokens. */
export function createOwnSessions(deps: Omit<SessionsDeps, 'plans'>) {
  const { storage, clock, cookie } = deps

  function tokenOf(answer: Headers): Promise<string | null> {
    const pairs = answer.getSetCookie().map((text) => text.split(';')[0])
    return cookie(pairs.join('; '))
  }

  return {
    /** A person's open sessions, newest first. */
    async list({ userId, sessionId }: Person) {
      const rows = await storage.read.db
        .selectFrom('sessions')
        .select(['id', 'user_agent', 'created_at', 'updated_at', 'expires_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', clock.now())
        .orderBy('created_at', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        // `revoke-session` takes this id: the token itself is a secret.
        token: row.id,
        createdAt: new Date(row.created_at).toISOString(),
        updatedAt: new Date(row.updated_at).toISOString(),
        expiresAt: new Date(row.expires_at).toISOString(),
        userAgent: row.user_agent,
        current: row.id === sessionId,
      }))
    },
    /** Ends one of the person's own sessions; others' are left alone. */
    async revoke({ userId }: Person, id: string) {
      await storage.write(async (tx) => {
        const { numDeletedRows } = await tx.db
          .deleteFrom('sessions')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .executeTakeFirst()
        if (numDeletedRows > 0n) await endVerifications(tx, userId)
      })
      return { status: true }
    },
    /** The person whom a response's cookies sign in. */
    async openedBy(answer: Headers): Promise<Person | null> {
      const token = await tokenOf(answer)
      return token === null ? null : personByToken(deps, token)
    },
    /** Ends the session that a response's cookies open, and removes the cookies. */
    async drop(answer: Headers): Promise<void> {
      const token = await tokenOf(answer)
      if (token !== null) {
        await storage.write((tx) =>
          tx.db.deleteFrom('sessions').where('token', '=', token).execute(),
        )
      }
      answer.delete('set-cookie')
    },
    /** When a session expires, in milliseconds since the epoch; undefined: it doesn't exist. */
    async expiryOf(id: string): Promise<number | undefined> {
      const query = storage.read.db.selectFrom('sessions').select('expires_at').where('id', '=', id)
      return (await query.executeTakeFirst())?.expires_at
    },
    /** The person has proved their identity again: the session counts as just opened. */
    async confirm(id: string): Promise<void> {
      const created_at = clock.now()
      await storage.write((tx) =>
        tx.db.updateTable('sessions').set({ created_at }).where('id', '=', id).execute(),
      )
    },
  }
}

/**
 * Invalidates what a person was given besides sessions: links to reset the password or to change
 * the address, begun second steps, trusted devices. Done whenever their sessions are ended.
 */
export async function endVerifications(tx: Transaction, userId: string): Promise<void> {
  await tx.db.deleteFrom('verifications').where('value', '=', userId).execute()
}

/** Deletes expired sessions and tokens. */
export async function purgeExpired(storage: Pick<Storage, 'write'>, now: number): Promise<void> {
  await storage.write(
    async (tx) => {
      await tx.db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
      await tx.db.deleteFrom('verifications').where('expires_at', '<=', now).execute()
    },
    { survives: 'process' },
  )
}
