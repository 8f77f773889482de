import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import {
  type MountedCall,
  type Person,
  parseJsonObject,
  readBody,
  type Sessions,
} from '../http/index.ts'
import type { Storage } from '../storage/index.ts'
import { dropSession, endSession, sessionExpiry, sessionsOf } from './session-store.ts'

/** A place where somebody is signed in, as better-auth's own list has it. */
export interface SessionEntry {
  id: string
  /** What `revoke-session` takes: the id, for tokens are nobody's business. */
  token: string
  createdAt: string
  updatedAt: string
  expiresAt: string
  /** Coarse: `Firefox, Windows`. */
  userAgent: string | null
  current: boolean
}

/** Somebody's own sessions. better-auth's list would give out their tokens. */
export interface OwnSessions {
  list(person: Person): Promise<SessionEntry[]>
  /** Ends a session at once; one that isn't theirs, or is gone, is none. */
  revoke(person: Person, id: string): Promise<void>
  /** Ends the session that an answer's cookies would open: nobody gets them. */
  drop(answer: Headers): Promise<void>
  /** When a session ends, in milliseconds since the epoch; undefined: it is gone. */
  expiryOf(id: string): Promise<number | undefined>
}

/** See {@link OwnSessions}. */
export function createOwnSessions(deps: {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  /** See `createSessionCookie`. */
  cookie: { tokenOf(headers: Headers): string | null }
}): OwnSessions {
  const { storage, clock, cookie } = deps
  return {
    async list({ userId, sessionId }) {
      const rows = await sessionsOf(storage.read, userId, clock.now())
      return rows.map((row) => ({
        id: row.id,
        token: row.id,
        createdAt: new Date(row.created_at).toISOString(),
        updatedAt: new Date(row.updated_at).toISOString(),
        expiresAt: new Date(row.expires_at).toISOString(),
        userAgent: row.user_agent,
        current: row.id === sessionId,
      }))
    },
    async revoke({ userId }, id) {
      await storage.write((tx) => endSession(tx, userId, id))
    },
    async drop(answer) {
      const pairs = answer.getSetCookie().map((text) => text.split(';')[0])
      const token = cookie.tokenOf(new Headers({ cookie: pairs.join('; ') }))
      if (token !== null) await storage.write((tx) => dropSession(tx, token))
      answer.delete('set-cookie')
    },
    expiryOf: (id) => sessionExpiry(storage.read, id),
  }
}

/** Answers the two paths that are ours; undefined: it is better-auth's. */
export async function answerOwn(
  own: OwnSessions,
  sessions: Pick<Sessions, 'personOf'>,
  path: string,
  { request }: Pick<MountedCall, 'request'>,
): Promise<Response | undefined> {
  const method = OWN[path]
  if (method === undefined) return undefined
  if (request.method !== method) {
    const headers = { Allow: method }
    throw new AppError('METHOD_NOT_ALLOWED', { params: { allowed: [method] }, headers })
  }
  const person = await sessions.personOf(request.headers)
  if (person === null) throw new AppError('SIGN_IN_REQUIRED')
  if (path === '/list-sessions') return Response.json(await own.list(person))
  const body = parseJsonObject(await readBody(request, false))
  if (body === undefined) throw new AppError('INVALID_JSON')
  const { token } = body
  if (typeof token !== 'string') {
    throw new AppError('VALIDATION_FAILED', { details: [{ field: 'token', code: 'REQUIRED' }] })
  }
  await own.revoke(person, token)
  return Response.json({ status: true })
}

const OWN: Readonly<Record<string, string>> = {
  '/list-sessions': 'GET',
  '/revoke-session': 'POST',
}
