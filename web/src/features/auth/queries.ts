import { api, ok, request, type Schemas } from '../../api/client.ts'

/** The result of a sign-in. */
export interface SignedIn {
  /** A code is required next. */
  twoFactorRedirect?: boolean
}

export function signIn(email: string, password: string): Promise<SignedIn> {
  return request('POST', '/api/auth/sign-in/email', { body: { email, password } })
}

export function signUp(name: string, email: string, password: string): Promise<unknown> {
  return request('POST', '/api/auth/sign-up/email', { body: { name, email, password } })
}

export function signOut(): Promise<unknown> {
  return request('POST', '/api/auth/sign-out', { body: {} })
}

/** The second factor: the app's digits, or one of the recovery codes. */
export function confirmSignIn(
  kind: 'totp' | 'backup-code',
  code: string,
  trustDevice: boolean,
): Promise<unknown> {
  return request('POST', `/api/auth/two-factor/verify-${kind}`, { body: { code, trustDevice } })
}

/** The URL of the provider's sign-in. */
export async function oidcAddress(provider: string, next: string): Promise<string> {
  const { url } = await request<{ url: string }>('POST', '/api/auth/sign-in/social', {
    body: {
      provider,
      callbackURL: next,
      errorCallbackURL: '/app/sign-in',
      disableRedirect: true,
    },
  })
  return url
}

export function askForReset(email: string): Promise<unknown> {
  return request('POST', '/api/auth/request-password-reset', {
    body: { email, redirectTo: '/app/reset-password' },
  })
}

export function resetPassword(token: string, newPassword: string): Promise<unknown> {
  return request('POST', '/api/auth/reset-password', { body: { token, newPassword } })
}

export function verifyEmail(token: string): Promise<unknown> {
  return request('POST', '/api/auth/verify-email', { body: { token } })
}

export function confirmEmailChange(token: string): Promise<unknown> {
  return ok(api.POST('/api/v1/account/email/confirm', { body: { token } }))
}

/** Confirms the identity by password, for actions that need a recent sign-in. */
export function confirmSession(password: string): Promise<unknown> {
  return ok(api.POST('/api/v1/session/confirm', { body: { password } }))
}

/** The first account and its workspace. */
export interface Claim {
  token: string
  email: string
  password: string
  name: string
  workspace: string
}

export function claim(body: Claim): Promise<unknown> {
  return ok(api.POST('/api/v1/claim', { body }))
}

/** The details of an invitation, for the bearer of its token. */
export type Invitation = Schemas['InvitationPreview']

export function lookUpInvitation(token: string): Promise<Invitation> {
  return ok(api.POST('/api/v1/invitations/lookup', { body: { token } }))
}

/** Joins with the signed-in account, or with a new one. */
export function acceptInvitation(
  token: string,
  account?: { name: string; password: string },
): Promise<unknown> {
  return ok(api.POST('/api/v1/invitations/accept', { body: { token, ...account } }))
}
