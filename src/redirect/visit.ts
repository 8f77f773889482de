import { HOW } from '../clicks/index.ts'
import { SLUG_SEGMENTS_MAX, slugKey } from '../links/slug.ts'
import type { Visitor } from '../rules/index.ts'
import type { Destined, SlugRow } from './resolver.ts'
import { fromQrCode, locationOf, QR_MARKER, withoutQrMarker } from './target.ts'
import type { Who } from './who.ts'

type Method = 'GET' | 'HEAD' | 'POST'

/** Null: a method that no link answers. */
export function methodOf(name: string): Method | null {
  return name === 'GET' || name === 'HEAD' || name === 'POST' ? name : null
}

/** What a path asks for. */
export interface Asked {
  /** The key of the slug that the whole path names; empty where no slug can be so. */
  readonly whole: string
  /** The keys of its first segments, the longest first: a link may answer all that is below it. */
  readonly above: readonly string[]
  /** `/{slug}+`: shows where it leads. */
  readonly preview: boolean
}

/** A visit on its way through one or more turns. */
export class Visit {
  readonly url: string
  readonly headers: Headers
  readonly preview: boolean
  /** Of the slug that answers; until one is found, that of the whole path. */
  slugKey: string
  /** The hash that the given password fits. */
  unlocked: string | null = null
  /** One of the link's uses was taken for this visit. */
  use: (Destined & { seq: number }) | null = null
  /** The day's hash of the visitor, once it was asked for. */
  hash: string | undefined = undefined
  #address: string | undefined
  #visitor: Visitor | undefined
  /** How often no use was left. */
  refusals = 0
  /** What the visit has waited for, until the next turn uses it; undefined: look it up. */
  fetched: SlugRow | null | undefined = undefined

  constructor(
    readonly request: Request,
    readonly peer: () => string,
    readonly method: Method,
    /** Of the URL, without the slash at its beginning. */
    readonly path: string,
    readonly asked: Asked,
    readonly domainNo: number,
    readonly answer: (response: Response | Promise<Response>) => void,
    readonly who: Who,
  ) {
    this.url = request.url
    this.headers = request.headers
    this.slugKey = asked.whole
    this.preview = asked.preview
  }

  /** The visitor's whole address. */
  get address(): string {
    this.#address ??= this.who.addressOf(this)
    return this.#address
  }

  /** Who visits; the same one in every turn. */
  visitor(now: number): Visitor {
    this.#visitor ??= this.who.visitorOf(this, now)
    return this.#visitor
  }
}

/** How a visit came about, in bits of `HOW`; null: it isn't counted. `tracking` is the link's. */
export function howOf({ method, url }: Visit, tracking = 'full'): number | null {
  if (method === 'HEAD' || tracking === 'none') return null
  const asked = method === 'POST' ? HOW.password : 0
  const scanned = fromQrCode(url) ? HOW.qr : 0
  return asked | scanned | (tracking === 'count' ? HOW.bare : 0)
}

/** The query string with its `?`, as the visitor sent it. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/** The visit's path without the preview's `+`, as a page's button leads to it: a scan stays one. */
export function pathOf(visit: Visit): string {
  const rest = restOf(visit)
  const slug = encodeURIComponent(visit.slugKey).replaceAll('%2F', '/')
  const path = rest === '' ? `/${slug}` : `/${slug}/${rest}`
  return fromQrCode(visit.url) ? `${path}?${QR_MARKER}` : path
}

/** What the path has behind the slug that answers and a slash, as it was sent; or empty. */
export function restOf({ path, slugKey, asked }: Visit): string {
  if (slugKey === asked.whole) return ''
  let rest = path.split('#', 1)[0] as string
  for (let n = slugKey.split('/').length; n > 0; n--) rest = rest.slice(rest.indexOf('/') + 1)
  return asked.preview ? rest.replace(/\+\/?$/, '') : rest
}

/** Where a visit is sent; a preview's own query is for the preview. `link` null: it adds nothing. */
export function locationFor(
  visit: Visit,
  { target, link }: { target: string; link: Destined | null },
): string {
  if (link === null) return target
  return locationOf(target, link, () => ({
    slug: link.slug,
    rest: restOf(visit),
    search: visit.preview ? '' : withoutQrMarker(searchOf(visit.url)),
  }))
}

/** Nothing longer can be a slug: 128 characters of at most two UTF-16 units, and some folding. */
const KEY_LENGTH_MAX = 512
const PLAIN = /^[a-z0-9_-]+$/
const NONE: readonly string[] = []

/**
 * Reads the path of a WHATWG-serialised URL. Null: no slug can be there. One slash at the end is
 * forgiven. Each segment is decoded once, so that an encoded slash parts none.
 */
export function parsePath(path: string, isCaseSensitive = false): Asked | null {
  if (PLAIN.test(path)) return { whole: path, above: NONE, preview: false }
  const plain = (path.split('#', 1)[0] as string).replace(/\/$/, '')
  // A slug has no plus sign, but a path below one may have: only a plain one asks for the preview there.
  const preview = plain.endsWith('+') || /^[^/]*%2B$/i.test(plain)
  const segments = (preview ? plain.replace(/\+$|%2B$/i, '') : plain).split('/')
  const names: string[] = []
  for (const segment of segments.slice(0, SLUG_SEGMENTS_MAX)) {
    const name = decoded(segment)
    if (name === null) break
    names.push(name)
  }
  const key = slugKey(names.join('/'), isCaseSensitive)
  const above: string[] = []
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
    above.push(key.slice(0, end))
  }
  const isWhole = names.length === segments.length && key.length <= KEY_LENGTH_MAX
  if (!isWhole) above.unshift(key)
  const possible = above.filter((one) => one !== '' && one.length <= KEY_LENGTH_MAX)
  if (!isWhole && possible.length === 0) return null
  return { whole: isWhole ? key : '', above: possible, preview }
}

/** Null: no slug has such a segment. */
function decoded(segment: string): string | null {
  try {
    const name = decodeURIComponent(segment)
    return name === '' || name.includes('/') ? null : name
  } catch {
    return null
  }
}
