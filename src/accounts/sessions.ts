import type { Clock } from '../base/clock.ts'
import type { Role, Sessions } from '../http/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Storage } from '../storage/index.ts'
import { permissionsOf } from './permissions.ts'
import { membership, personByToken } from './session-store.ts'

/** What it works with. */
export interface SessionsDeps {
  storage: Pick<Storage, 'read'>
  clock: Clock
  plans: Pick<Plans, 'of'>
  /** See `createSessionCookie`. */
  cookie: { tokenOf(headers: Headers): string | null }
}

/**
 * Who a request comes from: two point reads of committed state on each, so that what is revoked,
 * or taken from somebody, stops with the next request.
 */
export function createSessions({ storage, clock, plans, cookie }: SessionsDeps): Sessions {
  return {
    async personOf(headers) {
      const token = cookie.tokenOf(headers)
      if (token === null) return null
      const row = await personByToken(storage.read, token, clock.now())
      if (row === undefined) return null
      return {
        sessionId: row.session_id,
        userId: row.user_id,
        email: row.email,
        name: row.name,
        language: row.language,
        instanceOwner: row.instance_owner === 1,
      }
    },

    async memberOf(person, workspaceId) {
      const row = await membership(storage.read, person.userId, workspaceId)
      if (row === undefined) return null
      const { no, id, language, plan_id } = row
      return {
        kind: 'session',
        sessionId: person.sessionId,
        userId: person.userId,
        email: person.email,
        // A role that isn't ours has no permissions, so that its name doesn't matter.
        role: row.role as Role,
        scopes: permissionsOf(row.role, person.instanceOwner),
        workspace: { no, id, language, plan: plans.of(plan_id) },
      }
    },
  }
}
