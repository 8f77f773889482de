import { createHmac } from 'node:crypto'
import { dropAccountEntries } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Config, OidcConfig } from '../config/index.ts'
import type { Person } from '../http/index.ts'
import type { HashQueue } from '../limits/index.ts'
import type { Mailer } from '../mail/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import type { UserService } from '../users/index.ts'
import type { WorkspaceService } from '../workspaces/index.ts'
import { type Attempts, createAttempts } from './attempts.ts'
import type { Auth, AuthDeps } from './auth.ts'
import { type Claims, claimUrl, createClaims } from './claims.ts'
import { createDevices, createSessionCookie, type Devices } from './cookies.ts'
import { createAuthHandler } from './handler.ts'
import type { Invitations } from './invitations.ts'
import { type AccountMails, createAccountMails } from './mails.ts'
import { discover } from './oidc.ts'
import { createOutcomes } from './outcomes.ts'
import { type AccountAction, recordAccount } from './security.ts'
import { createAccountService } from './service.ts'
import {
  createOwnSessions,
  createSessions,
  endVerifications,
  type OwnSessions,
  purgeExpired,
} from './sessions.ts'
import { PROLONG_AFTER_SECONDS, SESSION_SECONDS } from './site.ts'
import { accountOf } from './store.ts'

/** How long single sign-on waits for its provider before it says that it can't. */
const PROVIDER_WITHIN_MS = 8_000

/** How long the audit log keeps what happened to accounts. */
const ACCOUNT_ENTRIES_MS = 400 * 86_400_000
/** More than hashing a password and storing an account take. */
const EVEN_MS = 500

/** What the accounts are made of. */
export interface AccountsDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  logger: Logger
  plans: Plans
  users: Pick<UserService, 'insert'>
  workspaces: Pick<WorkspaceService, 'create' | 'ensure' | 'join'>
  invitations: Invitations
  mailer: Mailer
  hashes: HashQueue
  /** A key of their own: `Secrets.accounts`. */
  key: Uint8Array
  baseUrl: string
  signUp: Config['signUp']
  workspaceCreation: Config['workspaceCreation']
  oidc: Config['oidc']
  /** The hosts that links are served on; the first is the default. */
  domains: readonly string[]
  /** See `HandlerDeps.evenMs`. */
  evenMs?: number
  /** Which of several nodes this is. */
  nodeId?: string | undefined
}

export type OpenAccounts = ReturnType<typeof createAccounts>
/** All that the application needs of the accounts. */
export type Accounts = Pick<OpenAccounts, 'service' | 'sessions' | 'authenticate'>

/** Puts the accounts together. */
export function createAccounts(deps: AccountsDeps) {
  const { storage, clock, ids, logger, baseUrl, mailer, oidc } = deps
  const secret = createHmac('sha256', deps.key).update('better-auth').digest('base64url')
  const attemptsKey = createHmac('sha256', deps.key).update('attempts').digest()
  const attempts = createAttempts({ storage, clock, key: attemptsKey })
  const mails = createAccountMails({ mailer, baseUrl, clock })
  const claims = createClaims({ storage, random: deps.random, nodeId: deps.nodeId })
  const cookie = createSessionCookie(baseUrl, secret)
  const devices = createDevices(baseUrl, deps.key, deps.random)
  const ownSessions = createOwnSessions({ storage, clock, cookie })
  const sessions = createSessions({ storage, clock, plans: deps.plans, cookie })

  const authDeps: AuthDeps = {
    storage,
    ids,
    logger,
    mails,
    secret,
    baseUrl,
    signUpOpen: deps.signUp === 'open',
    ...authEvents(deps, { claims, attempts, devices, mails }),
  }
  let loading: Promise<Auth> | undefined
  const auth = () => {
    loading ??= load(authDeps)
    return loading
  }
  const service = createAccountService({
    ...deps,
    claims,
    attempts,
    mails,
    ownSessions,
    signIn: signInBy(auth, ownSessions, devices, clock),
  })

  return {
    service,
    sessions,
    /** Answers under `/app/api/auth`. */
    authenticate: createAuthHandler({
      auth,
      oidc: oidc === null ? async () => null : singleSignOn(authDeps, oidc),
      attempts,
      hashes: deps.hashes,
      mails,
      sessions,
      ownSessions,
      claims,
      clock,
      devices,
      outcomes: createOutcomes({ storage, clock, mails, devices, ownSessions }),
      evenMs: deps.evenMs ?? EVEN_MS,
    }),
    /** The address at which the first account is made; null: somebody has made it. */
    async openClaim(): Promise<string | null> {
      const token = await claims.open()
      return token === null ? null : claimUrl(baseUrl, token)
    },
    /** Deletes sessions, tokens and counts whose time is over. */
    async purge(): Promise<void> {
      await purgeExpired(storage, clock.now())
      await attempts.purge()
      const oldest = clock.now() - ACCOUNT_ENTRIES_MS
      await storage.write((tx) => dropAccountEntries(tx, oldest), { survives: 'process' })
    },
  }
}

