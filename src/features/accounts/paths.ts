import { z } from '@hono/zod-openapi'
import { emailField as email, passwordField } from '../users/input.ts'
import { LIMITS, type Limit } from './attempts.ts'

/** An endpoint of better-auth that requests are forwarded to. */
export interface AuthPath {
  method: 'GET' | 'POST'
  /** The schema of the whole body; without it better-auth gets an empty object. */
  body?: z.ZodType<Record<string, unknown>>
  /** Limit by the client's address. */
  perAddress?: Limit
  /** Limit by an email address in the body. */
  perAccount?: { field: string; limit: Limit }
  /** Limit by the signed-in person. */
  perPerson?: Limit
  /** Hashes a password, which takes 47 MB and a lot of CPU: only a few run concurrently. */
  hashes?: true
  /** The field of the current password; absent: `password`. */
  passwordField?: string
  /** The field of a new password. */
  newPassword?: 'password' | 'newPassword'
  /** Handled by the separate instance for single sign-on. */
  oidc?: true
  /** Handled by us, for signed-in people. */
  own?: true
  /** Requires email to be set up. */
  mails?: true
  /** Requires a session that was opened or confirmed recently. */
  fresh?: true
  /** Forwarded as a GET, with the body's members as its query. */
  asGet?: true
  /** Takes the same time whether the address has an account or not. */
  constantTime?: true
}

const text = z.string().min(1).max(1_000)
const passwordOfPerson = {
  method: 'POST',
  body: z.strictObject({ password: text }),
  perPerson: LIMITS.passwordPerson,
  hashes: true,
} as const
/** A message to an address, whether it has an account or not. */
const message = {
  method: 'POST',
  perAddress: LIMITS.mailAddress,
  perAccount: { field: 'email', limit: LIMITS.mailAccount },
  mails: true,
  constantTime: true,
} as const
const passkey = { perAddress: LIMITS.passkeyAddress } as const
const passkeyName = z.string().max(100)
/** A browser's credential as JSON (WebAuthn Level 3 §5.1): better-auth parses it. */
const credential = z.looseObject({ id: z.string().min(1).max(2_000), response: z.looseObject({}) })
const code = {
  method: 'POST',
  body: z.strictObject({
    code: z.string().min(1).max(100),
    trustDevice: z.boolean().optional(),
  }),
  perAddress: LIMITS.secondFactorAddress,
} as const
/** Without `idToken`: a stolen one must not be enough to sign in. */
const social = {
  method: 'POST',
  body: z.strictObject({
    provider: z.literal('oidc'),
    callbackURL: text.optional(),
    errorCallbackURL: text.optional(),
    disableRedirect: z.boolean().optional(),
  }),
  perAddress: LIMITS.oidcAddress,
  oidc: true,
} as const

/** All forwarded paths; better-auth's other endpoints don't exist here. */
export const AUTH_PATHS: Readonly<Record<string, AuthPath>> = {
  '/sign-in/email': {
    method: 'POST',
    body: z.strictObject({ email, password: text, rememberMe: z.boolean().optional() }),
    perAddress: LIMITS.signInAddress,
    perAccount: { field: 'email', limit: LIMITS.signInAccount },
    hashes: true,
  },
  '/sign-up/email': {
    method: 'POST',
    body: z.strictObject({ email, password: passwordField, name: text.max(100) }),
    newPassword: 'password',
    perAddress: LIMITS.signUpAddress,
    hashes: true,
    constantTime: true,
  },
  '/sign-out': { method: 'POST' },
  '/get-session': { method: 'GET' },
  '/list-sessions': { method: 'GET', own: true },
  '/revoke-session': { method: 'POST', body: z.object({ token: text }), own: true },
  '/revoke-sessions': { method: 'POST' },
  '/revoke-other-sessions': { method: 'POST' },
  '/change-password': {
    method: 'POST',
    body: z.strictObject({
      currentPassword: text,
      newPassword: passwordField,
      revokeOtherSessions: z.boolean().optional(),
    }),
    newPassword: 'newPassword',
    perPerson: LIMITS.passwordPerson,
    hashes: true,
    passwordField: 'currentPassword',
  },
  '/request-password-reset': {
    ...message,
    body: z.strictObject({ email, redirectTo: text.optional() }),
  },
  '/send-verification-email': { ...message, body: z.strictObject({ email }) },
  '/reset-password': {
    method: 'POST',
    body: z.strictObject({ token: text, newPassword: passwordField }),
    newPassword: 'newPassword',
    perAddress: LIMITS.tokenAddress,
    hashes: true,
  },
  '/verify-email': {
    method: 'POST',
    body: z.strictObject({ token: text }),
    perAddress: LIMITS.tokenAddress,
    asGet: true,
  },
  '/two-factor/enable': passwordOfPerson,
  '/two-factor/disable': passwordOfPerson,
  '/two-factor/generate-backup-codes': passwordOfPerson,
  '/two-factor/get-totp-uri': passwordOfPerson,
  '/two-factor/verify-totp': code,
  '/two-factor/verify-backup-code': code,
  '/passkey/generate-register-options': { method: 'GET', fresh: true },
  '/passkey/generate-authenticate-options': { method: 'GET', ...passkey },
  '/passkey/verify-registration': {
    method: 'POST',
    body: z.strictObject({ response: credential, name: passkeyName.optional() }),
    ...passkey,
    fresh: true,
  },
  '/passkey/verify-authentication': {
    method: 'POST',
    body: z.strictObject({ response: credential }),
    ...passkey,
  },
  '/passkey/list-user-passkeys': { method: 'GET' },
  '/passkey/delete-passkey': { method: 'POST', body: z.strictObject({ id: text }), fresh: true },
  '/passkey/update-passkey': {
    method: 'POST',
    body: z.strictObject({ id: text, name: passkeyName.min(1) }),
  },
  '/list-accounts': { method: 'GET' },
  '/unlink-account': { method: 'POST', body: z.strictObject({ accountId: text }), fresh: true },
  '/sign-in/social': social,
  '/link-social': { ...social, fresh: true },
  '/callback/oidc': { method: 'GET', perAddress: LIMITS.oidcAddress, oidc: true },
}
