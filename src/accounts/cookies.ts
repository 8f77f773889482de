import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../base/random.ts'

/**
 * What stands before the names of our cookies. With TLS the browser itself sees to it that they
 * come from this very host, over TLS, for every path (`__Host-`, RFC 6265bis §4.1.3.2).
 */
export function cookiePrefixOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-slugline' : 'slugline'
}

/** The session's token out of the cookies, if its signature (HMAC-SHA-256) is ours. */
export function createSessionCookie(baseUrl: string, secret: string) {
  const name = `${cookiePrefixOf(baseUrl)}.session_token`
  return {
    name,
    /** The token; null: none, or not one that was given out here. */
    tokenOf(headers: Headers): string | null {
      const value = cookieOf(headers.get('cookie'), name)
      const dot = value?.lastIndexOf('.') ?? -1
      if (value === undefined || dot < 1) return null
      const token = value.slice(0, dot)
      const expected = createHmac('sha256', secret).update(token).digest()
      const given = Buffer.from(value.slice(dot + 1), 'base64')
      return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
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
      const [id = '', signature = ''] = cookieOf(headers.get('cookie'), name)?.split('.') ?? []
      const given = Buffer.from(signature, 'base64url')
      const expected = signatureOf(id, email)
      return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
    },
  }
}

function cookieOf(header: string | null, name: string): string | undefined {
  if (header === null) return undefined
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at < 0 || pair.slice(0, at).trim() !== name) continue
    try {
      return decodeURIComponent(pair.slice(at + 1).trim())
    } catch {
      return undefined
    }
  }
  return undefined
}
