import {
  agentOf,
  CLICK_FLAGS,
  type ExcludedNetworks,
  fetchedAhead,
  type Recorder,
} from '../clicks/index.ts'
import type { ClientAddress } from '../lib/base/client-address.ts'
import { SLUG_SEGMENTS_MAX, slugKey } from '../model/links/slug.ts'
import { type NearMiss, nearMisses } from './near-miss.ts'
import type { LinkTarget, SlugRow } from './resolver.ts'
import { Visitor, type VisitorFacts } from './rules/index.ts'
import { fromQrCode, locationOf, QR_MARKER, withoutQrMarker } from './target.ts'

/** What visits are told apart with. */
export interface VisitDeps {
  recorder: Recorder
  clientAddress: ClientAddress
  /** The country and region of a truncated address, for rules. */
  placeOf: VisitorFacts['placeOf']
  /** Whose visits aren't counted. Absent: all are. */
  excluded?: Pick<ExcludedNetworks, 'covers'> | undefined
  /** Whether slugs of a domain are case-sensitive. Default: they aren't. */
  isCaseSensitive?: (domainNo: number) => boolean
}

type Method = 'GET' | 'HEAD' | 'POST'

/** Null: an unsupported method. */
export function methodOf(name: string): Method | null {
  return name === 'GET' || name === 'HEAD' || name === 'POST' ? name : null
}

/** What a path requests. */
export interface RequestedPath {
  /** The key of the slug for the whole path; empty if it can't be a slug. */
  readonly whole: string
  /** The keys of its first segments, longest first: a prefix link may match. */
  readonly above: readonly string[]
  /** `/{slug}+`: the preview. */
  readonly preview: boolean
}

/** A visit during one or more event-loop turns. */
export class Visit {
  url: string
  readonly headers: Headers
  preview: boolean
  /** The key of the matching slug; until one is found, that of the whole path. */
  slugKey: string
  /** The hash that matches the given password. */
  unlocked: string | null = null
  /** The use of a limited link that was taken for this visit. */
  use: (LinkTarget & { seq: number }) | null = null
  /** The day's hash of the visitor, once it was computed. */
  hash: string | undefined = undefined
  #address: string | undefined
  #visitor: Visitor | undefined
  /** How often no use was left. */
  refusals = 0
  /** The result that the visit waited for, used by the next turn; undefined: look it up. */
  fetched: SlugRow | null | undefined = undefined
  #readings: NearMiss[] | undefined

  constructor(
    readonly request: Request,
    readonly peer: () => string,
    readonly method: Method,
    /** The URL's path, without its leading slash. */
    public path: string,
    public requested: RequestedPath,
    readonly domainNo: number,
    readonly answer: (response: Response | Promise<Response>) => void,
    readonly facts: VisitorFactsReader,
  ) {
    this.url = request.url
    this.headers = request.headers
    this.slugKey = requested.whole
    this.preview = requested.preview
  }

  /** After a miss: reads the path differently. False: no other reading is left. */
  readAgain(deps: Pick<VisitDeps, 'isCaseSensitive'>): boolean {
    this.#readings ??= nearMisses(this.path)
    const next = this.#readings.shift()
    if (next === undefined) return false
    const requested = parsePath(next.path, deps.isCaseSensitive?.(this.domainNo))
    if (requested === null) return this.readAgain(deps)
    this.url = withReading(this.request.url, next)
    this.path = next.path
    this.requested = requested
    this.slugKey = requested.whole
    this.preview = requested.preview
    return true
  }

  /** The visitor's whole address. */
  get address(): string {
    this.#address ??= this.facts.addressOf(this)
    return this.#address
  }

  /** The visitor; the same object in every turn. */
  visitor(now: number): Visitor {
    this.#visitor ??= this.facts.visitorOf(this, now)
    return this.#visitor
  }
}

/** A URL with another reading of its path, whose query comes before its own. */
function withReading(url: string, { path, query }: NearMiss): string {
  const own = searchOf(url)
  const from = pathStart(url)
  const search = [query, own.slice(1)].filter((part) => part !== '').join('&')
  return `${url.slice(0, from)}${path}${search === '' ? '' : `?${search}`}`
}

/** Where the path of a URL starts, after its leading slash. Without a host there is only the path. */
function pathStart(url: string): number {
  return url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('//') + 2) + 1
}

/** The path of a URL as sent, without its leading slash. */
export function sentPath(url: string): string {
  return url.slice(pathStart(url), url.length - searchOf(url).length)
}

/** Computes facts about the visitor of a visit when they are first needed. */
type VisitorFactsReader = ReturnType<typeof createVisitorFacts>