/** What becomes of what better-auth asks and tells. */
function authEvents(
  { storage, clock, signUp, invitations }: AccountsDeps,
  {
    claims,
    attempts,
    devices,
    mails,
  }: { claims: Claims; attempts: Attempts; devices: Devices; mails: AccountMails },
): Pick<AuthDeps, 'mayJoin' | 'passwordReset' | 'ssoLinked' | 'codes'> {
  /** `id`: of the person who is known to have done it; null: that isn't known. */
  const record =
    (action: AccountAction, user: { id: string; email: string }, id: string | null) =>
    (tx: Transaction) => {
      const actor = { type: 'user', id, label: user.email, requestId: null } as const
      return recordAccount(tx, actor, clock.now(), action, user)
    }

  return {
    async mayJoin(email) {
      if (signUp === 'closed' || !(await claims.isClaimed())) return false
      return signUp === 'open' || invitations.awaits(email)
    },
    passwordReset: (user) =>
      storage.write(async (tx) => {
        await endVerifications(tx, user.id)
        await record('account.password_reset', user, user.id)(tx)
      }),
    async ssoLinked(userId) {
      const user = await accountOf(storage.read, userId)
      if (user !== undefined) await storage.write(record('account.sso_linked', user, userId))
    },
    codes: {
      attempts,
      devices,
      async locked(user) {
        await storage.write(record('account.codes_locked', user, null))
        mails.sendNotice('codes_locked', user)
      },
      wrong: (user) => storage.write(record('account.second_factor_failed', user, null)),
    },
  }
}

/** Most processes are never asked, and all start: it takes half a second and 50 MB. */
async function load(deps: AuthDeps): Promise<Auth> {
  return (await import('./auth.ts')).createAuth(deps)
}

export type SignIn = ReturnType<typeof signInBy>

function signInBy(
  auth: () => Promise<Auth>,
  sessions: Pick<OwnSessions, 'expiryOf'>,
  devices: Devices,
  clock: Clock,
) {
  return {
    /** Signs in by password; the values of `Set-Cookie`, empty when it isn't allowed. */
    async open(email: string, password: string, { headers }: Request): Promise<string[]> {
      const body = { email, password }
      const { api } = await auth()
      const response = await api
        .signInEmail({ body, headers: agentOf(headers), asResponse: true })
        .catch(() => null)
      return response?.ok ? [...response.headers.getSetCookie(), devices.issue(email)] : []
    },
    /** Prolongs the request's session when it is due; the values of `Set-Cookie`. */
    async prolong({ sessionId }: Person, { headers }: Request): Promise<string[]> {
      const expiresAt = await sessions.expiryOf(sessionId)
      const dueAt = (expiresAt ?? 0) - (SESSION_SECONDS - PROLONG_AFTER_SECONDS) * 1000
      if (expiresAt === undefined || clock.now() < dueAt) return []
      const { api } = await auth()
      const response = await api.getSession({ headers, asResponse: true })
      return response.headers.getSetCookie()
    },
  }
}

/** Nothing but what the session is recognised by. */
function agentOf(headers: Headers): Headers {
  return new Headers({ 'user-agent': headers.get('user-agent') ?? '' })
}

/**
 * better-auth with the provider. It asks the provider for its description when it is made, so an
 * instance of its own keeps everybody else's sign-in apart from that; one that came to nothing is
 * made anew with the next request.
 */
function singleSignOn(deps: AuthDeps, config: OidcConfig): () => Promise<Auth | null> {
  let made: Promise<Auth | null> | undefined

  async function make(): Promise<Auth | null> {
    const oidc = await discover(config)
    const auth = await load({ ...deps, oidc })
    const { socialProviders } = await auth.$context
    return socialProviders.some(({ id }) => id === 'oidc') ? auth : null
  }

  function unusable(error: unknown): null {
    const reason = error instanceof Error ? error.message : String(error)
    deps.logger.warn({ reason }, 'The provider of single sign-on cannot be used')
    return null
  }

  return async () => {
    const making = made ?? make().catch(unusable)
    made = making
    const late = Bun.sleep(PROVIDER_WITHIN_MS).then(() => null)
    const auth = await Promise.race([making, late])
    if (auth === null && made === making) made = undefined
    return auth
  }
}
