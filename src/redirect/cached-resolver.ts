import { type LinkChange, StorageUnavailable } from '../platform/storage/index.ts'
import { type CachedResolverOptions, DEFAULTS, noCounts, SLUGS_MAX } from './cached-options.ts'
import type { ChangePage } from './changed-slugs.ts'
import type { ListedSlug, SlugPages } from './fetch-slug.ts'
import { type Reading, Readings } from './readings.ts'
import type { Resolver, SlugRow } from './resolver.ts'
import { CachedSlug, idOf, SlugCache } from './slug-cache.ts'
import { readWithin, SlugReads } from './slug-reads.ts'
import type { SavedSlug } from './snapshot.ts'

/** The generation of entries restored from a file: they are used only while the database is down. */
const RESTORED = -1

type SlugChange = Extract<LinkChange, { slugKey: string }>

/** State of the cache. */
export type ResolverState = ReturnType<CachedResolver['state']>

export function createCachedResolver(options: CachedResolverOptions): CachedResolver {
  return new CachedResolver(options)
}

/**
 * Redirects from a bounded cache in front of a database that may be far away. The database's list of
 * changes keeps it up to date ({@link CachedResolver.follow}): what was committed a second ago is
 * known, or each visit queries. Messages about changes ({@link CachedResolver.changed}) only make it
 * quicker. A read that began before a change was known may have missed it: its result is passed to
 * the visits waiting for it, but neither cached nor joined by later ones.
 */
export class CachedResolver implements Resolver {
  readonly #options: Required<CachedResolverOptions>
  readonly #cache: SlugCache
  readonly #reads: SlugReads
  readonly #counts = noCounts()
  #turnAt = 0
  #isUpToDate = false
  #generation = 0
  /** By generation, when all changes until then were known; in milliseconds since the epoch. */
  readonly #knownAt: number[] = [0]
  #filled: 'none' | 'part' | 'all' = 'none'
  readonly #readings = new Readings()
  /** Slugs that were removed, and are to be read again unless a list of changes or a visit does it. */
  readonly #announced = new Map<string, SlugChange>()

  constructor(options: CachedResolverOptions) {
    this.#options = { ...DEFAULTS, ...options }
    this.#cache = new SlugCache(this.#options.bounds)
    this.#reads = new SlugReads(this.#options)
  }

  begin(): void {
    this.#turnAt = this.#options.clock.now()
    this.#isUpToDate = this.#isWithin(this.#knownAt[this.#generation] as number, 'knownWithinMs')
  }

  slug(slugKey: string, domainNo: number): SlugRow | null | Promise<SlugRow | null> {
    const entry = this.#cache.get(slugKey, domainNo)
    if (entry === undefined || !this.#isCurrent(entry)) return this.#miss(entry, slugKey, domainNo)
    this.#counts.hits++
    entry.visited = true
    return entry
  }

  end(): void {}

  hasAll(): boolean {
    return this.#announced.size === 0 && this.#fillState() === 'all'
  }

  outdated(slugKey: string, domainNo: number): void {
    this.changed([{ slugKey, domainNo }])
  }

  // Properties instead of methods, because they are passed as functions.
  /** Invalidates changed slugs: later visits read what was committed before this call. */
  readonly changed = (changes: readonly LinkChange[]): void => {
    for (const change of changes) {
      const slugs = 'linkSeq' in change ? this.#cache.slugsOf(change.linkSeq) : [change]
      this.#forget(change)
      if (this.#announced.size + slugs.length > SLUGS_MAX) this.#filled = 'none'
      else for (const slug of slugs) this.#announced.set(idOf(slug.slugKey, slug.domainNo), slug)
    }
  }

  /**
   * Changes may have been missed: every entry is checked before its next use.
   * @param at all changes after it will be followed; in milliseconds since the epoch
   */
  lost(at: number): void {
    this.#counts.losses++
    this.#generation++
    this.#knownAt.push(at)
    this.#filled = 'none'
    this.#reads.detachAll()
  }

  /**
   * Caches changed slugs as they are now: new ones as long as there is room.
   * @throws StorageUnavailable
   */
  follow(read: () => Promise<ChangePage>): Promise<ChangePage> {
    return this.#during(read, ({ changes }, reading) => {
      this.#counts.changes += changes.length
      for (const { change, slug } of changes) {
        if ('linkSeq' in change) {
          this.changed([change])
          continue
        }
        const id = idOf(change.slugKey, change.domainNo)
        if (reading.visited.has(id)) this.changed([change])
        // A message came in the meantime, or one was needed.
        if (reading.changed.has(id)) continue
        const isLink = slug !== null && slug.link_seq !== null
        const isKept = isLink && this.#keep({ ...slug, ...change }, reading)
        if (isLink && !isKept) this.#filled = 'part'
        if (!isKept) this.#cache.forget(change)
        this.#announced.delete(id)
        this.#invalidateReads(change)
      }
    })
  }