export function createVisitorFacts({ recorder, clientAddress, placeOf }: VisitDeps) {
  return {
    addressOf: ({ peer, headers }: Visit): string => clientAddress(peer(), headers),
    /** For the rules of links: as the click of the visit will have it. */
    visitorOf(visit: Visit, now: number): Visitor {
      const { headers, url, address } = visit
      return new Visitor({
        now,
        userAgent: agentOf(headers),
        how: fetchedAhead(headers),
        language: headers.get('accept-language') ?? '',
        search: searchOf(url),
        referrer: headers.get('referer') ?? '',
        address,
        placeOf,
        hash: () => recorder.hash(visit, now),
      })
    },
  }
}

/** False: the workspace of the link doesn't count visits from the visitor's address. */
function isCounted(
  { excluded }: Pick<VisitDeps, 'excluded'>,
  visit: Visit,
  linkSeq: number,
): boolean {
  return excluded?.covers(linkSeq, visit.address) !== true
}

/** Whether a visit uses up one of `max_clicks`: that of a person, and not excluded. */
export function usesOne(
  deps: Pick<VisitDeps, 'excluded' | 'recorder'>,
  visit: Visit,
  linkSeq: number,
): boolean {
  const isPerson = visit.method !== 'HEAD' && deps.recorder.isPerson(visit.headers)
  return isPerson && isCounted(deps, visit, linkSeq)
}

/** The flags of a visit as a click; null: it isn’t counted. `tracking` is the link’s. */
export function clickFlags(
  deps: Pick<VisitDeps, 'excluded'>,
  visit: Visit,
  linkSeq: number,
  tracking = 'full',
): number | null {
  const { method, url } = visit
  if (method === 'HEAD' || tracking === 'none' || !isCounted(deps, visit, linkSeq)) return null
  const password = method === 'POST' ? CLICK_FLAGS.password : 0
  const scan = fromQrCode(url) ? CLICK_FLAGS.qr : 0
  return password | scan | (tracking === 'count' ? CLICK_FLAGS.countOnly : 0)
}

/** The query string with its `?`, as sent. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/** The visit's path without the preview's `+`, for the page's button; keeps a scan's marker. */
export function pathOf(visit: Visit): string {
  const rest = restOf(visit)
  const slug = encodeURIComponent(visit.slugKey).replaceAll('%2F', '/')
  const path = rest === '' ? `/${slug}` : `/${slug}/${rest}`
  return fromQrCode(visit.url) ? `${path}?${QR_MARKER}` : path
}

/** The path after the matching slug and a slash, as sent; or empty. */
export function restOf({ path, slugKey, requested }: Visit): string {
  if (slugKey === requested.whole) return ''
  let rest = path.split('#', 1)[0] as string
  for (let n = slugKey.split('/').length; n > 0; n--) rest = rest.slice(rest.indexOf('/') + 1)
  return requested.preview ? rest.replace(/\+\/?$/, '') : rest
}

/** The `Location` of a visit; a preview's query isn't forwarded. `link` null: nothing is added. */
export function locationFor(
  visit: Visit,
  { target, link }: { target: string; link: LinkTarget | null },
): string {
  if (link === null) return target
  return locationOf(target, link, () => ({
    slug: link.slug,
    rest: restOf(visit),
    search: visit.preview ? '' : withoutQrMarker(searchOf(visit.url)),
  }))
}

/** Longer paths can't be slugs: 128 characters of at most two UTF-16 units, and some folding. */
const KEY_LENGTH_MAX = 512
const PLAIN = /^[a-z0-9_-]+$/
const NONE: readonly string[] = []

/**
 * Parses the path of a WHATWG-serialized URL. Null: it can't be a slug. One trailing slash is
 * ignored. Each segment is decoded once, so that an encoded slash doesn't separate segments.
 */
export function parsePath(path: string, isCaseSensitive = false): RequestedPath | null {
  if (PLAIN.test(path)) return { whole: path, above: NONE, preview: false }
  const plain = (path.split('#', 1)[0] as string).replace(/\/$/, '')
  // Slugs have no plus sign, but paths below them may: only an unencoded one requests the preview
  // there.
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

/** A path that can’t be a slug itself, but in other readings. Null: it has none. */
export function onlyNearMisses(path: string): RequestedPath | null {
  return nearMisses(path).length === 0 ? null : { whole: '', above: NONE, preview: false }
}

/** Null: not possible in a slug. */
function decoded(segment: string): string | null {
  try {
    const name = decodeURIComponent(segment)
    return name === '' || name.includes('/') ? null : name
  } catch {
    return null
  }
}
