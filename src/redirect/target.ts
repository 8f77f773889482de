import { LOCATION_BYTES_MAX } from '../base/headers.ts'

/**
 * The destination with the visitor's parameters behind its own, byte for byte. They go into the
 * query alone: neither the origin nor the path nor the fragment can be reached by them. Where
 * the result would be longer than proxies pass on, none of them is forwarded: a part of a query
 * could say something else than the whole.
 *
 * @param search the visit's query string with its `?`, or empty. What a program sends behind a
 *   `#`, which no browser does, is no part of it.
 */
export function withVisitorsQuery(target: string, search: string): string {
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
 * What the QR codes of the dashboard carry, so that scans are told apart from clicks. Nothing but
 * this very parameter is it: `qr=2`, `QR=1` and `q%72=1` are the visitor's own.
 */
export const QR_MARKER = 'qr=1'

/** True when one of our codes was scanned: the URL's query has the marker. */
export function fromQrCode(url: string): boolean {
  return url.includes(QR_MARKER) && isMarked(searchAfter(url))
}

/**
 * The query string without the marker; everything else stays byte for byte, in its order.
 *
 * @param search with its `?`, or empty.
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
