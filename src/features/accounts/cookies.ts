import { createHmac } from 'node:crypto'
import { parseSigned, serializeSigned } from 'hono/utils/cookie'
import { emailKey } from '../../lib/validation/email.ts'
import type { AccountsDeps } from './types.ts'

/**
 * The prefix of our cookies' names. With TLS the browser enforces that they come from this host,
 * over TLS, for every path (`__Host-`, RFC 6265bis §4.1.3.2).
 */
export function cookiePrefixOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-slugline' : 'slugline'
}

/** Reads the session's token from cookies; null: none, or its signature is wrong. */
export function createSessionCookie(baseUrl: string, secret: string) {
  const name = `${cookiePrefixOf(baseUrl)}.session_token`
  return async (cookies: string | null): Promise<string | null> =>
    (await parseSigned(cookies ?? '', secret, name))[name] || null
}

const DEVICE_SECONDS = 400 * 86_400
const DEVICE_ID_BYTES = 16

/**
 * Devices on which a person has signed in, identified by a signed cookie, which is valid for the
 * address that signed in there last.
 */
export function createDevices(deps: Pick<AccountsDeps, 'baseUrl' | 'key' | 'random'>) {
  const { baseUrl, key, random } = deps
  const name = `${cookiePrefixOf(baseUrl)}.device`
  const secretOf = (email: string) =>
    createHmac('sha256', key)
      .update(`device\n${emailKey(email)}`)
      .digest()
  return {
    /** The `Set-Cookie` for a device on which the owner of this address has just signed in. */
    issue(email: string): Promise<string> {
      const id = Buffer.from(random.bytes(DEVICE_ID_BYTES)).toString('base64url')
      return serializeSigned(name, id, secretOf(email), {
        maxAge: DEVICE_SECONDS,
        path: '/',
        httpOnly: true,
        secure: baseUrl.startsWith('https:'),
        sameSite: 'Lax',
      })
    },
    /** The id of the device if the owner of this address has signed in on it; else null. */
    async idOf(headers: Headers, email: string): Promise<string | null> {
      return (await parseSigned(headers.get('cookie') ?? '', secretOf(email), name))[name] || null
    },
  }
}
