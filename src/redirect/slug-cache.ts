import type { LinkChange } from '../storage/index.ts'
import type { FoundSlug } from './fetch-slug.ts'
import type { LinkRow } from './resolver.ts'
import { type Bounds, Sieve, type Sieved } from './sieve.ts'

/** What is remembered of a slug; `link_seq` null where it leads nowhere. */
export class CachedSlug implements FoundSlug, Sieved {
  readonly link_seq: number | null
  readonly target_url: string | null
  readonly redirect_status: number
  readonly special: number
  readonly block_id: string | null
  readonly link: LinkRow | null
  readonly bytes: number
  visited = false
  newer: this | null = null
  older: this | null = null
  /** Another slug of the same link. */
  sibling: CachedSlug | null = null
  /** False: it was taken out, and may have changed since. */
  kept = true

  /**
   * @param readAt just before it was asked for, in milliseconds since the epoch.
   * @param era which loss of messages it was read after.
   */
  constructor(
    readonly domainNo: number,
    readonly slugKey: string,
    found: FoundSlug | null,
    public readAt: number,
    public era: number,
  ) {
    this.link_seq = found?.link_seq ?? null
    this.target_url = found?.target_url ?? null
    this.redirect_status = found?.redirect_status ?? 302
    this.special = found?.special ?? 0
    this.block_id = found?.block_id ?? null
    this.link = found?.link ?? null
    this.bytes = bytesOf(slugKey, this)
  }
}

/** Objects and their places in the maps, measured by growing a heap by 200,000 entries. */
const ENTRY_BYTES = 320
const LINK_BYTES = 160

function bytesOf(slugKey: string, { target_url, link }: FoundSlug): number {
  const texts = slugKey.length + (target_url?.length ?? 0)
  if (link === null) return ENTRY_BYTES + 2 * texts
  const more =
    link.target_url.length + (link.fallback_url?.length ?? 0) + (link.password_hash?.length ?? 0)
  return ENTRY_BYTES + LINK_BYTES + 2 * (texts + more)
}

/** How much is kept of slugs that lead somewhere, and of those that don't. */
export interface CacheBounds {
  found: Bounds
  missing: Bounds
}

/**
 * What is remembered of slugs, by address and by link. Those that lead nowhere have bounds of their
 * own: whoever tries out addresses pushes no link out.
 */
export class SlugCache {
  readonly #domains: (Map<string, CachedSlug> | undefined)[] = []
  readonly #byLink = new Map<number, CachedSlug>()
  readonly found: Sieve<CachedSlug>
  readonly missing: Sieve<CachedSlug>

  constructor(bounds: CacheBounds) {
    this.found = new Sieve(bounds.found, (entry) => this.#unlink(entry))
    this.missing = new Sieve(bounds.missing, (entry) => this.#unlink(entry))
  }

  get(slugKey: string, domainNo: number): CachedSlug | undefined {
    return this.#domains[domainNo]?.get(slugKey)
  }

  put(entry: CachedSlug): void {
    const { domainNo, slugKey, link_seq } = entry
    this.#domains[domainNo] ??= new Map()
    const slugs = this.#domains[domainNo]
    const before = slugs.get(slugKey)
    if (before !== undefined) {
      this.remove(before)
      entry.visited = before.visited
    }
    slugs.set(slugKey, entry)
    if (link_seq === null) {
      this.missing.add(entry)
      return
    }
    entry.sibling = this.#byLink.get(link_seq) ?? null
    this.#byLink.set(link_seq, entry)
    this.found.add(entry)
  }

  /** Forgets what has changed. */
  forget(change: LinkChange): void {
    if ('linkSeq' in change) {
      for (let entry = this.#byLink.get(change.linkSeq); entry !== undefined; ) {
        const next = entry.sibling ?? undefined
        this.remove(entry)
        entry = next
      }
      return
    }
    const entry = this.get(change.slugKey, change.domainNo)
    if (entry !== undefined) this.remove(entry)
  }

  remove(entry: CachedSlug): void {
    const sieve = entry.link_seq === null ? this.missing : this.found
    sieve.remove(entry)
    this.#unlink(entry)
  }

  /** Takes an entry out of the maps. */
  #unlink(entry: CachedSlug): void {
    const { domainNo, slugKey, link_seq } = entry
    entry.kept = false
    this.#domains[domainNo]?.delete(slugKey)
    if (link_seq === null) return
    const first = this.#byLink.get(link_seq)
    if (first === entry) {
      if (entry.sibling === null) this.#byLink.delete(link_seq)
      else this.#byLink.set(link_seq, entry.sibling)
    } else {
      for (let other = first; other !== undefined; other = other.sibling ?? undefined) {
        if (other.sibling === entry) other.sibling = entry.sibling
      }
    }
    entry.sibling = null
  }
}