  /** All changes until `at` are known, in milliseconds since the epoch. */
  known(at: number): void {
    this.#knownAt[this.#generation] = at
    // Messages that arrived after the change was followed have removed what is known of it.
    for (const [id, { slugKey, domainNo }] of this.#announced) {
      const isCached = this.#cache.get(slugKey, domainNo) !== undefined
      if (!isCached && !this.#reads.hasRoomFor(slugKey, domainNo)) return
      this.#announced.delete(id)
      if (!isCached) this.#load(slugKey, domainNo).catch(() => (this.#filled = 'none'))
    }
  }

  /**
   * Reads links in bulk, as many as fit; cached ones count as new.
   * @throws StorageUnavailable, keeping what was read before
   */
  async fill(pages: SlugPages): Promise<void> {
    const generation = this.#generation
    let isPart = false
    this.#cache.found.hasEvicted = false
    for (let isOver = false; !isOver; ) {
      await this.#during(
        () => pages.next(),
        ({ value, done }, reading) => {
          if (done) isPart ||= !value
          else for (const slug of value) isPart = !this.#keep(slug, reading) || isPart
          isOver = done === true
        },
      )
    }
    if (generation === this.#generation) this.#filled = isPart ? 'part' : 'all'
  }

  /** Adds slugs saved by an earlier process, for use only while the database is down. */
  restore(slugs: Iterable<SavedSlug>): void {
    for (const slug of slugs) {
      const { domainNo, slugKey, readAt } = slug
      this.#cache.put(new CachedSlug(domainNo, slugKey, slug, readAt, RESTORED))
    }
  }

  /** The cached links, each with the time when it was last known to be current. */
  *links(): Iterable<SavedSlug> {
    for (const entry of this.#cache.found.values()) {
      yield { ...entry, readAt: this.#verifiedAt(entry) }
    }
  }

  readonly state = () => {
    const { found, missing } = this.#cache
    return {
      ...this.#counts,
      entries: found.size + missing.size,
      bytes: found.bytes + missing.bytes,
      /** The database can't be read. */
      databaseDown: this.#reads.isDatabaseDown,
      /** When all changes until then were known, in milliseconds since the epoch. */
      knownAt: this.#knownAt[this.#generation] as number,
      /** Entries added and removed, in total. */
      edits: found.edits,
      /** How many of the links are cached; `none`: it isn't known. */
      filled: this.#fillState(),
    }
  }

  close(): void {
    this.#reads.close()
  }

  #isCurrent({ generation, readAt }: CachedSlug): boolean {
    if (generation !== this.#generation) return false
    return this.#isUpToDate || this.#isWithin(readAt, 'maxAgeMs')
  }

  #isWithin(at: number, bound: 'knownWithinMs' | 'maxAgeMs'): boolean {
    const age = this.#turnAt - at
    return age >= 0 && age < this.#options[bound]
  }

  /** When an entry was last known to be current, in milliseconds since the epoch. */
  #verifiedAt({ readAt, generation }: CachedSlug): number {
    return Math.max(readAt, this.#knownAt[generation] ?? 0)
  }

  #fillState(): 'none' | 'part' | 'all' {
    return this.#filled === 'all' && this.#cache.found.hasEvicted ? 'part' : this.#filled
  }

  #begun() {
    return { at: this.#options.clock.now(), generation: this.#generation }
  }

  #during<T>(read: () => Promise<T>, take: (value: T, reading: Reading) => void): Promise<T> {
    return this.#readings.run(this.#begun(), read, take)
  }

  /** Caches a row, unless it has changed since it was read. False: there is no room. */
  #keep(slug: ListedSlug, { at, generation, changed, visited }: Reading): boolean {
    const { slugKey, domainNo, link_seq } = slug
    const id = idOf(slugKey, domainNo)
    if (changed.has(id) || changed.has(link_seq as number) || visited.has(id)) return true
    const entry = new CachedSlug(domainNo, slugKey, slug, at, generation)
    const isKnown = this.#cache.found.get(id) !== undefined
    if (!isKnown && !this.#cache.found.hasRoomFor(entry)) return false
    this.#cache.put(entry)
    return true
  }

  #forget(change: LinkChange): void {
    this.#cache.forget(change)
    this.#invalidateReads(change)
  }

  /** Keeps running reads from caching what they return for a changed slug. */
  #invalidateReads(change: LinkChange): void {
    this.#readings.changed(change)
    // Any of them may concern a slug of that link.
    if ('linkSeq' in change) this.#reads.detachAll()
    else this.#reads.detach(idOf(change.slugKey, change.domainNo))
  }

  #miss(entry: CachedSlug | undefined, slugKey: string, domainNo: number) {
    const old = entry !== undefined && this.#mayBeStale(entry) ? entry : undefined
    if (this.#reads.isDatabaseDown) {
      return old === undefined ? this.#refuse('The database is down') : this.#stale(old)
    }
    this.#counts.misses++
    const hasRoom = this.#reads.hasRoomFor(slugKey, domainNo)
    if (old === undefined) {
      if (hasRoom) return this.#loadOrRefuse(slugKey, domainNo)
      return this.#refuse('Too many slugs are being read')
    }
    if (hasRoom && !this.#reads.isSlow)
      return this.#freshOrStale(this.#load(slugKey, domainNo), old)
    // One visit has noticed that the database is slow: others don't wait for it.
    if (hasRoom) this.#load(slugKey, domainNo).catch(() => {})
    return this.#stale(old)
  }

  /** A missing slug must be verified, because it may exist by now. */
  #mayBeStale(entry: CachedSlug): boolean {
    const age = this.#turnAt - this.#verifiedAt(entry)
    return entry.link_seq !== null && age < this.#options.staleMaxAgeMs
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
    const { at, generation } = this.#begun()
    return this.#reads.read(slugKey, domainNo, (found) => {
      const entry = new CachedSlug(domainNo, slugKey, found, at, generation)
      const id = idOf(slugKey, domainNo)
      this.#cache.put(entry)
      this.#readings.visited(id)
      this.#announced.delete(id)
      return entry
    })
  }

  async #loadOrRefuse(slugKey: string, domainNo: number): Promise<SlugRow | null> {
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
