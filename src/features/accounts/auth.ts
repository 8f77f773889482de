import { type PasskeyOptions, passkey } from '@better-auth/passkey'
import { APIError, type BetterAuthOptions, betterAuth } from 'better-auth'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import bowser from 'bowser'
import { FRESH_MS } from '../../http/index.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { TYPED_PASSWORD_MAX } from '../../lib/base/passwords.ts'
import { hashPassword, PASSWORD_MIN, verifyPassword } from '../users/input.ts'
import { createAuthDatabase } from './adapter.ts'
import { guardCodes, unlockCodes } from './codes.ts'
import { cookiePrefixOf } from './cookies.ts'
import { type OidcProvider, oidcProvider } from './oidc.ts'
import type { AccountParts } from './parts.ts'
import { recordAccount, recordAlone } from './security.ts'
import { endVerifications } from './sessions.ts'
import {
  AUTH_PATH,
  isLoopback,
  LINK_SECONDS,
  localOrigins,
  PROLONG_AFTER_SECONDS,
  SESSION_SECONDS,
} from './site.ts'
import { accountOf } from './store.ts'

/** The id prefix of each model. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  user: 'usr',
  session: 'ses',
  account: 'acc',
  verification: 'ver',
  twoFactor: 'tfa',
  passkey: 'psk',
}

/** better-auth on our storage, with our rules. `provider`: only for single sign-on. */
export function createAuth(parts: AccountParts, provider?: OidcProvider) {
  return betterAuth(optionsOf(parts, provider))
}

/** better-auth as the handler uses it. */
export type Auth = ReturnType<typeof createAuth>

function optionsOf(parts: AccountParts, provider: OidcProvider | undefined) {
  const { ids, baseUrl, storage } = parts
  const isSecure = baseUrl.startsWith('https:')
  return {
    appName: 'Slugline',
    baseURL: baseUrl,
    basePath: AUTH_PATH,
    secret: parts.secret,
    database: createAuthDatabase(storage),
    trustedOrigins: localOrigins(baseUrl),
    telemetry: { enabled: false },
    logger: { level: 'error', disableColors: true, log: logTo(parts.logger) },
    // Our handler counts attempts before a request gets here: exactly, and also by account.
    rateLimit: { enabled: false },
    onAPIError: { throw: true, errorURL: '/app/sign-in' },
    advanced: {
      cookiePrefix: cookiePrefixOf(baseUrl),
      // With TLS the prefix is `__Host-`, which better-auth would put its own before.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
      // The origin was checked before; URLs in bodies are still checked here, whatever NODE_ENV is.
      disableCSRFCheck: true,
      disableOriginCheck: false,
      ipAddress: { disableIpTracking: true },
      database: {
        generateId: ({ model }) => ids.next(ID_PREFIXES[model] ?? 'row'),
        validateSchema: false,
      },
    },
    user: {
      additionalFields: {
        language: { type: 'string', required: false, input: false },
        instanceOwner: { type: 'boolean', required: false, input: false },
        emailKey: { type: 'string', required: false, input: false, returned: false },
      },
      async validateUserInfo({ user, source }) {
        if (source.action !== 'create-user' || source.method === 'email-password') return
        const { email, emailVerified } = user
        if (emailVerified && email && (await mayJoin(parts, email))) return
        return { error: 'signup_disabled' }
      },
    },
    session: {
      expiresIn: SESSION_SECONDS,
      updateAge: PROLONG_AFTER_SECONDS,
      freshAge: FRESH_MS / 1_000,
    },
    account: {
      fields: { password: 'passwordHash' },
      accountLinking: { enabled: true, trustedProviders: [] },
      updateAccountOnSignIn: false,
    },
    verification: { storeIdentifier: 'hashed' },
    ...passwordOptions(parts),
    databaseHooks: {
      account: {
        create: {
          async after({ providerId, userId }) {
            if (providerId !== 'oidc') return
            const user = await accountOf(storage.read, userId)
            if (user !== undefined) await recordAlone(parts, 'account.sso_linked', user, userId)
          },
        },
      },
      session: {
        create: {
          before: async (session) => ({
            data: { ...session, userAgent: describeAgent(session.userAgent) },
          }),
        },
      },
    },
    hooks: guardCodes(parts),
    plugins: [
      twoFactor({ issuer: 'Slugline', accountLockout: { enabled: false } }),
      passkey(passkeyOptions(baseUrl)),
      ...(provider === undefined ? [] : [genericOAuth({ config: [oidcProvider(provider)] })]),
    ],
  } satisfies BetterAuthOptions
}

