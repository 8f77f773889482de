import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import { type Person, parseJsonObject, type Role, readBody, type Sessions } from '../http/index.ts'
import { permissionsOf } from '../members/index.ts'
import type { Plans } from '../plans/service.ts'
import { prepare, type Sql, type Storage, type Transaction } from '../storage/index.ts'
import { personLimits } from '../workspaces/index.ts'
import { lacksFactor } from './store.ts'

/** What it works with. */
export interface SessionsDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  plans: Plans
  /** See `createSessionCookie`. */
  cookie: { tokenOf(headers: Headers): string | null }
}

const person = prepare<
  { token: string; now: number },
  {
    session_id: string
    user_id: string
    email: string
    name: string | null
    language: string | null
    instance_owner: number
    confirmed_at: number
  }
>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id as session_id',
      'sessions.created_at as confirmed_at',
      'users.id as user_id',
      'users.email',
      'users.name',
      'users.language',
      'users.instance_owner',
    ])
    .where('sessions.token', '=', p.token)
    .where('sessions.expires_at', '>', p.now),
)

const member = prepare<
  { user_id: string; id: string },
  {
    role: string
    no: number
    id: string
    language: string | null
    plan_id: string
    lacks_factor: number
  }
>((db, p) =>
  db
    .selectFrom('workspaces')
    .innerJoin('members', 'members.workspace_no', 'workspaces.no')
    .select([
      'members.role',
      'workspaces.no',
      'workspaces.id',
      'workspaces.language',
      'workspaces.plan_id',
    ])
    .select(lacksFactor)
    .where('workspaces.id', '=', p.id)
    .where('members.user_id', '=', p.user_id),
)

/** The person behind a session's token, while the session lasts. */
export async function personByToken(sql: Sql, token: string, now: number): Promise<Person | null> {
  const row = (await sql.run(person, { token, now }))[0]
  if (row === undefined) return null
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    email: row.email,
    name: row.name,
    language: row.language,
    instanceOwner: row.instance_owner === 1,
    confirmedAt: row.confirmed_at,
  }
}

/**
 * Who a request comes from: two point reads of committed state on each, so that a revocation or a
 * changed role counts from the next request on.
 */
export function createSessions({ storage, clock, plans, cookie }: SessionsDeps): Sessions {
  return {
    async personOf(headers) {
      const token = cookie.tokenOf(headers)
      return token === null ? null : personByToken(storage.read, token, clock.now())
    },

    async memberOf(person, workspaceId) {
      const [row] = await storage.read.run(member, { user_id: person.userId, id: workspaceId })
      if (row === undefined) return null
      if (Number(row.lacks_factor) === 1) throw new AppError('TWO_FACTOR_REQUIRED')
      const { no, id, language, plan_id } = row
      return {
        kind: 'session',
        sessionId: person.sessionId,
        userId: person.userId,
        email: person.email,
        // An unknown role has no permissions, so its name doesn't matter.
        role: row.role as Role,
        scopes: permissionsOf(row.role, person.instanceOwner),
        workspace: { no, id, language, plan: plans.of(plan_id) },
        person: {
          id: person.userId,
          limits: await personLimits(storage.read, plans, person.userId),
        },
      }
    },
  }
}

/** A person's own sessions. better-auth's list would give out their tokens. */
export interface OwnSessions {
  /** Answers the two paths that are ours; undefined: the path is better-auth's. */
  answer(path: string, request: Request, person: Person | null): Promise<Response | undefined>
  /** The person whom an answer's cookies would sign in. */
  openedBy(answer: Headers): Promise<Person | null>
  /** Ends the session that an answer's cookies would open, and takes the cookies out. */
  drop(answer: Headers): Promise<void>
  /** When a session ends, in milliseconds since the epoch; undefined: it is gone. */
  expiryOf(id: string): Promise<number | undefined>
  /** The person has proved who they are again: the session counts as just opened. */
  confirm(id: string): Promise<void>
}

const OWN_PATHS: Readonly<Record<string, string>> = {
  '/list-sessions': 'GET',
  '/revoke-session': 'POST',
}

/** See {@link OwnSessions}. */
export function createOwnSessions({
  storage,
  clock,
  cookie,
}: Omit<SessionsDeps, 'plans'>): OwnSessions {
  function tokenOf(answer: Headers): string | null {
    const pairs = answer.getSetCookie().map((text) => text.split(';')[0])
    return cookie.tokenOf(new Headers({ cookie: pairs.join('; ') }))
  }

  return {
    async answer(path, request, person) {
      const method = OWN_PATHS[path]
      if (method === undefined) return undefined
      if (request.method !== method) {
        const headers = { Allow: method }
        throw new AppError('METHOD_NOT_ALLOWED', { params: { allowed: [method] }, headers })
      }
      if (person === null) throw new AppError('SIGN_IN_REQUIRED')
      if (path === '/list-sessions')
        return Response.json(await sessionsOf(storage.read, person, clock.now()))
      const body = parseJsonObject(await readBody(request, false))
      if (body === undefined) throw new AppError('INVALID_JSON')
      const { token: id } = body
      if (typeof id !== 'string') {
        throw new AppError('VALIDATION_FAILED', { details: [{ field: 'token', code: 'REQUIRED' }] })
      }
      await storage.write(async (tx) => {
        const ended = await tx.db
          .deleteFrom('sessions')
          .where('id', '=', id)
          .where('user_id', '=', person.userId)
          .returning('id')
          .execute()
        if (ended.length > 0) await endVerifications(tx, person.userId)
      })
      return Response.json({ status: true })
    },
    async openedBy(answer) {
      const token = tokenOf(answer)
      return token === null ? null : personByToken(storage.read, token, clock.now())
    },
    async drop(answer) {
      const token = tokenOf(answer)
      if (token !== null) {
        await storage.write((tx) =>
          tx.db.deleteFrom('sessions').where('token', '=', token).execute(),
        )
      }
      answer.delete('set-cookie')
    },
    async expiryOf(id) {
      const query = storage.read.db.selectFrom('sessions').select('expires_at').where('id', '=', id)
      return (await query.executeTakeFirst())?.expires_at
    },
    async confirm(id) {
      const created_at = clock.now()
      await storage.write((tx) =>
        tx.db.updateTable('sessions').set({ created_at }).where('id', '=', id).execute(),
      )
    },
  }
}

/** A person's open sessions, as `list-sessions` gives them out. */
async function sessionsOf(sql: Sql, { userId, sessionId }: Person, now: number) {
  const rows = await sql.db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'created_at', 'updated_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    // `revoke-session` takes the id: the token itself is a secret.
    token: row.id,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
    userAgent: row.user_agent,
    current: row.id === sessionId,
  }))
}

/**
 * Voids what a person was given besides sessions: links to choose a new password or to change the
 * address, second steps that were begun, devices that are spared them. Every ending of sessions
 * does so.
 */
export async function endVerifications(tx: Transaction, userId: string): Promise<void> {
  await tx.db.deleteFrom('verifications').where('value', '=', userId).execute()
}

/** Deletes the sessions and the tokens whose time is over. */
export async function purgeExpired(storage: Pick<Storage, 'write'>, now: number): Promise<void> {
  await storage.write(
    async (tx) => {
      await tx.db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
      await tx.db.deleteFrom('verifications').where('expires_at', '<=', now).execute()
    },
    { survives: 'process' },
  )
}
