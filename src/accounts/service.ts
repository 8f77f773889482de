import packageFile from '../../package.json' with { type: 'json' }
import { type Actor, entriesAbout, entryOf, INSTANCE, personActor } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { OidcConfig, SignUp, WorkspaceCreation } from '../config/index.ts'
import { AppError } from '../errors/index.ts'
import { addressKey } from '../http/index.ts'
import { LOCALES } from '../i18n/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { assertNotCommon, hashPassword, type UserService, verifyPassword } from '../users/index.ts'
import type { WorkspaceService } from '../workspaces/index.ts'
import { type Attempts, LIMITS } from './attempts.ts'
import type { Claims } from './claims.ts'
import { confirmEmailChange, requestEmailChange } from './email-change.ts'
import type { Gate } from './gate.ts'
import type { AccountMails } from './mails.ts'
import { removeOwnAccount } from './removal.ts'
import type { AccountUserView, OwnWorkspaceView, SessionView } from './schemas.ts'
import type { OwnSessions } from './sessions.ts'
import { hasPasskeys } from './site.ts'
import { accountOf, passwordHashOf, updateAccount, userIdByEmail, workspacesOf } from './store.ts'
import type { AccountService, Invitations, Joined, SignIn, Visit } from './types.ts'

const EVENTS_SHOWN = 50

/** What the service works with. */
export interface AccountServiceDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  plans: Plans
  users: Pick<UserService, 'insert' | 'lock'>
  workspaces: Pick<WorkspaceService, 'create' | 'ensure' | 'join'>
  invitations: Invitations
  claims: Claims
  attempts: Attempts
  gate: Gate
  mails: AccountMails
  ownSessions: Pick<OwnSessions, 'confirm'>
  ids: Ids
  random: Random
  signIn: SignIn
  settings: {
    signUp: SignUp
    workspaceCreation: WorkspaceCreation
    oidc: OidcConfig | null
    mail: boolean
    baseUrl: string
    /** The hosts that links are served on; the first is the default. */
    domains: readonly string[]
  }
}

