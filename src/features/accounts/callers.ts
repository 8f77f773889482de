import type { Caller, KeyCaller, Permission } from '../../http/callers.ts'
import { assertPermits } from '../../http/index.ts'
import { viewOf } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Sql, Storage } from '../../platform/storage/index.ts'
import type { Actor, Writer } from '../audit/index.ts'
import { hiddenFoldersOf } from '../folders/index.ts'
import type { KeyService } from '../keys/service.ts'
import { permissionsOf } from '../members/roles.ts'
import type { Plans } from '../plans/service.ts'
import { findMember } from './sessions.ts'

/** Dependencies of identifying callers. */
interface CallersDeps {
  storage: Pick<Storage, 'read'>
  plans: Plans
  keys: Pick<KeyService, 'authenticate' | 'callerOfKey'>
}

/** What keys, and those who started jobs, may do and see now. */
export function createCallers({ storage, plans, keys }: CallersDeps) {
  return {
    /** The caller of a Bearer credential from an address; null: it isn't valid, or not from there. */
    async authenticate(credential: string, address: string): Promise<Caller | null> {
      const caller = await keys.authenticate(credential, address)
      return caller && withView(storage.read, caller)
    },

    /**
     * Who started a job, as they may act now. The command line and Slugline itself may do
     * everything. In a transaction, the answer holds until its end.
     * @throws AppError INVALID_API_KEY, INSUFFICIENT_SCOPE, ACTOR_NOT_PERMITTED; NOT_FOUND: the
     *   workspace was deleted
     */
    async callerOf(
      sql: Sql,
      { workspaceNo, actor }: { workspaceNo: number; actor: Actor },
      scope: Permission,
    ): Promise<Writer> {
      const { type, id } = actor
      if (type === 'api_key' && id !== null) {
        const key = await keys.callerOfKey(sql, id)
        if (key?.workspace.no !== workspaceNo) throw new AppError('INVALID_API_KEY')
        assertPermits(key, scope)
        const { workspace, scopes, ...view } = await withView(sql, key)
        return { workspace, actor, ...viewOf(view), scopes }
      }
      if (type === 'user' && id !== null) {
        const member = await findMember(sql, plans, id, { no: workspaceNo }).catch(lacksFactor)
        if (!member?.scopes.has(scope)) throw new AppError('ACTOR_NOT_PERMITTED')
        return { ...member, actor, userId: id }
      }
      return { workspace: await workspaceOf(sql, plans, workspaceNo), actor }
    },
  }
}

/**
 * A key with what it can see: everything, unless who made it is a member without access to all
 * folders. It sees the same as they do then, so that it is no way around a restriction.
 */
async function withView(sql: Sql, caller: KeyCaller): Promise<KeyCaller> {
  const { id: userId, role } = caller.person ?? {}
  if (userId === undefined || !role) return caller
  const view = { userId, scopes: permissionsOf(role) }
  return { ...caller, hiddenFolders: await hiddenFoldersOf(sql, caller.workspace.no, view) }
}

function lacksFactor(error: unknown): null {
  if (error instanceof AppError && error.code === 'TWO_FACTOR_REQUIRED') return null
  throw error
}

async function workspaceOf({ db }: Sql, plans: CallersDeps['plans'], no: number) {
  const workspaces = db.selectFrom('workspaces').select(['id', 'language', 'plan_id'])
  const row = await workspaces.where('no', '=', no).executeTakeFirst()
  if (row === undefined) throw new AppError('NOT_FOUND')
  return { no, id: row.id, language: row.language, plan: plans.of(row.plan_id) }
}
