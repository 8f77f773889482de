/** Gives numbers to what has 64 bits. */
export interface Hashes {
  /** How many have one. */
  readonly size: number
  /** From 0 on, in the order in which they come; each number `apart` has its own. */
  add(low: number, high: number, apart: number): number
}

const WORDS = 4

export function createHashes(): Hashes {
  // Low, high, apart, and number + 1; 0: empty.
  let places = new Int32Array(0)
  let mask = -1
  let size = 0

  /** Where one stands, or the empty place for it. */
  function find(low: number, high: number, apart: number): number {
    let at = Math.imul(low ^ Math.imul(high ^ Math.imul(apart, 0xc2b2ae35), 0x85ebca6b), 0x9e3779b1)
    at = (at ^ (at >>> 15)) & mask
    for (;;) {
      const place = at * WORDS
      if (places[place + 3] === 0) return place
      if (places[place] === low && places[place + 1] === high && places[place + 2] === apart) {
        return place
      }
      at = (at + 1) & mask
    }
  }

  function grow(): void {
    const before = places
    mask = Math.max(1_023, mask * 2 + 1)
    places = new Int32Array((mask + 1) * WORDS)
    for (let from = 0; from < before.length; from += WORDS) {
      if (before[from + 3] === 0) continue
      const [low, high, apart] = before.subarray(from, from + 3)
      places.set(
        before.subarray(from, from + WORDS),
        find(low as number, high as number, apart as number),
      )
    }
  }

  return {
    get size() {
      return size
    },
    add(low, high, apart) {
      if (size * 2 >= mask) grow()
      const place = find(low, high, apart)
      if (places[place + 3] === 0) {
        places[place] = low
        places[place + 1] = high
        places[place + 2] = apart
        places[place + 3] = ++size
      }
      return (places[place + 3] as number) - 1
    },
  }
}
