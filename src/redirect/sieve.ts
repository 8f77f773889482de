/** What a {@link Sieve} keeps of an entry, in the entry itself: no second object for each. */
export interface Sieved {
  /** About so much memory it takes. */
  readonly bytes: number
  /** It was asked for since the hand last passed. */
  visited: boolean
  newer: this | null
  older: this | null
}

/** How much is kept. */
export interface Bounds {
  entriesMax: number
  bytesMax: number
}

/**
 * Which entries of a cache have to go: SIEVE (Zhang et al., "SIEVE is Simpler than LRU", NSDI '24).
 * A hit only sets a flag, and a scan through ever new keys doesn't push out what is asked for again.
 */
export class Sieve<E extends Sieved> {
  size = 0
  bytes = 0
  newest: E | null = null
  #oldest: E | null = null
  #hand: E | null = null
  readonly #bounds: Bounds
  readonly #evict: (entry: E) => void

  /** `evict` is told of each entry that is taken out to make room. */
  constructor(bounds: Bounds, evict: (entry: E) => void) {
    this.#bounds = bounds
    this.#evict = evict
  }

  /** Adds an entry that is in no sieve. One that is larger than everything allowed goes at once. */
  add(entry: E): void {
    entry.older = this.newest
    entry.newer = null
    if (this.newest !== null) this.newest.newer = entry
    this.newest = entry
    this.#oldest ??= entry
    this.size++
    this.bytes += entry.bytes
    const { entriesMax, bytesMax } = this.#bounds
    while (this.size > entriesMax || this.bytes > bytesMax) {
      const going = this.#next()
      this.remove(going)
      this.#evict(going)
    }
  }

  /** Takes an entry out that is in this sieve. */
  remove(entry: E): void {
    const { newer, older } = entry
    if (this.#hand === entry) this.#hand = newer
    if (newer === null) this.newest = older
    else newer.older = older
    if (older === null) this.#oldest = newer
    else older.newer = newer
    entry.newer = null
    entry.older = null
    this.size--
    this.bytes -= entry.bytes
  }

  /** From old to new, round and round, until one wasn't asked for since the last time. */
  #next(): E {
    let entry = this.#hand ?? (this.#oldest as E)
    while (entry.visited) {
      entry.visited = false
      entry = entry.newer ?? (this.#oldest as E)
    }
    this.#hand = entry
    return entry
  }
}
