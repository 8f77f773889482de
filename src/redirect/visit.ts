import { slugKey } from '../links/values.ts'
import type { SlugRow } from './resolver.ts'
import { fromQrCode, QR_MARKER } from './target.ts'
import type { Use } from './uses.ts'

type Method = 'GET' | 'HEAD' | 'POST'

/** Null: a method that no link answers. */
export function methodOf(name: string): Method | null {
  return name === 'GET' || name === 'HEAD' || name === 'POST' ? name : null
}

/** A visit on its way through one or more turns. */
export class Visit {
  readonly url: string
  readonly headers: Headers
  readonly slugKey: string
  /** `/{slug}+`: shows where it leads. */
  readonly preview: boolean
  /** The hash that the given password fits. */
  unlocked: string | null = null
  /** One of the link's uses was taken for this visit. */
  use: (Use & { seq: number }) | null = null
  /** How often no use was left. */
  refusals = 0
  /** What the visit has waited for, until the next turn uses it; undefined: look it up. */
  fetched: SlugRow | null | undefined = undefined

  constructor(
    readonly request: Request,
    readonly peer: () => string,
    readonly method: Method,
    slug: { slugKey: string; preview: boolean },
    readonly domainNo: number,
    readonly answer: (response: Response) => void,
  ) {
    this.url = request.url
    this.headers = request.headers
    this.slugKey = slug.slugKey
    this.preview = slug.preview
  }
}

/** The query string with its `?`, as the visitor sent it. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/** The link's own path, as a page's button leads to it: a scan stays one. */
export function pathOf(visit: Visit): string {
  const path = `/${encodeURIComponent(visit.slugKey)}`
  return fromQrCode(visit.url) ? `${path}?${QR_MARKER}` : path
}

/** Nothing longer can be a slug: 64 characters of at most two UTF-16 units, and some folding. */
const KEY_LENGTH_MAX = 256
const PLAIN = /^[a-z0-9_-]+$/

/**
 * Reads the path of a WHATWG-serialised URL. Null: no slug can be there (several segments, or a
 * broken percent-encoding, or nothing). One slash at the end is forgiven.
 */
export function parsePath(path: string): Pick<Visit, 'slugKey' | 'preview'> | null {
  if (PLAIN.test(path)) return { slugKey: path, preview: false }
  let segment = path.endsWith('/') ? path.slice(0, -1) : path
  if (segment === '' || segment.includes('/')) return null
  try {
    segment = decodeURIComponent(segment)
  } catch {
    return null
  }
  const preview = segment.endsWith('+')
  if (preview) segment = segment.slice(0, -1)
  if (segment === '' || segment.length > KEY_LENGTH_MAX) return null
  return { slugKey: slugKey(segment), preview }
}
