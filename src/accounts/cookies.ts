import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse, parseSigned } from 'hono/utils/cookie'
import type { Random } from '../base/random.ts'

/**
 * What stands before the names of our cookies. With TLS the browser itself sees to it that they
 * come from this very host, over TLS, for every path (`__Host-`, RFC 6265bis §4.1.3.2).
 */
export function cookiePrefixOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-slugline' : 'slugline'
}

/** Finds the session's token in cookies; null: there is none, or its signature isn't ours. */
export function createSessionCookie(baseUrl: string, secret: string) {
  const name = `${cookiePrefixOf(baseUrl)}.session_token`
  return {
    async tokenOf(cookies: string | null): Promise<string | null> {
      return (await parseSigned(cookies ?? '', secret, name))[name] || null
    },
  }
}

const DEVICE_SECONDS = 400 * 86_400
const DEVICE_ID_BYTES = 16

export type Devices = ReturnType<typeof createDevices>

/**
 * Devices on which somebody has signed in, told by a signed cookie. It is good for one address: the
 * last that signed in there.
 */
export function createDevices(baseUrl: string, key: Uint8Array, random: Random) {
  const name = `${cookiePrefixOf(baseUrl)}.device`
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  const signatureOf = (id: string, email: string) =>
    createHmac('sha256', key).update(`device\n${id}\n${email.toLowerCase()}`).digest()
  return {
    /** The `Set-Cookie` of a device on which the owner of this address has just signed in. */
    issue(email: string): string {
      const id = Buffer.from(random.bytes(DEVICE_ID_BYTES)).toString('base64url')
      const value = `${id}.${signatureOf(id, email).toString('base64url')}`
      return `${name}=${value}; Max-Age=${DEVICE_SECONDS}; Path=/; HttpOnly${secure}; SameSite=Lax`
    },
    /** An id of the device, if the owner of this address has signed in on it; else null. */
    idOf(headers: Headers, email: string): string | null {
      const [id = '', signature = ''] =
        parse(headers.get('cookie') ?? '', name)[name]?.split('.') ?? []
      const given = Buffer.from(signature, 'base64url')
      const expected = signatureOf(id, email)
      return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
    },
  }
}
