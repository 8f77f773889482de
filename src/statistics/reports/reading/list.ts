import type { Values } from '../counting/values.ts'
import type { Clicks } from './clicks.ts'
import type { Counting } from './series.ts'

/** Counts the clicks of values, and then, once it is known which are listed, their visitors. */
export interface ListCounting extends Counting {
  /** Clicks, and bots among them, by the number of a value. */
  sums(): { all: Float64Array; bots: Float64Array }
  /**
   * Different visitors of each listed value, and, last, of all others together.
   * @param places where a value stands in the list, by its number; `listed` for those that don't
   */
  visitors(places: Uint32Array, listed: number): Promise<Float64Array>
}

/** Clicks whose visitors are counted, as they are needed again: in blocks. */
interface Kept {
  visitor: Int32Array[]
  value: Uint32Array[]
  count: number
  /** The highest of their visitors' numbers. */
  highest: number
}

/** Lets others be answered in between. */
const turn = () => new Promise<void>((turned) => setImmediate(turned))
const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS
/** As many places of a list have a bit each in a number of a visitor's own. */
const PLACES_AT_ONCE = 31

/** `values`: those that clicks have, which grow with each {@link Clicks}. */
export function createList({ list }: Pick<Values, 'list'>): ListCounting {
  let all = new Int32Array(0)
  let bots = new Int32Array(0)
  const parts: Kept[] = []

  function makeRoom(): void {
    if (all.length >= list.length) return
    const length = Math.max(1_024, list.length, all.length * 2)
    all = withRoom(all, length)
    bots = withRoom(bots, length)
  }

  return {
    cuts: [],
    begin() {
      const kept: Kept = { visitor: [], value: [], count: 0, highest: -1 }
      parts.push(kept)
      return (clicks) => {
        makeRoom()
        countValues(clicks, all, bots)
        keep(clicks, kept)
      }
    },
    sums() {
      makeRoom()
      const own = (counts: Int32Array) => Float64Array.from(counts.subarray(0, list.length))
      return { all: own(all), bots: own(bots) }
    },
    async visitors(places, listed) {
      const found = new Float64Array(listed + 1)
      for (const kept of parts) {
        for (let first = 0; first <= listed; first += PLACES_AT_ONCE) {
          countPlaces(kept, places, first, found)
          await turn()
        }
      }
      return found
    },
  }
}

function withRoom(counts: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const now = new Int32Array(length)
  now.set(counts)
  return now
}

function countValues({ count, value, bot }: Clicks, all: Int32Array, bots: Int32Array): void {
  for (let i = 0; i < count; i++) {
    const number = value[i] as number
    all[number] = (all[number] as number) + 1
    bots[number] = (bots[number] as number) + (bot[i] as number)
  }
}

function keep({ count, visitor, value }: Clicks, kept: Kept): void {
  let { count: at, highest } = kept
  // What a block has room for, in a loop without calls.
  for (let i = 0; i < count; ) {
    const block = at >> BLOCK_BITS
    kept.visitor[block] ??= new Int32Array(BLOCK)
    kept.value[block] ??= new Uint32Array(BLOCK)
    const visitors = kept.visitor[block] as Int32Array
    const values = kept.value[block] as Uint32Array
    let place = at & (BLOCK - 1)
    const before = place
    for (; i < count && place < BLOCK; i++) {
      const number = visitor[i] as number
      if (number < 0) continue
      if (number > highest) highest = number
      visitors[place] = number
      values[place] = value[i] as number
      place++
    }
    at += place - before
  }
  kept.count = at
  kept.highest = highest
}

/** Adds the visitors of the places from `first` on, {@link PLACES_AT_ONCE} of them. */
function countPlaces(kept: Kept, places: Uint32Array, first: number, found: Float64Array): void {
  // The fewer bytes, the more of them are at hand.
  const isShort = found.length - first <= 16
  const seen = isShort ? new Uint16Array(kept.highest + 1) : new Int32Array(kept.highest + 1)
  const firsts = new Int32Array(PLACES_AT_ONCE)
  kept.visitor.forEach((visitor, block) => {
    const count = Math.min(BLOCK, kept.count - block * BLOCK)
    markPlaces(visitor, kept.value[block] as Uint32Array, count, places, first, seen, firsts)
  })
  for (let place = 0; place < PLACES_AT_ONCE && first + place < found.length; place++) {
    found[first + place] = (found[first + place] as number) + (firsts[place] as number)
  }
}

function markPlaces(
  visitor: Int32Array,
  value: Uint32Array,
  count: number,
  places: Uint32Array,
  first: number,
  seen: Int32Array | Uint16Array,
  firsts: Int32Array,
): void {
  for (let i = 0; i < count; i++) {
    const place = (places[value[i] as number] as number) - first
    if (place < 0 || place >= PLACES_AT_ONCE) continue
    const who = visitor[i] as number
    const bits = seen[who] as number
    const bit = 1 << place
    if ((bits & bit) !== 0) continue
    seen[who] = bits | bit
    firsts[place] = (firsts[place] as number) + 1
  }
}
