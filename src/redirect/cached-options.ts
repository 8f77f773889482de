import type { Clock } from '../lib/base/clock.ts'
import type { CacheBounds } from './slug-cache.ts'
import type { SlugReadsOptions } from './slug-reads.ts'

/** Dependencies and bounds. Times are milliseconds. */
export interface CachedResolverOptions extends Partial<SlugReadsOptions> {
  fetch: SlugReadsOptions['fetch']
  clock: Clock
  bounds?: CacheBounds
  /** Entries are used without a query if all changes until this long ago are known. */
  knownWithinMs?: number
  /** Else an older entry is read again. */
  maxAgeMs?: number
  /** While the database is down, an older entry isn't used any more. */
  staleMaxAgeMs?: number
  /** How long a visit waits for the database if there is an old entry. */
  freshWithinMs?: number
}

const MIB = 1024 * 1024
/** The most slugs in a node's cache. */
export const SLUGS_MAX = 200_000
/** See {@link CachedResolverOptions}. */
export const DEFAULTS = {
  bounds: {
    found: { entriesMax: SLUGS_MAX, bytesMax: 128 * MIB },
    missing: { entriesMax: 50_000, bytesMax: 24 * MIB },
  },
  knownWithinMs: 900,
  maxAgeMs: 500,
  staleMaxAgeMs: 86_400_000,
  freshWithinMs: 500,
  fetchWithinMs: 2_000,
  retryMs: 250,
  fetchesMax: 4_096,
}

/** What a cache counts, from its start. */
export function noCounts() {
  return {
    hits: 0,
    misses: 0,
    /** Redirects that could not be verified with the database. */
    stale: 0,
    /** Refused visits: the link wasn't cached and the database didn't respond. */
    refused: 0,
    /** Known changes. */
    changes: 0,
    /** How often changes may have been missed. */
    losses: 0,
  }
}
