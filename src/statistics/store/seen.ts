const FIRST_PLACES = 4_096
const FULL = 0.6

/**
 * A set of 64-bit keys in flat memory, each with a small number beside it: what a map of objects
 * holds in 500 bytes takes 9 here.
 */
export interface SeenSet {
  readonly size: number
  /** The number beside a key, or -1: it isn't there. */
  get(low: number, high: number): number
  /** False: it was there already, and keeps its number. */
  add(low: number, high: number, beside: number): boolean
  clear(): void
}

/** An empty set. Keys must be random in their low half, as hashes are. */
export function createSeenSet(): SeenSet {
  let lows = new Uint32Array(FIRST_PLACES)
  let highs = new Uint32Array(FIRST_PLACES)
  let besides = new Uint8Array(FIRST_PLACES)
  let mask = FIRST_PLACES - 1
  let size = 0

  /** Its place, or the free one where it would go: the high half of a free one is 0. */
  function find(low: number, high: number): number {
    let place = (low ^ (high >>> 7)) & mask
    while (highs[place] !== 0 && (lows[place] !== low || highs[place] !== high)) {
      place = (place + 1) & mask
    }
    return place
  }

  function grow(): void {
    const old = { lows, highs, besides }
    const places = old.lows.length * 2
    lows = new Uint32Array(places)
    highs = new Uint32Array(places)
    besides = new Uint8Array(places)
    mask = places - 1
    for (let from = 0; from < old.lows.length; from++) {
      const low = old.lows[from] as number
      const high = old.highs[from] as number
      if (high === 0) continue
      const to = find(low, high)
      lows[to] = low
      highs[to] = high
      besides[to] = old.besides[from] as number
    }
  }

  return {
    get size() {
      return size
    },
    get(low, high) {
      const place = find(low >>> 0, high >>> 0 || 1)
      return highs[place] === 0 ? -1 : (besides[place] as number)
    },
    add(low, high, beside) {
      const keyLow = low >>> 0
      const keyHigh = high >>> 0 || 1
      let place = find(keyLow, keyHigh)
      if (highs[place] !== 0) return false
      if (size + 1 > lows.length * FULL) {
        grow()
        place = find(keyLow, keyHigh)
      }
      lows[place] = keyLow
      highs[place] = keyHigh
      besides[place] = beside
      size++
      return true
    },
    clear() {
      if (size === 0) return
      lows = new Uint32Array(FIRST_PLACES)
      highs = new Uint32Array(FIRST_PLACES)
      besides = new Uint8Array(FIRST_PLACES)
      mask = FIRST_PLACES - 1
      size = 0
    },
  }
}
