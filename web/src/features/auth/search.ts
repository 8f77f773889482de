import { defined, oneOf, textOf } from '../../app/search-params.ts'

/** What the addresses of those who aren't signed in may have. */
export interface AuthSearch {
  /** Where to go afterwards: a page of ours. */
  next?: string
  /** Why another site sent the person back without signing them in. */
  error?: string
  /** The session came to its end while somebody was at work. */
  ended?: 'true'
  /** The password has just been changed by a link. */
  reset?: 'true'
}

export function authSearch(search: Record<string, unknown>): AuthSearch {
  return defined({
    next: ownPage(textOf(search.next)),
    error: textOf(search.error),
    ended: oneOf(search.ended, ['true']),
    reset: oneOf(search.reset, ['true']),
  })
}

/** A page of ours, or undefined: nobody is sent elsewhere by an address that somebody made. */
export function ownPage(next: string | undefined): string | undefined {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return undefined
  try {
    const url = new URL(next, 'https://slugline.invalid')
    return url.host === 'slugline.invalid' ? url.pathname + url.search + url.hash : undefined
  } catch {
    return undefined
  }
}
