import type { LinkChange } from '../platform/storage/index.ts'
import type { LinkRow, SlugRow } from './resolver.ts'

/** A cached slug; `link_seq` null if it doesn't exist. */
export class CachedSlug implements SlugRow {
  readonly link_seq: number | null
  readonly target_url: string | null
  readonly redirect_status: number
  readonly special: number
  readonly block_id: string | null
  readonly held_by: number | null
  readonly link: LinkRow | null
  /** Approximate memory use. */
  readonly bytes: number
  /** A visit has used it since the last eviction pass. */
  visited = false
  /** False: it was removed, and may have changed since. */
  kept = true

  /**
   * Creates an entry.
   * @param readAt just before the query, in milliseconds since the epoch
   * @param generation the count of possible message losses before it was read
   */
  constructor(
    readonly domainNo: number,
    readonly slugKey: string,
    found: SlugRow | null,
    readonly readAt: number,
    readonly generation: number,
  ) {
    this.link_seq = found?.link_seq ?? null
    this.target_url = found?.target_url ?? null
    this.redirect_status = found?.redirect_status ?? 302
    this.special = found?.special ?? 0
    this.block_id = found?.block_id ?? null
    this.held_by = found?.held_by ?? null
    this.link = found?.link ?? null
    this.bytes = bytesOf(slugKey, this)
  }
}

/** Objects and their map entries, measured by growing a heap by 200,000 entries. */
const ENTRY_BYTES = 320
const LINK_BYTES = 260
/** Per character of rules: their text and parsed form. */
const DECISION_BYTES = 10

function bytesOf(slugKey: string, { target_url, link }: SlugRow): number {
  const texts = slugKey.length + (target_url?.length ?? 0)
  if (link === null) return ENTRY_BYTES + 2 * texts
  const { target_url: target, fallback_url, password_hash, rules, variants } = link
  // The slug as typed, too.
  const more =
    slugKey.length + target.length + (fallback_url?.length ?? 0) + (password_hash?.length ?? 0)
  const decisions = DECISION_BYTES * ((rules?.length ?? 0) + (variants?.length ?? 0))
  return ENTRY_BYTES + LINK_BYTES + 2 * (texts + more) + decisions
}

/** The size of a cache. */
export interface Bounds {
  entriesMax: number
  bytesMax: number
}

/** The sizes for existing slugs and for missing ones. */
export interface CacheBounds {
  found: Bounds
  missing: Bounds
}

/** The key of a slug and a domain. No slug has a colon. */
export function idOf(slugKey: string, domainNo: number): string {
  return domainNo === 0 ? slugKey : `${domainNo}:${slugKey}`
}

/** The cache of slugs. Missing ones have their own bounds, so random visits don't evict links. */
export class SlugCache {
  readonly found: BoundedSlugs
  readonly missing: BoundedSlugs
  /** The slugs of links with conditions, by link: only those change by themselves. */
  readonly #byLink = new Map<number, Set<string>>()

  constructor(bounds: CacheBounds) {
    this.found = new BoundedSlugs(bounds.found, (id, { link }) => {
      if (link === null) return
      const ids = this.#byLink.get(link.seq)
      if (ids?.delete(id) && ids.size === 0) this.#byLink.delete(link.seq)
    })
    this.missing = new BoundedSlugs(bounds.missing)
  }

  get(slugKey: string, domainNo: number): CachedSlug | undefined {
    const id = idOf(slugKey, domainNo)
    return this.found.get(id) ?? this.missing.get(id)
  }

  put(entry: CachedSlug): void {
    const { domainNo, slugKey, link_seq, link } = entry
    const id = idOf(slugKey, domainNo)
    if (link_seq === null) {
      this.found.delete(id)
      this.missing.set(id, entry)
      return
    }
    this.missing.delete(id)
    this.found.set(id, entry)
    if (link === null || !entry.kept) return
    const ids = this.#byLink.get(link.seq)
    if (ids === undefined) this.#byLink.set(link.seq, new Set([id]))
    else ids.add(id)
  }

  /** The cached slugs of a link with conditions. */
  slugsOf(linkSeq: number): { domainNo: number; slugKey: string }[] {
    return [...(this.#byLink.get(linkSeq) ?? [])].flatMap((id) => this.found.get(id) ?? [])
  }

  forget(change: LinkChange): void {
    const ids =
      'linkSeq' in change
        ? [...(this.#byLink.get(change.linkSeq) ?? [])]
        : [idOf(change.slugKey, change.domainNo)]
    for (const id of ids) {
      this.found.delete(id)
      this.missing.delete(id)
    }
  }
}

/**
 * A bounded map with SIEVE eviction (Zhang et al., "SIEVE is Simpler than LRU", NSDI '24): a hit
 * only sets a flag, and a scan of new keys doesn't evict reused ones.
 */
class BoundedSlugs {
  bytes = 0
  /** How often an entry was added or removed. */
  edits = 0
  /** Something was removed because of the bounds, since this was last set. */
  hasEvicted = false
  readonly #entries = new Map<string, CachedSlug>()
  readonly #bounds: Bounds
  readonly #removed: (id: string, entry: CachedSlug) => void
  /** Cycles from old to new entries, and stays valid across changes of the map. */
  #hand = this.#entries.entries()

  constructor(bounds: Bounds, removed: (id: string, entry: CachedSlug) => void = () => {}) {
    this.#bounds = bounds
    this.#removed = removed
  }

  get size(): number {
    return this.#entries.size
  }

  get(id: string): CachedSlug | undefined {
    return this.#entries.get(id)
  }

  values(): Iterable<CachedSlug> {
    return this.#entries.values()
  }

  hasRoomFor({ bytes }: CachedSlug): boolean {
    const { entriesMax, bytesMax } = this.#bounds
    return this.size < entriesMax && this.bytes + bytes <= bytesMax
  }

  set(id: string, entry: CachedSlug): void {
    const before = this.#entries.get(id)
    if (before !== undefined) {
      entry.visited = before.visited
      this.delete(id)
    }
    this.#entries.set(id, entry)
    this.edits++
    this.bytes += entry.bytes
    const { entriesMax, bytesMax } = this.#bounds
    while (this.size > entriesMax || this.bytes > bytesMax) this.#evict()
  }

  delete(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    this.edits++
    this.bytes -= entry.bytes
    entry.kept = false
    this.#removed(id, entry)
  }

  /** Removes the next entry that wasn't used since the last pass. */
  #evict(): void {
    this.hasEvicted = true
    for (;;) {
      const { value, done } = this.#hand.next()
      if (done) {
        this.#hand = this.#entries.entries()
      } else if (value[1].visited) {
        value[1].visited = false
      } else {
        this.delete(value[0])
        return
      }
    }
  }
}
