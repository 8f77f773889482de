import type { Stretch } from './read.ts'

/** Visitors of one UTC day at a time. */
export interface Visitors {
  /** The clicks that follow are those of this stretch. Of its day they know whom they have seen. */
  begin(stretch: Stretch): void
  /**
   * True: this one comes for the first time on that day. A visitor as two halves of 64 bits; each number
   * `apart` has visitors of its own.
   */
  add(low: number, high: number, apart: number): boolean
}

const WORDS = 4

/**
 * @param days all that they will begin, in that order
 * @param adds how many are added for a click at most
 */
export function createVisitors(days: readonly Stretch[], adds: number): Visitors {
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
  let mask = 0
  let current: number | undefined
  let stamp = 0
  return {
    begin({ day }) {
      if (day === current) return
      current = day
      stamp++
      mask = placesFor(clicksOf.get(day) ?? 0) - 1
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
