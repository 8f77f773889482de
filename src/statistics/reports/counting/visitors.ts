import type { Clicks, Stretch } from './read.ts'

/**
 * Visitors of one UTC day at a time. Those who are numbers have a place by it, which loops look at
 * themselves (a call for each click takes four times as long); others, hashes, are looked up:
 *
 * ```
 * if (high === 0 && low < below) {
 *   const place = low * aparts + apart
 *   if (seen[place] === day) continue
 *   seen[place] = day
 * } else if (!visitors.add(low, high, apart)) continue
 * ```
 */
export interface Visitors {
  /** By number × `aparts` + apart: the day that somebody was seen on last, as `begin` calls it. */
  readonly seen: Uint16Array
  /** Numbers that have a place in `seen`. */
  readonly below: number
  /** The clicks that follow are those of this stretch. Gives what its day is called in `seen`. */
  begin(stretch: Stretch): number
  /**
   * True: this one, who has no place in `seen`, comes for the first time on that day. A visitor as two
   * halves of 64 bits; each number `apart` has visitors of its own.
   */
  add(low: number, high: number, apart: number): boolean
}

const WORDS = 4
/** Two bytes each. */
const SEEN_AT_MOST = 2 ** 20

/** What {@link createVisitors} makes room for. */
export interface Room {
  /** How many are added for a click at most. */
  adds: number
  /** Each `apart` is below this. */
  aparts: number
}

/** The days of these clicks are begun in their order. */
export function createVisitors(
  { days, numbers }: Pick<Clicks, 'days' | 'numbers'>,
  { adds, aparts }: Room,
): Visitors {
  const clicksOf = new Map<number, number>()
  let most = 0
  for (const { day, from, to } of days) {
    const clicks = (clicksOf.get(day) ?? 0) + to - from
    clicksOf.set(day, clicks)
    most = Math.max(most, clicks)
  }
  const placesFor = (clicks: number) => 2 ** Math.ceil(Math.log2(Math.max(4, clicks * adds * 2)))
  // Low, high, apart, and the day's number here: a place that has another one's is empty.
  const places = new Uint32Array(placesFor(most) * WORDS)
  const below = clicksOf.size < 65_536 ? Math.min(numbers, Math.floor(SEEN_AT_MOST / aparts)) : 0
  let mask = 0
  let current: number | undefined
  let stamp = 0
  return {
    seen: new Uint16Array(below * aparts),
    below,
    begin({ day }) {
      if (day !== current) {
        current = day
        stamp++
        mask = placesFor(clicksOf.get(day) ?? 0) - 1
      }
      return stamp
    },
    add(low, high, apart) {
      let at = scramble(low ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(apart, 0xc2b2ae35)) & mask
      for (;;) {
        const place = at * WORDS
        if (places[place + 3] !== stamp) {
          places[place] = low
          places[place + 1] = high
          places[place + 2] = apart
          places[place + 3] = stamp
          return true
        }
        if (places[place] === low && places[place + 1] === high && places[place + 2] === apart) {
          return false
        }
        at = (at + 1) & mask
      }
    },
  }
}

/** Visitors may be numbered one after another, or random. */
function scramble(n: number): number {
  const h = Math.imul(n ^ (n >>> 16), 0x9e3779b1)
  return h ^ (h >>> 15)
}
