import { LOCATION_BYTES_MAX } from '../lib/base/headers.ts'
import { isTemplate, PLACEHOLDERS, unmarked } from '../model/links/values.ts'

/** Which parts of a visit a link forwards. */
interface Forwarding {
  forward_query: number
  forward_path: number
}

/** The forwardable parts of a visit. */
export interface Passed {
  /** The matching slug, as typed. */
  slug: string
  /** The path after that slug and a slash, as sent; or empty. */
  rest: string
  /** The query string with its `?`, or empty. */
  search: string
}

/**
 * The `Location` of a visit: a destination of the link, as serialized by the URL standard, with
 * forwarded parts. Whatever a visitor sends, the origin stays. If the URL would be longer than
 * proxies accept, or a value would make a path segment `.` or `..`, none of the path and
 * placeholder values is used: a part could have another meaning than the whole.
 */
export function locationOf(target: string, link: Forwarding, passed: () => Passed): string {
  const hasBraces = isTemplate(target)
  if (!hasBraces && link.forward_query === 0 && link.forward_path === 0) return target
  const visit = passed()
  let location = hasBraces ? filled(target, visit) : target
  // A destination with {path} determines the position of the path.
  if (link.forward_path !== 0 && !(hasBraces && PATH_PLACEHOLDER.test(target))) {
    location = withVisitorsPath(location, visit.rest)
  }
  return link.forward_query === 0 ? location : withVisitorsQuery(location, visit.search)
}

const PATH_PLACEHOLDER = /(?:\{|%7B)path(?:\.\d+)?(?:\}|%7D)/

/** A destination with its placeholders filled in, percent-encoded for their position. */
function filled(target: string, { slug, rest, search }: Passed): string {
  const { start, end } = pathIn(target)
  const segments = rest.split('/')
  const query = new URLSearchParams(search.split('#', 1)[0])
  const ofSlug = () => slug.split('/').map(encoded).join('/')
  function value(name: string, isInPath: boolean): string {
    if (name === 'slug') return ofSlug()
    if (name.startsWith('query.')) return encoded(query.get(name.slice('query.'.length)) ?? '')
    const n = Number(name.slice('path.'.length))
    const chosen = name === 'path' ? segments : segments.slice(n - 1, n)
    return chosen.map(isInPath ? pathSafe : recoded).join('/')
  }
  const filledIn = (part: string, read: (name: string) => string) =>
    // Literal braces are restored between the values, which may have such text too.
    part
      .split(PLACEHOLDERS)
      .map((piece, i) => (i % 2 === 0 ? unmarked(piece) : read(piece)))
      .join('')
  const fill = (read: typeof value) =>
    target.slice(0, start) +
    filledIn(target.slice(start, end), (name) => read(name, true)) +
    filledIn(target.slice(end), (name) => read(name, false))
  return (
    sendable(fill(value)) ??
    sendable(fill((name) => (name === 'slug' ? ofSlug() : ''))) ??
    // The rest of `.{path}` is resolved as a browser would.
    new URL(fill(() => '')).href
  )
}

/** The destination with the rest of the visitor's path appended, byte for byte. */
function withVisitorsPath(target: string, rest: string): string {
  const { start, end } = pathIn(target)
  // Without an authority there is no path to append to.
  if (rest === '' || !target.includes('://')) return target
  const joint = end > start && target[end - 1] === '/' ? '' : '/'
  const path = rest.split('/').map(pathSafe).join('/')
  return sendable(target.slice(0, end) + joint + path + target.slice(end)) ?? target
}

/** The start and end of a URL's path. */
function pathIn(url: string): { start: number; end: number } {
  const authority = url.indexOf('://')
  const found = authority < 0 ? url.search(/[?#]/) : indexFrom(url, /[/?#]/, authority + 3)
  const start = found < 0 ? url.length : found
  return { start, end: indexFrom(url, /[?#]/, start) }
}

function indexFrom(text: string, pattern: RegExp, from: number): number {
  const index = text.slice(from).search(pattern)
  return index < 0 ? text.length : from + index
}

/** Segments that browsers resolve: they would leave the destination's own path. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i

function sendable(location: string): string | undefined {
  if (Buffer.byteLength(location) > LOCATION_BYTES_MAX) return undefined
  const { start, end } = pathIn(location)
  return DOT_SEGMENT.test(location.slice(start, end)) ? undefined : location
}

// Characters that must be encoded in a path, and percent signs without hex digits. Without the flag
// `i`: with `u` it would match ſ as s.
const UNSAFE_IN_PATH = /%(?![\dA-Fa-f]{2})|[^\w.~!$&'()*+,;=:@%-]/gu

/** A segment as it was sent, made safe for any path. */
function pathSafe(segment: string): string {
  return segment.toWellFormed().replace(UNSAFE_IN_PATH, encodeURIComponent)
}

/** A path segment for a query or a fragment: decoded once, then encoded. */
function recoded(segment: string): string {
  try {
    return encoded(decodeURIComponent(segment))
  } catch {
    return encoded(segment)
  }
}

/** A value encoded for any position in a URL. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27')
}

/**
 * The destination with the visitor's parameters appended to its query, byte for byte. They can
 * change neither the origin nor the path nor the fragment. If the URL would be longer than proxies
 * accept, none is forwarded: a part of a query could have another meaning than the whole.
 * @param search the visit's query string with its `?`, or empty; without a fragment
 */
function withVisitorsQuery(target: string, search: string): string {
  const query = search.split('#', 1)[0] as string
  if (query.length < 2) return target
  const hash = target.indexOf('#')
  const end = hash < 0 ? target.length : hash
  const base = target.slice(0, end)
  const own = base.indexOf('?')
  const last = base.charAt(end - 1)
  const joint = own < 0 ? '?' : last === '?' || last === '&' ? '' : '&'
  const location = base + joint + query.slice(1) + target.slice(end)
  return Buffer.byteLength(location) > LOCATION_BYTES_MAX ? target : location
}

/**
 * The query parameter of the dashboard's QR codes, which distinguishes scans from clicks. Only this
 * exact text counts: `qr=2`, `QR=1` and `q%72=1` are the visitor's own.
 */
export const QR_MARKER = 'qr=1'

/** Whether one of our codes was scanned: the URL's query has the marker. */
export function fromQrCode(url: string): boolean {
  return url.includes(QR_MARKER) && isMarked(searchAfter(url))
}

/**
 * The query string without the marker; the rest stays byte for byte.
 * @param search with its `?`, or empty
 */
export function withoutQrMarker(search: string): string {
  if (!search.includes(QR_MARKER)) return search
  const query = search.slice(1)
  if (!isMarked(query)) return search
  const kept = query.split('&').filter((parameter) => parameter !== QR_MARKER)
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function searchAfter(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

function isMarked(query: string): boolean {
  return `&${query}&`.includes(`&${QR_MARKER}&`)
}
