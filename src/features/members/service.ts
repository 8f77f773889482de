import type { Caller, Role } from '../../http/callers.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange, type Writer, writerOf } from '../audit/index.ts'
import { leaveFolders } from '../folders/index.ts'
import { revokeKeysOf } from '../keys/service.ts'
import { pictureUrl } from '../users/picture.ts'
import { memberEventObject } from '../workspaces/service.ts'
import { isAbove, permissionsOf } from './roles.ts'
import type { KeysOfMember, Member } from './schemas.ts'

/** A person who changes members. */
export type MemberPrincipal = Writer &
  Required<Pick<Caller, 'scopes'>> & { readonly userId: string }

/** The person who makes a request; not a key. @throws AppError FORBIDDEN */
export function memberPrincipalOf(call: { caller: Caller; requestId: string }): MemberPrincipal {
  const { caller } = call
  if (caller.kind !== 'session') throw new AppError('FORBIDDEN')
  return { ...writerOf(call), userId: caller.userId, scopes: caller.scopes }
}

type MemberRow = NonNullable<Awaited<ReturnType<typeof findMember>>>

type MemberContext = Pick<ServiceContext, 'storage' | 'clock'>

export type MemberService = ReturnType<typeof createMemberService>

/** The members of a workspace. No one can change a role above their own. */
export function createMemberService(context: MemberContext) {
  return withContext(context, { list, setRole, remove })
}

/** Roles depend on each other, so this locks them until the transaction ends. */
async function find(tx: Transaction, caller: MemberPrincipal, userId: string): Promise<MemberRow> {
  await tx.lockWorkspace(caller.workspace.no)
  const row = await findMember(tx, caller.workspace.no, userId)
  if (row === undefined) throw new AppError('MEMBER_NOT_FOUND')
  return row
}

/** Checks the current role, which may be lower than when the request arrived. */
async function assertManages(tx: Transaction, caller: MemberPrincipal, roles: string[]) {
  const role = await roleOf(tx, caller)
  if (roles.some((other) => isAbove(other, role))) throw new AppError('ROLE_ABOVE_OWN')
}

async function assertOwnerStays(tx: Transaction, caller: MemberPrincipal, userId: string) {
  const query = members(tx, caller.workspace.no).where('m.role', '=', 'owner')
  const other = await query.where('m.user_id', '<>', userId).limit(1).executeTakeFirst()
  if (other === undefined) throw new AppError('LAST_OWNER')
}

/** All members, in the order of joining. */
async function list({ storage }: MemberContext, workspaceNo: number): Promise<Member[]> {
  const query = members(storage.read, workspaceNo).orderBy('m.created_at').orderBy('m.user_id')
  return (await query.execute()).map(memberOf)
}

/**
 * Changes a member's role. A lower one revokes the invitations that they have sent and, if it
 * doesn't permit keys, the keys that they have made.
 * @throws AppError MEMBER_NOT_FOUND, FORBIDDEN, ROLE_ABOVE_OWN, LAST_OWNER
 */
async function setRole(
  { clock }: MemberContext,
  tx: Transaction,
  caller: MemberPrincipal,
  userId: string,
  role: Role,
  keys: KeysOfMember = 'revoke',
): Promise<Member> {
  const { workspace, actor } = caller
  const row = await find(tx, caller, userId)
  await assertManages(tx, caller, [row.role, role])
  if (row.role === role) return memberOf(row)
  if (row.role === 'owner') await assertOwnerStays(tx, caller, userId)
  await tx.db
    .updateTable('members')
    .set({ role })
    .where('workspace_no', '=', workspace.no)
    .where('user_id', '=', userId)
    .execute()
  const at = clock.now()
  if (isAbove(row.role, role)) await endInvitationsBy(tx, workspace.no, userId, actor, at)
  if (keys === 'revoke' && !permissionsOf(role).has('keys:write')) {
    await revokeKeysOf(tx, workspace.no, userId, actor, at)
  }
  await recordChange(tx, actor, {
    workspaceNo: workspace.no,
    at,
    action: 'member.updated',
    target: { type: 'member', id: userId, label: row.email },
    before: { role: row.role },
    after: { role },
    object: memberEventObject({ ...row, role }),
  })
  return memberOf({ ...row, role })
}

