import { slugKey } from '../links/slug.ts'

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
