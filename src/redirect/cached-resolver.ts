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
  return new CacheResolver(options)
}

const DEFAULTS = {
  bounds: BOUNDS,
  maxAgeMs: 300_000,
  unheardMaxAgeMs: 500,
  staleMaxAgeMs: 86_400_000,
  freshWithinMs: 500,
  fetchWithinMs: 2_000,
  retryMs: 250,
  fetchesMax: 4_096,
}

class CacheResolver implements CachedResolver {
  readonly #options: Required<CachedResolverOptions>
  readonly #cache: SlugCache
  readonly #fetches = new Map<string, Promise<FoundSlug | null>>()
  readonly #counts = { hits: 0, misses: 0, stale: 0, changes: 0, losses: 0 }
  #turn = 0
  #era = 0
  #heard = false
  #retrying: Timer | undefined
  /** A visit has waited too long for the database, and no read has succeeded since. */
  #isSlow = false
  #last: { slugKey: string; domainNo: number } | undefined

  constructor(options: CachedResolverOptions) {
    this.#options = { ...DEFAULTS, ...options }
    this.#cache = new SlugCache(this.#options.bounds)
  }

  begin(): void {
    this.#turn = this.#options.clock.now()
  }

  slug(slugKey: string, domainNo: number): SlugRow | null | Promise<SlugRow | null> {
    const { maxAgeMs, unheardMaxAgeMs } = this.#options
    const entry = this.#cache.get(slugKey, domainNo)
    const age = entry === undefined ? 0 : this.#turn - entry.readAt
    const isAged = age < 0 || age >= (this.#heard ? maxAgeMs : unheardMaxAgeMs)
    if (entry === undefined || entry.era !== this.#era || isAged) {
      return this.#miss(entry, slugKey, domainNo)
    }
    this.#counts.hits++
    entry.visited = true
    return entry
  }

  link(slug: SlugRow): LinkRow | null {
    return (slug as FoundSlug).link
  }

  end(): void {}

  outdated(slugKey: string, domainNo: number): void {
    this.#cache.forget({ slugKey, domainNo })
    this.#fetches.delete(idOf(slugKey, domainNo))
  }

  // Properties instead of methods: these are handed on as functions.
  readonly changed = (changes: readonly LinkChange[]): void => {
    for (const change of changes) {
      this.#counts.changes++
      this.#cache.forget(change)
      // Which slugs lead to that link isn't known of those that are being read.
      if ('linkSeq' in change) this.#fetches.clear()
      else this.#fetches.delete(idOf(change.slugKey, change.domainNo))
    }
  }

  readonly lost = (): void => {
    this.#counts.losses++
    this.#era++
    this.#fetches.clear()
  }

  readonly hearing = (heard: boolean): void => {
    this.#heard = heard
  }

  restore(entries: Iterable<CachedSlug>): void {
    for (const entry of entries) {
      if (this.#cache.get(entry.slugKey, entry.domainNo) === undefined) this.#cache.put(entry)
    }
  }

  *hottest(): Generator<CachedSlug> {
    for (const wanted of [true, false]) {
      const all: CachedSlug[] = []
      for (let entry = this.#cache.found.newest; entry !== null; entry = entry.older) {
        if (entry.visited === wanted) all.push(entry)
      }
      yield* all
    }
  }

  readonly state = (): ResolverState => {
    const { found, missing } = this.#cache
    return {
      ...this.#counts,
      entries: found.size + missing.size,
      bytes: found.bytes + missing.bytes,
      away: this.#retrying !== undefined,
      heard: this.#heard,
    }
  }

  close(): void {
    clearTimeout(this.#retrying)
    this.#retrying = undefined
  }

  #miss(entry: CachedSlug | undefined, slugKey: string, domainNo: number) {
    const old = entry !== undefined && this.#mayBeStale(entry) ? entry : undefined
    if (this.#retrying !== undefined) {
      if (old === undefined) throw new StorageUnavailable('The database is away')
      return this.#stale(old)
    }
    this.#counts.misses++
    if (old === undefined) return this.#load(slugKey, domainNo)
    const hasRoom = this.#fetches.size < this.#options.fetchesMax
    if (hasRoom && !this.#isSlow) return this.#freshOrStale(this.#load(slugKey, domainNo), old)
    // One visit has found that the database is slow: the others don't wait for it.
    if (hasRoom) this.#load(slugKey, domainNo).catch(() => {})
    return this.#stale(old)
  }

  /** That a slug leads nowhere isn't answered unchecked: it may exist by now. */
  #mayBeStale({ link_seq, readAt }: CachedSlug): boolean {
    return link_seq !== null && this.#turn - readAt < this.#options.staleMaxAgeMs
  }

  #stale(entry: CachedSlug): CachedSlug {
    this.#counts.stale++
    entry.visited = true
    return entry
  }

  async #freshOrStale(found: Promise<FoundSlug | null>, old: CachedSlug) {
    try {
      return await within(found, this.#options.freshWithinMs)
    } catch (error) {
      if (error instanceof StorageUnavailable) this.#isSlow = true
      // A change arrived in the meantime: the entry is no longer known to be true.
      if (!(error instanceof StorageUnavailable) || !old.kept) throw error
      return this.#stale(old)
    }
  }

  #load(slugKey: string, domainNo: number): Promise<FoundSlug | null> {
    const id = idOf(slugKey, domainNo)
    const fetches = this.#fetches
    const running = fetches.get(id)
    if (running !== undefined) return running
    if (fetches.size >= this.#options.fetchesMax) {
      throw new StorageUnavailable('Too many slugs are being read')
    }
    const begun = { at: this.#options.clock.now(), era: this.#era }
    const reading = this.#read(slugKey, domainNo).then((found) => {
      if (fetches.get(id) !== fetching) return found
      const entry = new CachedSlug(domainNo, slugKey, found, begun.at, begun.era)
      this.#cache.put(entry)
      return entry
    })
    const fetching: Promise<FoundSlug | null> = reading.finally(() => {
      if (fetches.get(id) === fetching) fetches.delete(id)
    })
    fetches.set(id, fetching)
    return fetching
  }

  async #read(slugKey: string, domainNo: number): Promise<FoundSlug | null> {
    const { fetch, fetchWithinMs, retryMs } = this.#options
    try {
      const found = await within(fetch(slugKey, domainNo), fetchWithinMs)
      this.#isSlow = false
      return found
    } catch (error) {
      if (error instanceof StorageUnavailable) {
        this.#last = { slugKey, domainNo }
        this.#retrying ??= setTimeout(() => this.#retry(), retryMs).unref()
      }
      throw error
    }
  }

  async #retry(): Promise<void> {
    const { fetch, fetchWithinMs, retryMs } = this.#options
    const { slugKey, domainNo } = this.#last as { slugKey: string; domainNo: number }
    try {
      await within(fetch(slugKey, domainNo), fetchWithinMs)
      this.#isSlow = false
      this.#retrying = undefined
    } catch {
      if (this.#retrying !== undefined) {
        this.#retrying = setTimeout(() => this.#retry(), retryMs).unref()
      }
    }
  }
}

function idOf(slugKey: string, domainNo: number): string {
  return `${domainNo}/${slugKey}`
}

/** @throws StorageUnavailable when it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageUnavailable('The database is slow')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