/** Whether a person identified by the provider may have an account. */
async function mayJoin({ signUp, claims, invitations }: AccountParts, email: string) {
  if (signUp === 'closed' || !(await claims.isClaimed())) return false
  return signUp === 'open' || invitations.awaits(email)
}

/** Options of passwords, and the messages about them. */
function passwordOptions(parts: AccountParts) {
  const { storage, clock, mails } = parts
  const signUpOpen = parts.signUp === 'open'
  // Without email an address could never be confirmed.
  const mustVerify = signUpOpen && mails.available
  return {
    emailAndPassword: {
      enabled: true,
      disableSignUp: !signUpOpen,
      requireEmailVerification: mustVerify,
      minPasswordLength: PASSWORD_MIN,
      // In UTF-16 units; our own check counts code points, before better-auth is asked.
      maxPasswordLength: TYPED_PASSWORD_MAX,
      password: {
        hash: hashPassword,
        verify: ({ hash, password }) => verifyPassword(password, hash),
      },
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: mails.sendReset,
      async onPasswordReset({ user }, request) {
        await storage.write(async (tx) => {
          await endVerifications(tx, user.id)
          const actor = { type: 'user', id: user.id, name: user.email, requestId: null } as const
          await recordAccount(tx, actor, clock.now(), 'account.password_reset', user)
        })
        // Only someone who reads the person's email can choose a new password.
        await unlockCodes(parts, user, request?.headers)
        mails.sendPasswordChanged(user, request)
      },
      onExistingUserSignUp: async ({ user }, request) => mails.sendExists(user, request),
    },
    emailVerification: {
      ...(mails.available && { sendVerificationEmail: mails.sendVerification }),
      sendOnSignUp: mustVerify,
      sendOnSignIn: mustVerify,
      autoSignInAfterVerification: false,
      expiresIn: LINK_SECONDS,
    },
  } satisfies BetterAuthOptions
}

/**
 * Passkeys are bound to the host of the public URL. A loopback address can't have any (WebAuthn
 * Level 3 §5.1.3 requires a domain), `localhost` can.
 */
function passkeyOptions(baseUrl: string): PasskeyOptions {
  const { hostname, origin } = new URL(baseUrl)
  const refuseUnverified = (userVerified: boolean | undefined) => {
    // A passkey replaces password and second factor, so it requires user verification.
    if (userVerified !== true) {
      throw new APIError('UNAUTHORIZED', { code: 'AUTHENTICATION_FAILED', message: '' })
    }
  }
  return {
    rpID: isLoopback(hostname) ? 'localhost' : hostname,
    rpName: 'Slugline',
    // The name to which Kysely's CamelCasePlugin converts `credential_id`.
    schema: { passkey: { fields: { credentialID: 'credentialId' } } },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    origin: [origin, ...localOrigins(baseUrl)],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) =>
        refuseUnverified(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: async ({ verification }) =>
        refuseUnverified(verification.authenticationInfo.userVerified),
    },
  }
}

/**
 * Logs messages without their arguments, which can contain addresses. As warnings, because most are
 * caused by strangers' requests; failed requests are logged elsewhere.
 */
function logTo(logger: Logger) {
  return (level: string, message: string, ...rest: unknown[]) => {
    if (level !== 'error') return
    const err = rest.find((value) => value instanceof Error)
    logger.warn({ ...(err !== undefined && { err }), auth: message.slice(0, 200) }, 'Accounts')
  }
}

/** Longer user agents are cut before they are parsed. */
const AGENT_MAX = 500

/**
 * The label of a session, `Firefox, Windows`: no version, no model, nothing that identifies a
 * machine. Null: unknown. A text that is a label already stays.
 */
function describeAgent(agent: string | null | undefined): string | null {
  if (!agent) return null
  if (!agent.includes('/')) return agent.slice(0, 60)
  const { browser, os } = bowser.parse(agent.slice(0, AGENT_MAX))
  return [browser.name, os.name].filter(Boolean).join(', ') || null
}
