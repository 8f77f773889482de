import { createMemo } from '../../lib/base/memo.ts'

/** The referrer of a visit; both null: none was sent. */
export interface Referrer {
  /** Host in lower-case ASCII without `www.` and port; for an Android app its package. */
  readonly host: string | null
  /** Percent-encoded path. */
  readonly path: string | null
}

const REFERRERS_REMEMBERED = 5_000
const PATH_LENGTH = 512
const NONE: Referrer = { host: null, path: null }

/**
 * Parses a `Referer` header (RFC 9110 §10.1.3) without its query. Internationalized hosts stay in
 * Punycode, as they were sent: lookalikes would otherwise seem the same but be counted separately.
 * `android-app://com.example/` names the app in which a link was tapped.
 */
export const referrerOf = createMemo(REFERRERS_REMEMBERED, read)

function read(text: string): Referrer {
  const url = URL.parse(text)
  if (url === null) return NONE
  if (url.protocol === 'android-app:') {
    const host = url.hostname.toLowerCase()
    return /^[a-z][\w.]*$/.test(host) ? { host, path: null } : NONE
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return NONE
  const host = url.hostname.replace(/^www\.(?=.*\.)/, '').replace(/\.$/, '')
  return host === '' ? NONE : { host, path: url.pathname.slice(0, PATH_LENGTH) }
}
