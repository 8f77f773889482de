import type { OAuth2Tokens } from 'better-auth/oauth2'
import { z } from 'zod'
import { canonicalEmail } from '../../lib/validation/email.ts'
import type { OidcConfig } from '../../platform/config/index.ts'
import { USER_NAME_MAX } from '../users/input.ts'

const ANSWER_WITHIN_MS = 8_000
/** The most bytes of a response, decompressed. */
const ANSWER_BYTES_MAX = 1_048_576

const Description = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
})

const Claims = z.looseObject({
  sub: z.string().min(1).max(255),
  email: z.string().optional(),
  email_verified: z.unknown().optional(),
  name: z.string().optional(),
  preferred_username: z.string().optional(),
})

/** A provider, with its endpoint for more about a person. */
export interface OidcProvider extends OidcConfig {
  userInfoUrl: string | null
}

/**
 * Reads the provider's description (OpenID Connect Discovery 1.0 §4).
 * @throws Error for the operator: it can't be fetched, is incomplete, or names another issuer
 *   (§4.3), whose subjects would be other people
 */
export async function discover(config: OidcConfig): Promise<OidcProvider> {
  const url = discoveryUrlOf(config)
  const description = Description.safeParse(await getJson(url))
  if (!description.success) {
    const [issue] = description.error.issues
    throw new Error(`${url} is not the configuration of a provider: ${issue?.path.join('.')}`)
  }
  const { issuer, userinfo_endpoint = null } = description.data
  if (issuer.replace(/\/+$/, '') !== config.issuer) {
    throw new Error(`${url} describes the issuer ${issuer.slice(0, 200)}, not OIDC_ISSUER`)
  }
  return { ...config, userInfoUrl: userinfo_endpoint }
}

/** The provider as better-auth uses it: authorization code with PKCE, nonce and state. */
export function oidcProvider(provider: OidcProvider) {
  const { clientId, clientSecret } = provider
  return {
    providerId: 'oidc',
    discoveryUrl: discoveryUrlOf(provider),
    requireIdTokenVerification: true,
    clientId,
    clientSecret: clientSecret.reveal(),
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    getUserInfo: (tokens: OAuth2Tokens) => personOf(tokens, provider.userInfoUrl),
  }
}

/**
 * The subject of the ID token, whose signature, issuer, audience, expiry and nonce better-auth has
 * verified. Without one the sign-in is refused: other responses of the provider aren't bound to
 * this browser.
 */
async function personOf({ idToken, accessToken }: OAuth2Tokens, userInfoUrl: string | null) {
  if (idToken === undefined) return null
  const token = Claims.safeParse(payloadOf(idToken))
  if (!token.success) return null
  const more = token.data.email === undefined ? await userInfo(userInfoUrl, accessToken) : null
  // The response must be about the same subject (OpenID Connect Core 1.0 §5.3.2).
  if (more !== null && more.sub !== token.data.sub) return null
  const { email, email_verified, name, preferred_username } = more ?? token.data
  const { sub } = token.data
  return {
    id: sub,
    sub,
    email: email === undefined ? email : (canonicalEmail(email) ?? email),
    name: [...(name ?? preferred_username ?? email ?? '')].slice(0, USER_NAME_MAX).join(''),
    // Verified only if the provider says so explicitly; some say it as text (Amazon Cognito).
    emailVerified: email_verified === true || email_verified === 'true',
  }
}

async function userInfo(url: string | null, accessToken: string | undefined) {
  if (url === null || accessToken === undefined) return null
  const headers = { Authorization: `Bearer ${accessToken}` }
  const claims = Claims.safeParse(await getJson(url, headers).catch(() => null))
  return claims.success ? claims.data : null
}

function payloadOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return null
  }
}

async function getJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const all = { ...headers, Accept: 'application/json' }
  const answer = await fetch(url, { headers: all, signal }).catch((cause) => {
    const { code = cause } = cause as { code?: string }
    throw new Error(`${url} can't be reached (${code})`, { cause })
  })
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
  try {
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of answer.body ?? []) {
      text += decoder.decode(part, { stream: true })
      if (text.length > ANSWER_BYTES_MAX) return null
    }
    return JSON.parse(text)
  } catch {
    return null
  }
}

function discoveryUrlOf({ issuer }: OidcConfig): string {
  return `${issuer}/.well-known/openid-configuration`
}
