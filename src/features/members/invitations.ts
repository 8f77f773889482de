import type { Role } from '../../http/callers.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Random } from '../../lib/base/random.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Locale } from '../../lib/i18n/index.ts'
import { emailKey } from '../../lib/validation/email.ts'
import type { Sql, Storage, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange } from '../audit/index.ts'
import type { WorkspaceService } from '../workspaces/service.ts'
import { isAbove } from './roles.ts'
import type { Invitation } from './schemas.ts'
import { type MemberPrincipal, members, roleOf } from './service.ts'

/** How long an invitation can be accepted. */
const INVITATION_MS = 7 * 24 * 3_600_000
const TOKEN_BYTES = 32

/** The person who invites. */
export interface Inviter {
  name: string | null
  email: string
}

interface InvitationMail {
  email: string
  role: Role
  inviter: Inviter
  workspace: { name: string }
  token: string
  /** The URL for accepting, which doesn't contain the token. */
  url: string
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** The language of the inviter. */
  locale: Locale
}

interface CreatedInvitation {
  invitation: Invitation
  inviter: Inviter
  workspaceName: string
  token: string
  /** Milliseconds since the epoch. */
  expiresAt: number
}

/** Sends an invitation. False: mail is not set up. */
export type SendInvitation = (mail: InvitationMail) => boolean

interface InvitationServiceDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  ids: Ids
  random: Random
  workspaces: Pick<WorkspaceService, 'join'>
}

/** Invitations: each for one address, once, for seven days. Their tokens are stored hashed. */
export function createInvitationService(deps: InvitationServiceDeps) {
  const open = (workspaceNo: number) => countOpen(deps.storage.read, workspaceNo, deps.clock.now())
  return {
    ...withContext(deps, { list, create, revoke, lookup, accept, purgeExpired }),
    countOpen: open,
  }
}

export type InvitationService = ReturnType<typeof createInvitationService>

async function list(
  { storage, clock }: InvitationServiceDeps,
  workspaceNo: number,
): Promise<Invitation[]> {
  const rows = await storage.read.db
    .selectFrom('invitations as i')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.role', 'i.expires_at', 'u.email as inviter_email'])
    .where('i.workspace_no', '=', workspaceNo)
    .where('i.expires_at', '>', clock.now())
    .orderBy('i.id', 'desc')
    .execute()
  return rows.map(({ id, email, role, expires_at, inviter_email }) => ({
    id,
    email,
    role: role as Role,
    expires_at: new Date(expires_at).toISOString(),
    invited_by: inviter_email === null ? null : { email: inviter_email },
  }))
}

/** How many are still open. */
async function countOpen({ db }: Pick<Sql, 'db'>, workspaceNo: number, now: number) {
  const { open } = await db
    .selectFrom('invitations')
    .select((e) => e.fn.countAll<number>().as('open'))
    .where('workspace_no', '=', workspaceNo)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(open)
}

/**
 * Invites a person; an earlier open invitation of the same address ends. Open invitations count
 * towards the plan's members, so that everyone invited can join.
 * @throws AppError FORBIDDEN, ROLE_ABOVE_OWN, ALREADY_MEMBER, PLAN_LIMIT_REACHED
 */
async function create(
  { clock, ids, random }: InvitationServiceDeps,
  tx: Transaction,
  caller: MemberPrincipal,
  { email, role }: { email: string; role: Role },
): Promise<CreatedInvitation> {
  const { workspace, actor } = caller
  await tx.lockWorkspace(workspace.no)
  const own = await roleOf(tx, caller)
  if (isAbove(role, own)) throw new AppError('ROLE_ABOVE_OWN')
  const key = emailKey(email)
  const member = members(tx, workspace.no).where('u.email_key', '=', key)
  if ((await member.executeTakeFirst()) !== undefined) throw new AppError('ALREADY_MEMBER')
  const now = clock.now()
  const { name: workspaceName, members_count } = await tx.db
    .selectFrom('workspaces')
    .select(['name', 'members_count'])
    .where('no', '=', workspace.no)
    .executeTakeFirstOrThrow()
  // Replaces an earlier invitation of this address.
  const replaced = await tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', workspace.no)
    .where('email_key', '=', key)
    .returning(['role', 'expires_at'])
    .executeTakeFirst()
  if (replaced && replaced.expires_at > now && isAbove(replaced.role, own)) {
    throw new AppError('ROLE_ABOVE_OWN')
  }
  const open = await countOpen(tx, workspace.no, now)
  const limit = workspace.plan.limits.members
  if (limit !== null && members_count + open >= limit) {
    throw new AppError('PLAN_LIMIT_REACHED', {
      details: [{ field: 'members', code: 'MEMBERS_LIMIT', params: { limit } }],
    })
  }
  const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
  const id = ids.next('inv')
  const expiresAt = now + INVITATION_MS
  const row = {
    id,
    workspace_no: workspace.no,
    email,
    email_key: key,
    role,
    token_hash: hashOf(token),
    invited_by: caller.userId,
    created_at: now,
    expires_at: expiresAt,
  }
  await tx.db.insertInto('invitations').values(row).execute()
  const expires_at = new Date(expiresAt).toISOString()
  await recordChange(tx, actor, {
    workspaceNo: workspace.no,
    at: now,
    action: 'invitation.created',
    target: { type: 'invitation', id, label: email },
    after: { role, expires_at },
  })
  const inviter = await tx.db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow()
  const invitation = { id, email, role, expires_at, invited_by: { email: inviter.email } }
  return { invitation, inviter, workspaceName, token, expiresAt }
}

