import { createHmac, timingSafeEqual } from 'node:crypto'

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
