import type { Dimension, Selection } from '../../types.ts'
import type { Values } from '../counting/values.ts'
import { timeOf } from '../sql/where.ts'
import type { Clicks, Units } from './clicks.ts'
import type { ListCounting } from './list.ts'
import type { Part } from './parts.ts'

/** Dimensions whose values the time of a click says. */
export function isTime(dimension: Dimension): dimension is 'hour' | 'weekday' {
  return dimension === 'hour' || dimension === 'weekday'
}

/** Hours and weekdays have numbers below this: a bit for each in a number of a visitor's own. */
const BITS = 24

/** For each visitor, by their number, bits of the hours or weekdays that they came in. */
interface Seen {
  numbered: Int32Array
  /** Of those whose numbers are given as they come, which begin with `end`. */
  later: Int32Array
  end: number
}

/**
 * Counts the clicks of hours or weekdays. There are few, so that it can be noted for each visitor which
 * ones they came in, and no click need be looked at once more.
 */
export function createTimes(
  dimension: 'hour' | 'weekday',
  { offsets }: Pick<Selection, 'offsets'>,
  values: Pick<Values, 'numberOf' | 'list'>,
): ListCounting {
  const all = new Float64Array(BITS)
  const bots = new Float64Array(BITS)
  /** Visitors by the number of a value. */
  const came = new Float64Array(BITS)
  const parts: Seen[] = []

  /** The number of the value of each slot of a part. */
  function valuesOf({ start }: Part, { of }: Units): Uint8Array {
    return Uint8Array.from(of, (_, slot) => timeOf(dimension, start + slot, offsets))
  }

  return {
    cuts: [],
    begin(part, units) {
      const numberAt = valuesOf(part, units)
      const seen = {
        numbered: new Int32Array(units.end),
        later: new Int32Array(64),
        end: units.end,
      }
      parts.push(seen)
      return (clicks) => {
        countClicks(clicks, numberAt, all, bots)
        countVisitors(clicks, numberAt, seen, came)
      }
    },
    sums() {
      // The values are numbered as reports list them: those that there are.
      const numbers = Array.from(all.keys()).filter((value) => all[value] !== 0)
      for (const value of numbers) values.numberOf(value)
      // Of clicks that were purged it isn't known.
      const inOrder = (counts: Float64Array) =>
        Float64Array.from(values.list, (value) => (value === null ? 0 : (counts[+value] as number)))
      return { all: inOrder(all), bots: inOrder(bots) }
    },
    async visitors(places, listed) {
      const found = new Float64Array(listed + 1)
      let others = 0
      values.list.forEach((value, number) => {
        if (value === null) return
        const place = places[number] as number
        if (place === listed) others |= 1 << Number(value)
        else found[place] = came[Number(value)] as number
      })
      if (others !== 0) found[listed] = countAny(parts, others)
      return found
    },
  }
}

function countClicks(
  { count, slot, bot }: Clicks,
  numberAt: Uint8Array,
  all: Float64Array,
  bots: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const number = numberAt[slot[i] as number] as number
    all[number] = (all[number] as number) + 1
    bots[number] = (bots[number] as number) + (bot[i] as number)
  }
}

function countVisitors(
  { count, slot, visitor }: Clicks,
  numberAt: Uint8Array,
  seen: Seen,
  came: Float64Array,
): void {
  const { numbered, end } = seen
  for (let i = 0; i < count; i++) {
    const who = visitor[i] as number
    if (who < 0) continue
    const number = numberAt[slot[i] as number] as number
    if (who >= end) {
      if (noteLater(seen, who - end, number)) came[number] = (came[number] as number) + 1
      continue
    }
    const bits = numbered[who] as number
    const bit = 1 << number
    if ((bits & bit) !== 0) continue
    numbered[who] = bits | bit
    came[number] = (came[number] as number) + 1
  }
}

/** True: it is new. */
function noteLater(seen: Seen, who: number, number: number): boolean {
  if (who >= seen.later.length) {
    const more = new Int32Array(Math.max(who + 1, seen.later.length * 2))
    more.set(seen.later)
    seen.later = more
  }
  const bits = seen.later[who] as number
  seen.later[who] = bits | (1 << number)
  return (bits & (1 << number)) === 0
}

/** Visitors with one of these bits. */
function countAny(parts: readonly Seen[], bits: number): number {
  let found = 0
  for (const { numbered, later } of parts) {
    for (const visitors of [numbered, later]) {
      for (let who = 0; who < visitors.length; who++) {
        if (((visitors[who] as number) & bits) !== 0) found++
      }
    }
  }
  return found
}