/**
 * Removes a member, with the invitations that they have sent and the keys that they have made.
 * Everyone may leave, but without keeping keys. @throws as `setRole` does
 */
async function remove(
  { clock }: MemberContext,
  tx: Transaction,
  caller: MemberPrincipal,
  userId: string,
  keys: KeysOfMember = 'revoke',
): Promise<void> {
  const { workspace, actor } = caller
  const row = await find(tx, caller, userId)
  const leaves = userId === caller.userId
  if (!leaves) await assertManages(tx, caller, [row.role])
  if (row.role === 'owner') await assertOwnerStays(tx, caller, userId)
  const keepKeys = !leaves && keys === 'keep'
  const at = clock.now()
  await removeMembership(tx, actor, { workspaceNo: workspace.no, member: row, keepKeys, at })
}

/**
 * Removes a member, with the invitations that they have sent and, unless kept, the API keys that
 * they have made. The workspace is locked already.
 */
export async function removeMembership(
  tx: Transaction,
  actor: Actor,
  {
    workspaceNo,
    member,
    keepKeys,
    at,
  }: {
    workspaceNo: number
    member: Pick<MemberRow, 'user_id' | 'email' | 'role' | 'created_at'>
    keepKeys: boolean
    at: number
  },
): Promise<void> {
  const { user_id: id, email, role } = member
  await endInvitationsBy(tx, workspaceNo, id, actor, at)
  if (!keepKeys) await revokeKeysOf(tx, workspaceNo, id, actor, at)
  await leaveFolders(tx, workspaceNo, id)
  await leaveViews(tx, workspaceNo, id)
  await tx.db
    .deleteFrom('members')
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', '=', id)
    .execute()
  await tx.db
    .updateTable('workspaces')
    .set((e) => ({ members_count: e('members_count', '-', 1) }))
    .where('no', '=', workspaceNo)
    .execute()
  await recordChange(tx, actor, {
    workspaceNo,
    at,
    action: actor.id === id ? 'member.left' : 'member.removed',
    target: { type: 'member', id, label: email },
    before: { role },
    object: memberEventObject(member),
  })
}

/** Deletes the saved views of a person; shared ones stay, without an owner. */
async function leaveViews({ db }: Transaction, workspaceNo: number, userId: string) {
  await db
    .deleteFrom('views')
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', '=', userId)
    .where('shared', '=', 0)
    .execute()
  await db
    .updateTable('views')
    .set({ user_id: null })
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', '=', userId)
    .execute()
}

/**
 * Revokes the open invitations that a person has sent, so that none brings a removed person back.
 * The workspace is locked already.
 */
async function endInvitationsBy(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
  actor: Actor,
  at: number,
): Promise<void> {
  const ended = await tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', workspaceNo)
    .where('invited_by', '=', userId)
    .where('expires_at', '>', at)
    .returning(['id', 'email', 'role'])
    .execute()
  for (const { id, email, role } of ended) {
    await recordChange(tx, actor, {
      workspaceNo,
      at,
      action: 'invitation.revoked',
      target: { type: 'invitation', id, label: email },
      before: { role },
    })
  }
}

/**
 * The caller's role in this transaction.
 * @throws AppError FORBIDDEN if it doesn't permit changes of members (any more)
 */
export async function roleOf(tx: Transaction, caller: MemberPrincipal): Promise<Role> {
  const own = await findMember(tx, caller.workspace.no, caller.userId)
  if (own === undefined || !permissionsOf(own.role).has('members:manage')) {
    throw new AppError('FORBIDDEN')
  }
  return own.role as Role
}

/** The members of a workspace, with their users. */
export function members(sql: Sql, workspaceNo: number) {
  return sql.db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('pictures as p', 'p.user_id', 'm.user_id')
    .select(['m.user_id', 'u.email', 'u.name', 'p.digest', 'm.role', 'm.created_at'])
    .where('m.workspace_no', '=', workspaceNo)
}

function findMember(sql: Sql, workspaceNo: number, userId: string) {
  return members(sql, workspaceNo).where('m.user_id', '=', userId).executeTakeFirst()
}

function memberOf({ user_id, email, name, digest, role, created_at }: MemberRow): Member {
  const joined_at = new Date(created_at).toISOString()
  const picture = pictureUrl(user_id, digest)
  return { user_id, email, name, picture, role: role as Role, joined_at }
}
