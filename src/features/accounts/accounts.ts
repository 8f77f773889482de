import type { OidcConfig } from '../../platform/config/index.ts'
import { dropAccountEntries } from '../audit/index.ts'
import type { Auth } from './auth.ts'
import { claimUrl } from './claims.ts'
import type { SignIn } from './context.ts'
import { eraseAddresses } from './erasure.ts'
import { createAuthHandler } from './handler.ts'
import { discover, type OidcProvider } from './oidc.ts'
import { type AccountParts, createParts } from './parts.ts'
import { createAccountService } from './service.ts'
import { purgeExpired } from './sessions.ts'
import { PROLONG_AFTER_SECONDS, SESSION_SECONDS } from './site.ts'
import type { AccountsDeps } from './types.ts'

/** How long single sign-on waits for its provider before it fails. */
const PROVIDER_WITHIN_MS = 8_000

/** How long the audit log keeps entries about accounts. */
const ACCOUNT_ENTRIES_MS = 400 * 86_400_000

export type OpenAccounts = ReturnType<typeof createAccounts>
/** What the application uses of the accounts. */
export type Accounts = Pick<OpenAccounts, 'service' | 'sessions' | 'authenticate'>

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
    /** Deletes expired sessions, tokens and counters, and addresses of deleted accounts. */
    async purge(): Promise<void> {
      await purgeExpired(storage, clock.now())
      await attempts.purge()
      await eraseAddresses({ storage, clock })
      const oldest = clock.now() - ACCOUNT_ENTRIES_MS
      await storage.write((tx) => dropAccountEntries(tx, oldest), { survives: 'process' })
    },
  }
}

/** Loaded on demand, because most processes don't need it: it takes half a second and 50 MB. */
async function load(parts: AccountParts, provider?: OidcProvider): Promise<Auth> {
  return (await import('./auth.ts')).createAuth(parts, provider)
}

function signInBy(
  auth: () => Promise<Auth>,
  { ownSessions, devices, clock }: AccountParts,
): SignIn {
  return {
    async open(email, password, { headers }) {
      const body = { email, password }
      const { api } = await auth()
      const response = await api
        .signInEmail({ body, headers: agentOf(headers), asResponse: true })
        .catch(() => null)
      if (!response?.ok) return []
      return [...response.headers.getSetCookie(), await devices.issue(email)]
    },
    async prolong({ sessionId }, { headers }) {
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