/** See {@link AccountService}. */
export function createAccountService(deps: AccountServiceDeps): AccountService {
  const { storage, clock, users, workspaces, invitations, claims, attempts, gate } = deps

  const mayCreate = (isOwner: boolean) => isOwner || deps.settings.workspaceCreation === 'everyone'

  async function account(userId: string): Promise<AccountUserView> {
    const row = await accountOf(storage.read, userId)
    if (row === undefined) throw new AppError('SIGN_IN_REQUIRED')
    return {
      id: row.id,
      email: row.email,
      email_verified: row.email_verified === 1,
      name: row.name,
      language: row.language,
      two_factor_enabled: row.two_factor_enabled === 1,
      has_password: Boolean(row.has_password),
      instance_owner: row.instance_owner === 1,
      may_create_workspaces: mayCreate(row.instance_owner === 1),
    }
  }

  async function instance(): Promise<SessionView['instance']> {
    const { signUp, oidc, mail, baseUrl, domains } = deps.settings
    return {
      claimed: await claims.isClaimed(),
      sign_up: signUp,
      sign_in: {
        password: true,
        passkey: hasPasskeys(baseUrl),
        oidc: oidc === null ? [] : [{ id: 'oidc', name: oidc.name }],
      },
      mail,
      version: packageFile.version,
      base_url: baseUrl,
      default_domain: domains[0] ?? new URL(baseUrl).host,
      domains: [...domains],
      languages: [...LOCALES],
    }
  }

  async function ownWorkspaces(userId: string): Promise<OwnWorkspaceView[]> {
    const rows = await workspacesOf(storage.read, userId)
    return rows.map(({ id, name, role, plan_id, language, lacks_factor }) => ({
      id,
      name,
      role: role as OwnWorkspaceView['role'],
      plan: plan_id,
      language,
      needs_two_factor: Number(lacks_factor) === 1,
    }))
  }

  /** Somebody who is a member now; with a password that was just set they are signed in too. */
  async function arrived(
    userId: string,
    workspaceId: string,
    { request }: Visit,
    password?: string,
  ): Promise<Joined> {
    const [user, all] = await Promise.all([account(userId), ownWorkspaces(userId)])
    const workspace = all.find(({ id }) => id === workspaceId)
    if (workspace === undefined) throw new AppError('CONFLICT')
    if (password === undefined) return { user, workspace, cookies: [] }
    const cookies = await gate.pass(() => deps.signIn(user.email, password, request))
    return { user, workspace, cookies }
  }

  return {
    async session(person, { request }) {
      const [body, cookies] = await Promise.all([
        Promise.all([
          person && account(person.userId),
          person === null ? [] : ownWorkspaces(person.userId),
          instance(),
        ]),
        // A session in use is prolonged when a page is opened.
        person === null ? [] : deps.signIn.prolong(person, request),
      ])
      const [user, workspaces, facts] = body
      return { body: { user, workspaces, instance: facts }, cookies }
    },

    async claim({ token, email, password, name, workspace }, visit) {
      await attempts.take(LIMITS.claimAddress, addressKey(visit.address))
      if (!(await claims.admits(storage.read, token))) throw new AppError('NOT_FOUND')
      await assertNotCommon('password', password, email)
      const passwordHash = await gate.pass(() => hashPassword(password))
      const { id, made } = await storage.write(async (tx) => {
        // Of two who have the token one is first, and the other finds no door.
        await users.lock(tx)
        if (!(await claims.admits(tx, token))) throw new AppError('NOT_FOUND')
        const language = languageOf(visit)
        const user = { email, name, passwordHash, emailVerified: true, language }
        const id = await users.insert(tx, user)
        if (id === null) throw new AppError('NOT_FOUND')
        const actor: Actor = { type: 'user', id, label: email, requestId: visit.requestId }
        const planId = ownersPlan(deps.plans)
        // Whoever made a key by a command before has the workspace already, and nobody is in it.
        const made = await workspaces.ensure(tx, workspace, { planId }, actor)
        await workspaces.join(tx, made, { id, email }, 'owner', actor)
        await claims.close(tx)
        return { id, made }
      })
      return arrived(id, made.id, visit, password)
    },

    async update({ userId }, patch) {
      await storage.write((tx) => updateAccount(tx, userId, patch, clock.now()))
      return account(userId)
    },

    async events({ userId }) {
      const about = { workspaceNo: INSTANCE, targetId: userId }
      const rows = await entriesAbout(storage.read, about, null, EVENTS_SHOWN)
      return rows.map(entryOf).map(({ id, at, action, actor }) => {
        const by = actor.type === 'command' ? 'operator' : actor.id === null ? 'unknown' : 'self'
        return { id, at, action, by }
      })
    },

    requestEmailChange: (person, email, visit) => requestEmailChange(deps, person, email, visit),

    confirmEmailChange: (token, visit) => confirmEmailChange(deps, token, visit),

    async confirm({ userId, sessionId }, password) {
      const hash = await passwordHashOf(storage.read, userId)
      if (hash === undefined) throw new AppError('SIGN_IN_AGAIN')
      await attempts.take(LIMITS.passwordPerson, userId)
      if (!(await gate.pass(() => verifyPassword(password, hash)))) {
        const details = [{ field: 'password', code: 'WRONG_PASSWORD' }] as const
        throw new AppError('VALIDATION_FAILED', { details })
      }
      await attempts.refund(LIMITS.passwordPerson, userId)
      await deps.ownSessions.confirm(sessionId)
    },

    async remove(person, input, { request, requestId }) {
      await removeOwnAccount(deps, person, input, requestId)
      deps.mails.sendNotice('deleted', person, request)
    },

    async createWorkspace(person, name, { requestId }) {
      if (!mayCreate(person.instanceOwner)) throw new AppError('FORBIDDEN')
      await attempts.take(LIMITS.workspacePerson, person.userId)
      const actor = personActor(person, requestId)
      const made = await storage.write(async (tx) => {
        const workspace = await workspaces.create(tx, { name }, actor)
        const user = { id: person.userId, email: person.email }
        await workspaces.join(tx, workspace, user, 'owner', actor)
        return workspace
      })
      const { id, plan, language } = made
      return { id, name: made.name, role: 'owner', plan, language, needs_two_factor: false }
    },

    async invitation(token, { address }) {
      await attempts.take(LIMITS.tokenAddress, addressKey(address))
      const found = await invitations.find(token)
      if (found === null) throw new AppError('INVITATION_NOT_FOUND')
      const { workspace, email, role } = found
      return {
        workspace: { name: workspace.name },
        email,
        role,
        account_exists: (await userIdByEmail(storage.read, email)) !== undefined,
      }
    },

    async accept(person, { token, name, password }, visit) {
      await attempts.take(LIMITS.tokenAddress, addressKey(visit.address))
      if (person !== null) {
        const user = { id: person.userId, email: person.email }
        const actor = personActor(person, visit.requestId)
        const joined = await storage.write((tx) => invitations.accept(tx, token, user, actor))
        return arrived(person.userId, joined.workspace.id, visit)
      }
      const found = await invitations.find(token)
      if (found === null) throw new AppError('INVITATION_NOT_FOUND')
      if ((await userIdByEmail(storage.read, found.email)) !== undefined) {
        throw new AppError('ACCOUNT_EXISTS')
      }
      if (deps.settings.signUp === 'closed') throw new AppError('SIGN_UP_CLOSED')
      if (name === undefined || password === undefined) throw missing({ name, password })
      await assertNotCommon('password', password, found.email)
      const passwordHash = await gate.pass(() => hashPassword(password))
      const work = async (tx: Transaction) => {
        const { email, emailProven } = found
        const user = { email, name, passwordHash, emailVerified: emailProven }
        const id = await users.insert(tx, { ...user, language: languageOf(visit) })
        if (id === null) throw new AppError('ACCOUNT_EXISTS')
        const actor: Actor = { type: 'user', id, label: email, requestId: visit.requestId }
        return { id, joined: await invitations.accept(tx, token, { id, email }, actor) }
      }
      const { id, joined } = await storage.write(work)
      return arrived(id, joined.workspace.id, visit, password)
    },
  }
}

/** A language that somebody's browser asked for; tests ask for pseudo-locales, which are none. */
function languageOf({ locale, request }: Visit): string | null {
  if (request.headers.get('accept-language') === null) return null
  return LOCALES.find((known) => known === locale) ?? null
}

/** Who runs the server has a plan without limits, where there is one. */
function ownersPlan(plans: Plans): string {
  const unlimited = plans.all.find(({ limits }) =>
    Object.values(limits).every((limit) => limit === null),
  )
  return (unlimited ?? plans.default).id
}

function missing(given: Record<string, string | undefined>): AppError {
  const details = Object.entries(given)
    .filter(([, value]) => value === undefined)
    .map(([field]) => ({ field, code: 'REQUIRED' as const }))
  return new AppError('VALIDATION_FAILED', { details })
}
