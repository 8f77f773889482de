import { defined, oneOf, textOf } from '../../app/search-params.ts'

/** The search parameters of pages before the sign-in. */
export interface AuthSearch {
  /** The page to continue with: one of ours. */
  next?: string
  /** Why a provider sent the person back without signing them in. */
  error?: string
  /** The session has expired. */
  ended?: 'true'
  /** The password has just been reset by a link. */
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

/** The page if it is one of ours, else undefined: prevents open redirects. */
export function ownPage(next: string | undefined): string | undefined {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return undefined
  try {
    const url = new URL(next, 'https://slugline.invalid')
    return url.host === 'slugline.invalid' ? url.pathname + url.search + url.hash : undefined
  } catch {
    return undefined
  }
}
