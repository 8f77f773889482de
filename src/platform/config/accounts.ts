import { Secret } from '../../lib/base/secret.ts'
import { type ConfigFault, missing } from './fault.ts'
import { BadValue } from './parse.ts'
import type { Get } from './variables.ts'

/** A mail server, and the sender: an address, optionally with a name. */
export interface MailConfig {
  /** `smtp://` or `smtps://`, optionally with user name and password. */
  url: Secret
  from: string
}

/** An OpenID Connect provider for single sign-on (OpenID Connect Discovery 1.0). */
export interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: Secret
  /** The name on the button. */
  name: string
}

/** The mail server, if one is set. It takes two settings. */
export function mailOf(get: Get, faults: ConfigFault[]): MailConfig | null {
  const url = get('SMTP_URL', smtpUrl, null)
  const from = get('MAIL_FROM', sender, null)
  if (url === null || from !== null) return url && from ? { url: new Secret(url), from } : null
  missing(faults, 'MAIL_FROM', 'SMTP_URL', 'Slugline <links@example.com>')
  return null
}

/** The provider of single sign-on, if one is set. It takes three settings. */
export function oidcOf(get: Get, faults: ConfigFault[]): OidcConfig | null {
  const issuer = get('OIDC_ISSUER', issuerUrl, null)
  const text = (value: string) => value
  const clientId = get('OIDC_CLIENT_ID', text, null)
  const clientSecret = get('OIDC_CLIENT_SECRET', text, null)
  const name = get('OIDC_NAME', text, 'SSO')
  if (issuer === null) return null
  if (clientId === null) missing(faults, 'OIDC_CLIENT_ID', 'OIDC_ISSUER', 'slugline')
  if (clientSecret === null) {
    missing(faults, 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER', 'the secret that the provider shows')
  }
  if (clientId === null || clientSecret === null) return null
  return { issuer, clientId, clientSecret: new Secret(clientSecret), name }
}

function smtpUrl(value: string): string {
  const url = URL.parse(value)
  if (url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '') {
    const tls = url.searchParams.get('requireTLS') ?? 'true'
    if (tls === 'true' || tls === 'false') return value
    throw new BadValue(
      'has a requireTLS that is neither true nor false',
      'smtp://user:password@mail.example.com?requireTLS=true',
    )
  }
  throw new BadValue(
    "isn't a URL that starts with smtp:// or smtps:// (not shown here, it may hold a password)",
    'smtps://user:password@mail.example.com',
  )
}

/** An address, optionally after a name. */
function sender(value: string): string {
  const address = /^[^<>\r\n]*<([^<>\s]+@[^<>\s]+)>$/.exec(value)?.[1] ?? value
  if (/^[^\s@<>,]+@[^\s@<>,]+$/.test(address)) return value
  throw new BadValue("isn't an email address", 'Slugline <links@example.com>')
}

/**
 * OpenID Connect Discovery requires https; plain http is allowed for a provider on this machine.
 */
function issuerUrl(value: string): string {
  const url = URL.parse(value)
  const isLocal = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  const schemes = isLocal ? /^https?:$/ : /^https:$/
  if (url !== null && schemes.test(url.protocol) && url.search === '' && url.hash === '') {
    return value.replace(/\/+$/, '')
  }
  throw new BadValue("isn't a URL that starts with https://", 'https://login.example.com')
}
