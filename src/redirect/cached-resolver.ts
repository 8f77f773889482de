import type { Clock } from '../base/clock.ts'
import { type LinkChange, StorageUnavailable } from '../storage/index.ts'
import type { FoundSlug } from './fetch-slug.ts'
import type { LinkRow, Resolver, SlugRow } from './resolver.ts'
import { type CacheBounds, CachedSlug, SlugCache } from './slug-cache.ts'

/** What it works with, and its bounds. Times are milliseconds. */
export interface CachedResolverOptions {
  /** Reads a slug from the database. @throws StorageUnavailable */
  fetch: (slugKey: string, domainNo: number) => Promise<FoundSlug | null>
  clock: Clock
  bounds?: CacheBounds
  /** What is older is asked for again, whatever was heard of it. */
  maxAgeMs?: number
  /** The same while nothing is heard of other nodes' changes: they are obeyed within a second. */
  unheardMaxAgeMs?: number
  /** While the database is away, what is older than this is told no longer. */
  staleMaxAgeMs?: number
  /** So long a visit waits for the database where there is something stale to fall back to. */
  freshWithinMs?: number
  /** So long it waits where there is nothing; the database counts as away then. */
  fetchWithinMs?: number
  /** How often the database is tried while it is away. */
  retryMs?: number
  /** So many slugs are asked for at once; beyond, visits of others are turned away. */
  fetchesMax?: number
}

/** How the cache does. */
export interface ResolverState {
  entries: number
  bytes: number
  hits: number
  misses: number
  /** Answers that could not be checked. */
  stale: number
  /** Changes that were heard of. */
  changes: number
  /** How often messages may have been lost. */
  losses: number
  /** The database can't be read. */
  away: boolean
  /** Other nodes' changes are heard of. */
  heard: boolean
}

/** A {@link Resolver} that remembers. */
export interface CachedResolver extends Resolver {
  /** Forgets what has changed, at once: a visit after this reads what was committed before it. */
  changed(changes: readonly LinkChange[]): void
  /** Messages may have been lost: nothing is believed any more without asking. */
  lost(): void
  /** Whether changes of other nodes are heard of now. */
  hearing(heard: boolean): void
  /** Takes in what an earlier process remembered; it is only told while the database is away. */
  restore(entries: Iterable<CachedSlug>): void
  /** The entries, those asked for lately first; stops when it is no longer asked. */
  hottest(): Generator<CachedSlug>
  state(): ResolverState
  close(): void
}

const MIB = 1024 * 1024
const BOUNDS: CacheBounds = {
  found: { entriesMax: 200_000, bytesMax: 128 * MIB },
  missing: { entriesMax: 50_000, bytesMax: 24 * MIB },
}
/** The era of what wasn't read by this process. */
export const BEFORE = -1

/**
 * Redirects from a bounded memory in front of a database that may be far away. It is kept true by
 * messages about what changes ({@link CachedResolver.changed}); each entry's age bounds what a
 * lost message can do.
 *
 * A read that began before a change was heard of may have missed it: it is given to the visits that
 * waited for it before, and neither kept nor joined by later ones.
 */
