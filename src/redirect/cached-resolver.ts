import type { Clock } from '../base/clock.ts'
import { type LinkChange, StorageUnavailable } from '../storage/index.ts'
import type { SlugPages } from './fetch-slug.ts'
import type { Resolver, SlugRow } from './resolver.ts'
import { type CacheBounds, CachedSlug, idOf, SlugCache } from './slug-cache.ts'
import { readWithin, SlugReads, type SlugReadsOptions } from './slug-reads.ts'
import type { SavedSlug } from './snapshot.ts'

/** Dependencies and bounds. Times are milliseconds. */
interface CachedResolverOptions extends Partial<SlugReadsOptions> {
  fetch: SlugReadsOptions['fetch']
  clock: Clock
  bounds?: CacheBounds
  /** An older entry is read again, even if all changes were received. */
  maxAgeMs?: number
  /** The same while other nodes' changes aren't received, so they take effect within a second. */
  unheardMaxAgeMs?: number
  /** While the database is down, an older entry isn't used any more. */
  staleMaxAgeMs?: number
  /** How long a visit waits for the database if there is an old entry. */
  freshWithinMs?: number
}

const MIB = 1024 * 1024
/** The most slugs in a node's cache. */
export const SLUGS_MAX = 200_000
const DEFAULTS = {
  bounds: {
    found: { entriesMax: SLUGS_MAX, bytesMax: 128 * MIB },
    missing: { entriesMax: 50_000, bytesMax: 24 * MIB },
  },
  maxAgeMs: 300_000,
  unheardMaxAgeMs: 500,
  staleMaxAgeMs: 86_400_000,
  freshWithinMs: 500,
  fetchWithinMs: 2_000,
  retryMs: 250,
  fetchesMax: 4_096,
}
/** The era of entries that this process hasn't read itself. */
const BEFORE = -1

/** State of the cache. */
export type ResolverState = ReturnType<CachedResolver['state']>

export function createCachedResolver(options: CachedResolverOptions): CachedResolver {
  return new CachedResolver(options)
}

/**
 * Redirects from a bounded cache in front of a database that may be far away. Messages about
 * changes keep it up to date ({@link CachedResolver.changed}); each entry's maximum age limits the
 * effect of lost messages. A read that began before a change was received may have missed it: its
 * result is passed to the visits waiting for it, but neither cached nor joined by later ones.
 */
