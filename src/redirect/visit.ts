import { slugKey } from '../links/values.ts'
import type { SlugRow } from './resolver.ts'
import { fromQrCode, QR_MARKER } from './target.ts'
import type { Use } from './uses.ts'

/** The methods that a link answers; numbers, because they are compared for every visit. */
export const GET = 0
export const HEAD = 1
export const POST = 2
export type Method = typeof GET | typeof HEAD | typeof POST

/** Null: a method that no link answers. */
export function methodOf(name: string): Method | null {
  return name === 'GET' ? GET : name === 'HEAD' ? HEAD : name === 'POST' ? POST : null
}

/** A visit on its way through one or more turns. */
export interface Visit {
  request: Request
  url: string
  headers: Headers
  peer: () => string
  method: Method
  slugKey: string
  preview: boolean
  domainNo: number
  answer: (response: Response) => void
  /** The hash that the given password fits. */
  unlocked: string | null
  /** One of the link's uses was taken for this visit. */
  use: (Use & { seq: number }) | null
  /** How often a use was asked for in vain. */
  refusals: number
  /** What had to be waited for, until it is looked at; undefined: look it up. */
  fetched: SlugRow | null | undefined
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

/** A path of one segment. */
export interface SlugPath {
  slugKey: string
  /** `/{slug}+`: where does it lead? */
  preview: boolean
}

/** Nothing longer can be a slug: 64 characters of at most two UTF-16 units, and some folding. */
const KEY_LENGTH_MAX = 256
const PLAIN = /^[a-z0-9_-]+$/

/**
 * Reads the path of a WHATWG-serialised URL. Null: no slug can be there (several segments, or a
 * broken percent-encoding, or nothing). One slash at the end is forgiven.
 */
export function parsePath(path: string): SlugPath | null {
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
