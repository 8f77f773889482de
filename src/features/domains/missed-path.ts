import { classify } from '../../clicks/classify.ts'
import { agentOf, fetchedAhead } from '../../clicks/index.ts'
import { REQUESTED_UNASKED } from '../../model/links/slug.ts'
import { parsePath, sentPath } from '../../redirect/index.ts'
import type { MissedPath } from './missed-store.ts'

/** Requests of programs that read what they find anywhere, not of somebody who has a link. */
const WANDERING: ReadonlySet<string | null> = new Set([
  ...['search_engine', 'ai', 'monitor', 'security', 'feed', 'crawler'],
])
/** Control and invisible characters stay percent-encoded. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Whether a visit is that of somebody who has a link, or of a program that uses it. */
export function isCounted({ method, headers }: Request): boolean {
  if (method !== 'GET') return false
  const { kind, reason } = classify(fetchedAhead(headers), agentOf(headers))
  return kind !== 'preview' && !WANDERING.has(reason)
}

/** A path and its key; null: the root, or a file that browsers and crawlers request unasked. */
export function missedPath(
  url: string,
  isCaseSensitive: boolean,
): Pick<MissedPath, 'path' | 'path_key'> | null {
  const sent = sentPath(url)
  const path = readablePath(sent)
  const first = path.slice(1).split('/', 1)[0] as string
  if (path === '/' || REQUESTED_UNASKED.has(first.toLowerCase())) return null
  // Paths that can't be slugs keep their leading slash, which no slug has.
  return { path, path_key: parsePath(sent, isCaseSensitive)?.whole || path }
}

/** A path for people: decoded as far as that is safe. */
function readablePath(sent: string): string {
  let path = sent.split('#', 1)[0] as string
  try {
    path = decodeURIComponent(path)
  } catch {}
  return `/${path
    .toWellFormed()
    .replace(UNSAFE, encodeURIComponent)
    .replace(/(.)\/$/, '$1')}`
}
