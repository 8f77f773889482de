import { type Actor, type Asker, askerOf, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import type { Caller, Role } from '../http/types.ts'
import { revokeKeysOf } from '../keys/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { isAbove, permissionsOf } from './roles.ts'
import type { Member } from './schemas.ts'
import {
  deleteInvitationsBy,
  deleteMember,
  findMember,
  hasOtherOwner,
  listMembers,
  type MemberRow,
  updateRole,
} from './store.ts'

/** A person who changes something about the members. */
export interface MemberAsker extends Asker {
  readonly userId: string
}

/** The person who asks; a key can't. @throws AppError FORBIDDEN */
export function memberAskerOf(call: { caller: Caller; requestId: string }): MemberAsker {
  const { caller } = call
  if (caller.kind !== 'session') throw new AppError('FORBIDDEN')
  return { ...askerOf(call), userId: caller.userId }
}

/** What becomes of the API keys of a person who loses the right to have some. */
export type KeysOfMember = 'revoke' | 'keep'

/** Who belongs to a workspace. Nobody can act on a role above their own. */
export interface MemberService {
  list(workspaceNo: number): Promise<Member[]>
  /**
   * Gives a member another role. A lower one ends the invitations that they have sent, and, where
   * it doesn't permit keys, what they have made of them.
   * @throws AppError MEMBER_NOT_FOUND, FORBIDDEN, ROLE_ABOVE_OWN, LAST_OWNER
   */
  setRole(
    tx: Transaction,
    asker: MemberAsker,
    userId: string,
    role: Role,
    keys?: KeysOfMember,
  ): Promise<Member>
  /**
   * Removes a member, with the invitations that they have sent and the keys that they have made.
   * Everybody may leave, without keeping keys. @throws as `setRole` does
   */
  remove(tx: Transaction, asker: MemberAsker, userId: string, keys?: KeysOfMember): Promise<void>
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

  function record(
    tx: Transaction,
    { workspace, actor }: MemberAsker,
    action: 'member.updated' | 'member.left' | 'member.removed',
    { user_id: id, email, role }: MemberRow,
    after: { role?: Role },
  ): Promise<void> {
    return recordChange(tx, actor, {
      workspaceNo: workspace.no,
      at: clock.now(),
      action,
      target: { type: 'member', id, label: email },
      before: { role },
      after,
    })
  }

  return {
    async list(workspaceNo) {
      return (await listMembers(storage.read, workspaceNo)).map(memberOf)
    },

    async setRole(tx, asker, userId, role, keys = 'revoke') {
      const { workspace, actor } = asker
      const row = await find(tx, asker, userId)
      await assertManages(tx, asker, [row.role, role])
      if (row.role === role) return memberOf(row)
      if (row.role === 'owner') await assertOwnerStays(tx, asker, userId)
      await updateRole(tx, workspace.no, userId, role)
      const at = clock.now()
      if (isAbove(row.role, role)) await endInvitationsBy(tx, workspace.no, userId, actor, at)
      if (keys === 'revoke' && !permissionsOf(role).has('keys:manage')) {
        await revokeKeysOf(tx, workspace.no, userId, actor, at)
      }
      await record(tx, asker, 'member.updated', row, { role })
      return memberOf({ ...row, role })
    },

    async remove(tx, asker, userId, keys = 'revoke') {
      const { workspace, actor } = asker
      const row = await find(tx, asker, userId)
      const leaves = userId === asker.userId
      if (!leaves) await assertManages(tx, asker, [row.role])
      if (row.role === 'owner') await assertOwnerStays(tx, asker, userId)
      const at = clock.now()
      await endInvitationsBy(tx, workspace.no, userId, actor, at)
      if (leaves || keys === 'revoke') await revokeKeysOf(tx, workspace.no, userId, actor, at)
      await deleteMember(tx, workspace.no, userId)
      await record(tx, asker, leaves ? 'member.left' : 'member.removed', row, {})
    },
  }
}

/**
 * Ends the open invitations that a person has sent: else one of them brings a person back who was
 * removed. The workspace is locked already.
 */
export async function endInvitationsBy(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
  actor: Actor,
  at: number,
): Promise<void> {
  for (const { id, email, role } of await deleteInvitationsBy(tx, workspaceNo, userId, at)) {
    await recordChange(tx, actor, {
      workspaceNo,
      at,
      action: 'invitation.revoked',
      target: { type: 'invitation', id, label: email },
      before: { role },
      after: {},
    })
  }
}

/**
 * The asker's role, as it is in this transaction.
 * @throws AppError FORBIDDEN where it doesn't allow to change members (any more)
 */
export async function roleOf(tx: Transaction, asker: MemberAsker): Promise<Role> {
  const own = await findMember(tx, asker.workspace.no, asker.userId)
  if (own === undefined || !permissionsOf(own.role).has('members:manage')) {
    throw new AppError('FORBIDDEN')
  }
  return own.role as Role
}

function memberOf({ user_id, email, name, role, created_at }: MemberRow): Member {
  const joined_at = new Date(created_at).toISOString()
  return { user_id, email, name, role: role as Role, joined_at }
}