/** @throws AppError INVITATION_NOT_FOUND, FORBIDDEN, ROLE_ABOVE_OWN */
async function revoke(
  { clock }: InvitationServiceDeps,
  tx: Transaction,
  caller: MemberPrincipal,
  id: string,
): Promise<void> {
  const { workspace, actor } = caller
  await tx.lockWorkspace(workspace.no)
  const own = await roleOf(tx, caller)
  const now = clock.now()
  const row = await tx.db
    .deleteFrom('invitations')
    .where('workspace_no', '=', workspace.no)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returning(['email', 'role'])
    .executeTakeFirst()
  if (row === undefined) throw new AppError('INVITATION_NOT_FOUND')
  if (isAbove(row.role, own)) throw new AppError('ROLE_ABOVE_OWN')
  await recordChange(tx, actor, {
    workspaceNo: workspace.no,
    at: now,
    action: 'invitation.revoked',
    target: { type: 'invitation', id, label: row.email },
    before: { role: row.role },
  })
}

/** @throws AppError INVITATION_NOT_FOUND, alike for unknown, used, replaced, revoked and expired */
function lookup(deps: InvitationServiceDeps, token: string) {
  return byToken(deps, deps.storage.read, token)
}

/**
 * Makes the person with the token a member, once.
 * @throws AppError INVITATION_NOT_FOUND, INVITATION_FOR_ANOTHER; as {@link WorkspaceService} `join` does
 */
async function accept(
  deps: InvitationServiceDeps,
  tx: Transaction,
  token: string,
  user: { id: string; email: string },
  actor: Actor,
): Promise<{ workspace: { id: string } }> {
  const { workspace } = await byToken(deps, tx, token)
  await tx.lockWorkspace(workspace.no)
  // It may have been used while this transaction waited for the lock on the workspace.
  const { id, email, role } = await byToken(deps, tx, token)
  if (emailKey(email) !== emailKey(user.email)) throw new AppError('INVITATION_FOR_ANOTHER')
  await tx.db.deleteFrom('invitations').where('id', '=', id).execute()
  await deps.workspaces.join(tx, workspace, user, role, actor)
  return { workspace }
}

async function purgeExpired({ storage, clock }: InvitationServiceDeps): Promise<void> {
  await storage.write(
    (tx) => tx.db.deleteFrom('invitations').where('expires_at', '<=', clock.now()).execute(),
    { survives: 'process' },
  )
}

async function byToken({ clock }: InvitationServiceDeps, sql: Sql, token: string) {
  const row = await sql.db
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.no', 'i.workspace_no')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.role', 'w.no', 'w.id as workspace_id', 'w.name', 'w.plan_id'])
    .select(['u.name as inviter_name', 'u.email as inviter_email'])
    .where('i.token_hash', '=', hashOf(token))
    .where('i.expires_at', '>', clock.now())
    .executeTakeFirst()
  if (row === undefined) throw new AppError('INVITATION_NOT_FOUND')
  const { id, email, no, workspace_id, name, plan_id: plan, inviter_name, inviter_email } = row
  const inviter: Inviter | null =
    inviter_email === null ? null : { name: inviter_name, email: inviter_email }
  const workspace = { no, id: workspace_id, name, plan }
  return { id, email, role: row.role as Role, inviter, workspace }
}

/** A token has enough random bits that a plain digest can't be reversed. */
function hashOf(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}
