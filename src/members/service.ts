import { recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import type { Role, SessionCaller } from '../http/types.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { isAbove, managesMembers } from './roles.ts'
import {
  deleteMember,
  findMember,
  hasOtherOwner,
  listMembers,
  type MemberRow,
  updateRole,
} from './store.ts'
import type { MemberAsker } from './types.ts'

/** A member as it is shown. */
export interface Member {
  user_id: string
  email: string
  name: string | null
  role: Role
  /** RFC 3339 */
  joined_at: string
}

/** Who belongs to a workspace. Nobody can act on a role above their own. */
export interface MemberService {
  list(workspaceNo: number): Promise<Member[]>
  /** @throws AppError MEMBER_NOT_FOUND, FORBIDDEN, ROLE_ABOVE_OWN, LAST_OWNER */
  setRole(tx: Transaction, asker: MemberAsker, userId: string, role: Role): Promise<Member>
  /** Takes somebody out; everybody may leave. @throws as `setRole` does */
  remove(tx: Transaction, asker: MemberAsker, userId: string): Promise<void>
}

/** See {@link MemberService}. */
export function createMemberService(deps: {
  storage: Pick<Storage, 'read'>
  clock: Clock
}): MemberService {
  const { storage, clock } = deps

  /** Roles depend on each other: meanwhile nobody else may change one. */
  async function find(tx: Transaction, asker: MemberAsker, userId: string): Promise<MemberRow> {
    await tx.lockWorkspace(asker.workspace.no)
    const row = await findMember(tx, asker.workspace.no, userId)
    if (row === undefined) throw new AppError('MEMBER_NOT_FOUND')
    return row
  }

  /** What they may do now, which may be less than when the request came. */
  async function assertManages(tx: Transaction, asker: MemberAsker, roles: string[]) {
    const role = await roleOf(tx, asker)
    if (roles.some((other) => isAbove(other, role))) throw new AppError('ROLE_ABOVE_OWN')
  }

  async function assertOwnerStays(tx: Transaction, asker: MemberAsker, userId: string) {
    if (await hasOtherOwner(tx, asker.workspace.no, userId)) return
    throw new AppError('LAST_OWNER')
  }

  return {
    async list(workspaceNo) {
      return (await listMembers(storage.read, workspaceNo)).map(memberOf)
    },

    async setRole(tx, asker, userId, role) {
      const row = await find(tx, asker, userId)
      await assertManages(tx, asker, [row.role, role])
      if (row.role === role) return memberOf(row)
      if (row.role === 'owner') await assertOwnerStays(tx, asker, userId)
      await updateRole(tx, asker.workspace.no, userId, role)
      await recordChange(tx, asker.actor, {
        workspaceNo: asker.workspace.no,
        at: clock.now(),
        action: 'member.updated',
        target: { type: 'member', id: userId, label: row.email },
        before: { role: row.role },
        after: { role },
      })
      return memberOf({ ...row, role })
    },

    async remove(tx, asker, userId) {
      const row = await find(tx, asker, userId)
      const leaves = userId === asker.userId
      if (!leaves) await assertManages(tx, asker, [row.role])
      if (row.role === 'owner') await assertOwnerStays(tx, asker, userId)
      await deleteMember(tx, asker.workspace.no, userId)
      await recordChange(tx, asker.actor, {
        workspaceNo: asker.workspace.no,
        at: clock.now(),
        action: leaves ? 'member.left' : 'member.removed',
        target: { type: 'member', id: userId, label: row.email },
        before: { role: row.role },
        after: {},
      })
    },
  }
}

/**
 * The role of whoever asks, as it is in this transaction.
 * @throws AppError FORBIDDEN where it doesn't allow to change members (any more)
 */
export async function roleOf(tx: Transaction, asker: MemberAsker): Promise<Role> {
  const own = await findMember(tx, asker.workspace.no, asker.userId)
  if (own === undefined || !managesMembers(own.role)) throw new AppError('FORBIDDEN')
  return own.role as SessionCaller['role']
}

function memberOf({ user_id, email, name, role, created_at }: MemberRow): Member {
  return {
    user_id,
    email,
    name,
    role: role as Role,
    joined_at: new Date(created_at).toISOString(),
  }
}