export class CachedResolver implements Resolver {
  readonly #options: Required<CachedResolverOptions>
  readonly #cache: SlugCache
  readonly #reads: SlugReads
  readonly #counts = {
    hits: 0,
    misses: 0,
    /** Redirects that could not be verified with the database. */
    stale: 0,
    /** Refused visits: the link wasn't cached and the database didn't respond. */
    refused: 0,
    /** Received changes. */
    changes: 0,
    /** How often messages may have been lost. */
    losses: 0,
  }
  #turn = 0
  #era = 0
  #heard = false
  #filled: 'none' | 'part' | 'all' = 'none'
  /** Changes since the query of the current page. */
  #changedInPage = new Set<string | number>()

  constructor(options: CachedResolverOptions) {
    this.#options = { ...DEFAULTS, ...options }
    this.#cache = new SlugCache(this.#options.bounds)
    this.#reads = new SlugReads(this.#options)
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

  end(): void {}

  hasAll(): boolean {
    return this.#filled === 'all'
  }

  outdated(slugKey: string, domainNo: number): void {
    this.#forget({ slugKey, domainNo })
  }

  // Properties instead of methods, because they are passed as functions.
  /** Invalidates changed slugs: later visits read what was committed before this call. */
  readonly changed = (changes: readonly LinkChange[]): void => {
    this.#counts.changes += changes.length
    for (const change of changes) this.#forget(change)
  }

  /** Messages may have been lost: every entry is checked before its next use. */
  readonly lost = (): void => {
    this.#counts.losses++
    this.#era++
    this.#reads.detachAll()
  }

  /** Whether changes of other nodes are received now. */
  readonly hearing = (heard: boolean): void => {
    this.#heard = heard
  }

  /**
   * Reads links in bulk, as many as fit; cached ones count as new.
   * @throws StorageUnavailable, keeping what was read before
   */
  async fill(pages: SlugPages): Promise<void> {
    let skipped = 0
    for (;;) {
      this.#changedInPage = new Set()
      const begun = { at: this.#options.clock.now(), era: this.#era }
      const { value: page, done } = await pages.next()
      if (done) {
        this.#filled = page && skipped === 0 ? 'all' : 'part'
        return
      }
      for (const slug of page) {
        const { slugKey, domainNo, link_seq } = slug
        if (this.#changedInPage.has(idOf(slugKey, domainNo))) continue
        if (this.#changedInPage.has(link_seq as number)) continue
        const entry = new CachedSlug(domainNo, slugKey, slug, begun.at, begun.era)
        const isKnown = this.#cache.get(slugKey, domainNo) !== undefined
        if (isKnown || this.#cache.found.hasRoomFor(entry)) this.#cache.put(entry)
        else skipped++
      }
    }
  }

  /** Adds slugs saved by an earlier process, for use only while the database is down. */
  restore(slugs: Iterable<SavedSlug>): void {
    for (const slug of slugs) {
      const { domainNo, slugKey, readAt } = slug
      this.#cache.put(new CachedSlug(domainNo, slugKey, slug, readAt, BEFORE))
    }
  }

  /** The cached links. */
  links(): Iterable<SavedSlug> {
    return this.#cache.found.values()
  }

  readonly state = () => {
    const { found, missing } = this.#cache
    return {
      ...this.#counts,
      entries: found.size + missing.size,
      bytes: found.bytes + missing.bytes,
      /** The database can't be read. */
      away: this.#reads.away,
      /** Changes of other nodes are received. */
      heard: this.#heard,
      /** The extent of the last complete fill; `none`: there was none. */
      filled: this.#filled,
    }
  }

  close(): void {
    this.#reads.close()
  }

  #forget(change: LinkChange): void {
    this.#cache.forget(change)
    if ('linkSeq' in change) {
      this.#changedInPage.add(change.linkSeq)
      // Running reads may concern slugs of that link.
      this.#reads.detachAll()
      return
    }
    const id = idOf(change.slugKey, change.domainNo)
    this.#changedInPage.add(id)
    this.#reads.detach(id)
  }

  #miss(entry: CachedSlug | undefined, slugKey: string, domainNo: number) {
    const old = entry !== undefined && this.#mayBeStale(entry) ? entry : undefined
    if (this.#reads.away) {
      return old === undefined ? this.#refuse('The database is down') : this.#stale(old)
    }
    this.#counts.misses++
    const hasRoom = this.#reads.hasRoomFor(slugKey, domainNo)
    if (old === undefined) {
      return hasRoom ? this.#only(slugKey, domainNo) : this.#refuse('Too many slugs are being read')
    }
    if (hasRoom && !this.#reads.isSlow)
      return this.#freshOrStale(this.#load(slugKey, domainNo), old)
    // One visit has noticed that the database is slow: others don't wait for it.
    if (hasRoom) this.#load(slugKey, domainNo).catch(() => {})
    return this.#stale(old)
  }

  /** A missing slug must be verified, because it may exist by now. */
  #mayBeStale({ link_seq, readAt }: CachedSlug): boolean {
    return link_seq !== null && this.#turn - readAt < this.#options.staleMaxAgeMs
  }

  #stale(entry: CachedSlug): CachedSlug {
    this.#counts.stale++
    entry.visited = true
    return entry
  }

  #refuse(reason: string): never {
    this.#counts.refused++
    throw new StorageUnavailable(reason)
  }

  #load(slugKey: string, domainNo: number): Promise<SlugRow | null> {
    const [at, era] = [this.#options.clock.now(), this.#era]
    return this.#reads.read(slugKey, domainNo, (found) => {
      const entry = new CachedSlug(domainNo, slugKey, found, at, era)
      this.#cache.put(entry)
      return entry
    })
  }

  async #only(slugKey: string, domainNo: number): Promise<SlugRow | null> {
    try {
      return await this.#load(slugKey, domainNo)
    } catch (error) {
      if (error instanceof StorageUnavailable) this.#counts.refused++
      throw error
    }
  }

  async #freshOrStale(found: Promise<SlugRow | null>, old: CachedSlug) {
    try {
      return await readWithin(this.#options.freshWithinMs, found)
    } catch (error) {
      if (error instanceof StorageUnavailable) this.#reads.isSlow = true
      // A change arrived in the meantime: the entry may be outdated.
      if (!(error instanceof StorageUnavailable) || !old.kept) throw error
      return this.#stale(old)
    }
  }
}