export function createCachedResolver(options: CachedResolverOptions): CachedResolver {
  const { fetch, clock, maxAgeMs = 300_000, unheardMaxAgeMs = 500 } = options
  const { staleMaxAgeMs = 86_400_000, freshWithinMs = 500, fetchWithinMs = 2_000 } = options
  const { retryMs = 250, fetchesMax = 4_096 } = options
  const cache = new SlugCache(options.bounds ?? BOUNDS)
  const fetches = new Map<string, Promise<FoundSlug | null>>()
  let turn = 0
  let era = 0
  let heard = false
  let ageMs = unheardMaxAgeMs
  let retrying: Timer | undefined
  /** A visit has waited too long for the database, and no read has been answered since. */
  let isSlow = false
  let last: { slugKey: string; domainNo: number } | undefined
  const counts = { hits: 0, misses: 0, stale: 0, changes: 0, losses: 0 }

  function isAged(entry: CachedSlug, mostMs: number): boolean {
    const age = turn - entry.readAt
    return age >= mostMs || age < 0
  }

  /** That there is nothing is not told unchecked: somebody may have made it. */
  function mayBeStale({ link_seq, readAt }: CachedSlug): boolean {
    return link_seq !== null && turn - readAt < staleMaxAgeMs
  }

  function miss(entry: CachedSlug | undefined, slugKey: string, domainNo: number) {
    const old = entry !== undefined && mayBeStale(entry) ? entry : undefined
    if (retrying !== undefined) {
      if (old === undefined) throw unavailable('The database is away')
      return stale(old)
    }
    counts.misses++
    if (old === undefined) return load(slugKey, domainNo)
    const hasRoom = fetches.size < fetchesMax
    if (hasRoom && !isSlow) return freshOrStale(load(slugKey, domainNo), old)
    // One visit has found out that it is slow: not each of them has to.
    if (hasRoom) load(slugKey, domainNo).catch(() => {})
    return stale(old)
  }

  function stale(entry: CachedSlug): CachedSlug {
    counts.stale++
    entry.visited = true
    return entry
  }

  async function freshOrStale(found: Promise<FoundSlug | null>, old: CachedSlug) {
    try {
      return await within(found, freshWithinMs)
    } catch (error) {
      if (error instanceof StorageUnavailable) isSlow = true
      // Something was heard of it meanwhile: then it isn't known any more.
      if (!(error instanceof StorageUnavailable) || !old.kept) throw error
      return stale(old)
    }
  }

  function load(slugKey: string, domainNo: number): Promise<FoundSlug | null> {
    const id = idOf(slugKey, domainNo)
    const running = fetches.get(id)
    if (running !== undefined) return running
    if (fetches.size >= fetchesMax) throw unavailable('Too much is being asked for')
    const begun = { at: clock.now(), era }
    const reading = read(slugKey, domainNo).then((found) => {
      if (fetches.get(id) !== fetching) return found
      const entry = new CachedSlug(domainNo, slugKey, found, begun.at, begun.era)
      cache.put(entry)
      return entry
    })
    const fetching: Promise<FoundSlug | null> = reading.finally(() => {
      if (fetches.get(id) === fetching) fetches.delete(id)
    })
    fetches.set(id, fetching)
    return fetching
  }

  async function read(slugKey: string, domainNo: number): Promise<FoundSlug | null> {
    try {
      const found = await within(fetch(slugKey, domainNo), fetchWithinMs)
      isSlow = false
      return found
    } catch (error) {
      if (error instanceof StorageUnavailable) {
        last = { slugKey, domainNo }
        retrying ??= setTimeout(retry, retryMs).unref()
      }
      throw error
    }
  }

  async function retry(): Promise<void> {
    const { slugKey, domainNo } = last as { slugKey: string; domainNo: number }
    try {
      await within(fetch(slugKey, domainNo), fetchWithinMs)
      isSlow = false
      retrying = undefined
    } catch {
      if (retrying !== undefined) retrying = setTimeout(retry, retryMs).unref()
    }
  }

  return {
    begin() {
      turn = clock.now()
    },
    slug(slugKey, domainNo): SlugRow | null | Promise<SlugRow | null> {
      const entry = cache.get(slugKey, domainNo)
      if (entry === undefined || entry.era !== era || isAged(entry, ageMs)) {
        return miss(entry, slugKey, domainNo)
      }
      counts.hits++
      entry.visited = true
      return entry
    },
    link: (slug): LinkRow | null => (slug as FoundSlug).link,
    end() {},
    outdated(slugKey, domainNo) {
      cache.forget({ slugKey, domainNo })
      fetches.delete(idOf(slugKey, domainNo))
    },
    changed(changes) {
      for (const change of changes) {
        counts.changes++
        cache.forget(change)
        // Which slugs lead to that link isn't known of those that are being read.
        if ('linkSeq' in change) fetches.clear()
        else fetches.delete(idOf(change.slugKey, change.domainNo))
      }
    },
    lost() {
      counts.losses++
      era++
      fetches.clear()
    },
    hearing(now) {
      heard = now
      ageMs = heard ? maxAgeMs : unheardMaxAgeMs
    },
    restore(entries) {
      for (const entry of entries) {
        if (cache.get(entry.slugKey, entry.domainNo) === undefined) cache.put(entry)
      }
    },
    *hottest() {
      for (const wanted of [true, false]) {
        const all: CachedSlug[] = []
        for (let entry = cache.found.newest; entry !== null; entry = entry.older) {
          if (entry.visited === wanted) all.push(entry)
        }
        yield* all
      }
    },
    state: () => ({
      ...counts,
      entries: cache.found.size + cache.missing.size,
      bytes: cache.found.bytes + cache.missing.bytes,
      away: retrying !== undefined,
      heard,
    }),
    close() {
      clearTimeout(retrying)
      retrying = undefined
    },
  }
}

function idOf(slugKey: string, domainNo: number): string {
  return `${domainNo}/${slugKey}`
}

function unavailable(message: string): StorageUnavailable {
  return new StorageUnavailable(message)
}

/** @throws StorageUnavailable when it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The database is slow')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
