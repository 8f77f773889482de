import packageFile from '../../../package.json' with { type: 'json' }
import type { Call, Person, Role } from '../../http/index.ts'
import { addressKey } from '../../lib/base/client-address.ts'
import { AppError } from '../../lib/errors/index.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import { pictureUrl } from '../users/picture.ts'
import type { AccountParts } from './parts.ts'
import { recordAccount } from './security.ts'
import { hasPasskeys } from './site.ts'
import { accountOf, hasLogo, lacksFactor } from './store.ts'
import type { AccountsDeps } from './types.ts'

/** What the accounts use of a request. */
export type Visit = Pick<Call, 'request' | 'requestId' | 'address' | 'locale'>

export type Joined = Awaited<ReturnType<typeof joinedResponse>>

/** Opens and extends sessions. Both return the values of `Set-Cookie`. */
export interface SignIn {
  /** By password; none if it isn't allowed. */
  open(email: string, password: string, request: Request): Promise<string[]>
  /** The request's session, if that is due. */
  prolong(person: Person, request: Request): Promise<string[]>
}

/** Dependencies of the account services. */
export type AccountServiceDeps = AccountParts & { signIn: SignIn }

export function mayCreate({ workspaceCreation }: AccountsDeps, isOwner: boolean): boolean {
  return isOwner || workspaceCreation === 'everyone'
}

export async function account(deps: AccountServiceDeps, userId: string) {
  const { storage } = deps
  const row = await accountOf(storage.read, userId)
  if (row === undefined) throw new AppError('SIGN_IN_REQUIRED')
  return {
    id: row.id,
    email: row.email,
    email_verified: row.email_verified === 1,
    name: row.name,
    picture: pictureUrl(row.id, row.picture),
    language: row.language,
    two_factor_enabled: row.two_factor_enabled === 1,
    has_password: Boolean(row.has_password),
    instance_owner: row.instance_owner === 1,
    may_create_workspaces: mayCreate(deps, row.instance_owner === 1),
  }
}

export async function instance(deps: AccountServiceDeps) {
  const { claims, mails, signUp, oidc, baseUrl, domains, sellsPlans } = deps
  return {
    claimed: await claims.isClaimed(),
    sign_up: signUp,
    sign_in: {
      password: true as const,
      passkey: hasPasskeys(baseUrl),
      oidc: oidc === null ? [] : [{ id: 'oidc', name: oidc.name }],
    },
    mail: mails.available,
    sells_plans: sellsPlans,
    version: packageFile.version,
    base_url: baseUrl,
    default_domain: domains[0] ?? new URL(baseUrl).host,
    domains: [...domains],
    languages: [...LOCALES],
  }
}

export async function ownWorkspaces({ storage }: AccountServiceDeps, userId: string) {
  const rows = await storage.read.db
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.no', 'members.workspace_no')
    .select([
      'workspaces.id',
      'workspaces.name',
      'workspaces.plan_id',
      'workspaces.language',
      'workspaces.created_at',
    ])
    .select(['members.role', lacksFactor, hasLogo])
    .where('members.user_id', '=', userId)
    .orderBy('workspaces.name_key')
    .execute()
  return rows.map(({ role, plan_id, lacks_factor, has_logo, created_at, ...workspace }) => ({
    ...workspace,
    role: role as Role,
    plan: plan_id,
    needs_two_factor: Number(lacks_factor) === 1,
    has_logo: Number(has_logo) === 1,
    created_at: new Date(created_at).toISOString(),
  }))
}

/** The response for a new member; if a password was just set, with session cookies too. */
export async function joinedResponse(
  deps: AccountServiceDeps,
  userId: string,
  workspaceId: string,
  { request, requestId, address }: Visit,
  first?: { password: string; by: 'claim' | 'invitation' },
) {
  const { hashes, storage, clock } = deps
  const [user, all] = await Promise.all([account(deps, userId), ownWorkspaces(deps, userId)])
  const workspace = all.find(({ id }) => id === workspaceId)
  if (workspace === undefined) throw new AppError('CONFLICT')
  if (first === undefined) return { user, workspace, cookies: [] as string[] }
  const signIn = () => deps.signIn.open(user.email, first.password, request)
  const cookies = await hashes.run('signIn', addressKey(address), signIn)
  if (cookies.length > 0) {
    const actor = { type: 'user', id: userId, name: user.email, requestId } as const
    const changes = { after: { by: first.by } }
    await storage.write((tx) =>
      recordAccount(tx, actor, clock.now(), 'account.signed_in', user, changes),
    )
  }
  return { user, workspace, cookies }
}
