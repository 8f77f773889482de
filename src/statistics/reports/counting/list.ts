import { compareValues } from '../../compare-values.ts'
import type { BotsMode } from '../../types.ts'
import { BOT, type Clicks, countsVisitor } from './read.ts'
import type { Value } from './values.ts'
import { createVisitors } from './visitors.ts'

/** Numbers of each value, by the number that the value has. */
export interface ValueSums {
  all: Float64Array
  bots: Float64Array
}

/** Clicks, and bots among them, of each of `values` values. */
export function countValues(
  { count, what }: Clicks,
  value: Uint32Array,
  values: number,
): ValueSums {
  const all = new Float64Array(values)
  const bots = new Float64Array(values)
  for (let at = 0; at < count; at++) {
    const number = value[at] as number
    all[number] = (all[number] as number) + 1
    bots[number] = (bots[number] as number) + ((what[at] as number) & BOT)
  }
  return { all, bots }
}

/**
 * Different visitors of each listed value, and, last, of all others together.
 * @param places where a value stands in the list, by its number; `listed` for those that don't
 */
export function countVisitors(
  clicks: Clicks,
  value: Uint32Array,
  mode: BotsMode,
  places: Uint32Array,
  listed: number,
): Float64Array {
  const { what, visitor } = clicks
  const counts = countsVisitor(mode)
  const aparts = listed + 1
  const visitors = createVisitors(clicks, { adds: 1, aparts })
  const { seen, below } = visitors
  const found = new Float64Array(aparts)
  for (const stretch of clicks.days) {
    const day = visitors.begin(stretch)
    for (let at = stretch.from; at < stretch.to; at++) {
      if (counts[what[at] as number] === 0) continue
      const place = places[value[at] as number] as number
      const low = visitor[at * 2] as number
      const high = visitor[at * 2 + 1] as number
      if (high === 0 && low < below) {
        const spot = low * aparts + place
        if (seen[spot] === day) continue
        seen[spot] = day
      } else if (!visitors.add(low, high, place)) continue
      found[place] = (found[place] as number) + 1
    }
  }
  return found
}

/** The numbers of the `limit` values with the most `clicks`, in their order; ties by value. */
export function mostClicked(clicks: Float64Array, list: readonly Value[], limit: number): number[] {
  const before = (a: number, b: number) =>
    (clicks[b] as number) - (clicks[a] as number) ||
    compareValues(list[a] as Value, list[b] as Value)
  // A heap whose top is the last one of those that are listed so far.
  const heap: number[] = []
  const sink = (from: number, length: number) => {
    for (let at = from; ; ) {
      let last = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < length && before(heap[last] as number, heap[child] as number) < 0) last = child
      }
      if (last === at) return
      const moved = heap[at] as number
      heap[at] = heap[last] as number
      heap[last] = moved
      at = last
    }
  }
  for (let number = 0; number < list.length; number++) {
    if (heap.length < limit) {
      heap.push(number)
      if (heap.length === limit) {
        for (let at = heap.length >> 1; at >= 0; at--) sink(at, heap.length)
      }
    } else if (before(number, heap[0] as number) < 0) {
      heap[0] = number
      sink(0, heap.length)
    }
  }
  return heap.sort(before)
}
