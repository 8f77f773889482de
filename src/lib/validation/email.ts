import { z } from '@hono/zod-openapi'
import { canonicalHost } from './host.ts'

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
export const EMAIL_MAX = 254
/** A host in Unicode may be longer than in ASCII. */
const TYPED_MAX = EMAIL_MAX * 5

const address = z.email().max(EMAIL_MAX)
/** Characters that end the host of a URL, or that the URL parser decodes. */
const NO_HOST = /[\s/?#@:\\%[\]]|\.$/

/**
 * The stored form of an email address: trimmed, an international host in ASCII (IDNA), as mail
 * servers and sign-in expect it. Null: it isn't an address.
 */
export function canonicalEmail(text: string): string | null {
  if (text.length > TYPED_MAX) return null
  const email = text.trim()
  const at = email.lastIndexOf('@') + 1
  const host = email.slice(at)
  const isPlain = /^[\x21-\x7e]*$/.test(host) && !/xn--/i.test(host)
  const stored = isPlain || NO_HOST.test(host) ? email : email.slice(0, at) + canonicalHost(host)
  return address.safeParse(stored).success ? stored : null
}

/** The form in which addresses are compared: without regard to case, hosts in ASCII. */
export function emailKey(text: string): string {
  return (canonicalEmail(text) ?? text.trim()).toLowerCase()
}
