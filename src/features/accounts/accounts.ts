import { createHmac } from 'node:crypto'
import type { Person } from '../../http/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Config, OidcConfig } from '../../platform/config/index.ts'
import type { HashQueue } from '../../platform/limits/index.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { dropAccountEntries } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import type { UserService } from '../users/service.ts'
import type { WorkspaceService } from '../workspaces/service.ts'
import { createAttempts } from './attempts.ts'
import type { Auth } from './auth.ts'
import { claimUrl, createClaims } from './claims.ts'
import { createDevices, createSessionCookie } from './cookies.ts'
import { createAuthHandler } from './handler.ts'
import type { Invitations } from './invitations.ts'
import { createAccountMails } from './mails.ts'
import { discover, type OidcProvider } from './oidc.ts'
import { createAccountService } from './service.ts'
import { createOwnSessions, createSessions, purgeExpired } from './sessions.ts'
import { PROLONG_AFTER_SECONDS, SESSION_SECONDS } from './site.ts'

/** How long single sign-on waits for its provider before it fails. */
const PROVIDER_WITHIN_MS = 8_000

/** How long the audit log keeps entries about accounts. */
const ACCOUNT_ENTRIES_MS = 400 * 86_400_000

/** Dependencies of the accounts. */
export interface AccountsDeps extends Pick<Config, 'signUp' | 'workspaceCreation' | 'oidc'> {
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
  /** `Secrets.accounts`. */
  key: Uint8Array
  baseUrl: string
  /** The hosts of links; the first is the default. */
  domains: readonly string[]
  /** Whether plans are sold. */
  sellsPlans: boolean
  /** The minimum duration of responses whose time must not reveal who has an account. */
  evenMs?: number
  /** The id of this node; absent: the only node, or a command. */
  nodeId?: string | undefined
}

export type OpenAccounts = ReturnType<typeof createAccounts>
/** What the application uses of the accounts. */
export type Accounts = Pick<OpenAccounts, 'service' | 'sessions' | 'authenticate'>

/** What the modules of the accounts share. */
export type AccountParts = ReturnType<typeof createParts>

function createParts(deps: AccountsDeps) {
  const { storage, clock, plans, baseUrl, key } = deps
  const secret = createHmac('sha256', key).update('better-auth').digest('base64url')
  const attemptsKey = createHmac('sha256', key).update('attempts').digest()
  const cookie = createSessionCookie(baseUrl, secret)
  return {
    ...deps,
    /** Signs cookies and encrypts second factors. */
    secret,
    claims: createClaims(deps),
    attempts: createAttempts({ storage, clock, key: attemptsKey }),
    mails: createAccountMails(deps),
    devices: createDevices(deps),
    sessions: createSessions({ storage, clock, plans, cookie }),
    ownSessions: createOwnSessions({ storage, clock, cookie }),
  }
}

/** Creates the accounts of an instance. */
export function createAccounts(deps: AccountsDeps) {
  const parts = createParts(deps)
  const { storage, clock, baseUrl, claims, attempts, sessions } = parts
  let loading: Promise<Auth> | undefined
  const auth = () => {
    loading ??= load(parts)
    return loading
  }

  return {
    service: createAccountService({ ...parts, signIn: signInBy(auth, parts) }),
    sessions,
    /** Handles requests under `/app/api/auth`. */
    authenticate: createAuthHandler({ ...parts, auth, singleSignOn: createSingleSignOn(parts) }),
    /** The URL for creating the first account; null: it exists already. */
    async openClaim(): Promise<string | null> {
      const token = await claims.open()
      return token === null ? null : claimUrl(baseUrl, token)
    },
    /** Deletes expired sessions, tokens and counters. */
    async purge(): Promise<void> {
      await purgeExpired(storage, clock.now())
      await attempts.purge()
      const oldest = clock.now() - ACCOUNT_ENTRIES_MS
      await storage.write((tx) => dropAccountEntries(tx, oldest), { survives: 'process' })
    },
  }
}

/** Loaded on demand, because most processes don't need it: it takes half a second and 50 MB. */
async function load(parts: AccountParts, provider?: OidcProvider): Promise<Auth> {
  return (await import('./auth.ts')).createAuth(parts, provider)
}

export type SignIn = ReturnType<typeof signInBy>

function signInBy(auth: () => Promise<Auth>, { ownSessions, devices, clock }: AccountParts) {
  return {
    /** Signs in by password; returns the `Set-Cookie` values, none if it isn't allowed. */
    async open(email: string, password: string, { headers }: Request): Promise<string[]> {
      const body = { email, password }
      const { api } = await auth()
      const response = await api
        .signInEmail({ body, headers: agentOf(headers), asResponse: true })
        .catch(() => null)
      if (!response?.ok) return []
      return [...response.headers.getSetCookie(), await devices.issue(email)]
    },
    /** Extends the request's session if it is due; returns the `Set-Cookie` values. */
    async prolong({ sessionId }: Person, { headers }: Request): Promise<string[]> {
      const expiresAt = await ownSessions.expiryOf(sessionId)
      const dueAt = (expiresAt ?? 0) - (SESSION_SECONDS - PROLONG_AFTER_SECONDS) * 1000
      if (expiresAt === undefined || clock.now() < dueAt) return []
      const { api } = await auth()
      const response = await api.getSession({ headers, asResponse: true })
      return response.headers.getSetCookie()
    },
  }
}

/** Only the header that the session is labelled with. */
function agentOf(headers: Headers): Headers {
  return new Headers({ 'user-agent': headers.get('user-agent') ?? '' })
}

/**
 * better-auth with the provider. It fetches the provider's description at creation, so a separate
 * instance keeps other sign-ins independent of that; after a failure it is created again with the
 * next request.
 */
function createSingleSignOn(parts: AccountParts): () => Promise<Auth | null> {
  const { oidc: config, logger } = parts
  if (config === null) return async () => null
  let made: Promise<Auth | null> | undefined

  async function make(config: OidcConfig): Promise<Auth | null> {
    const auth = await load(parts, await discover(config))
    const { socialProviders } = await auth.$context
    return socialProviders.some(({ id }) => id === 'oidc') ? auth : null
  }

  function unusable(error: unknown): null {
    const reason = error instanceof Error ? error.message : String(error)
    logger.warn({ reason }, 'The provider of single sign-on cannot be used')
    return null
  }

  return async () => {
    const making = made ?? make(config).catch(unusable)
    made = making
    const late = Bun.sleep(PROVIDER_WITHIN_MS).then(() => null)
    const auth = await Promise.race([making, late])
    if (auth === null && made === making) made = undefined
    return auth
  }
}
