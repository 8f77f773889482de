import { SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode } from '../../types.ts'
import { bucketOf } from '../buckets.ts'
import type { Sums } from '../totals.ts'
import { BOT, type Clicks, countsVisitor } from './read.ts'
import { createVisitors } from './visitors.ts'

/** What was counted: all together, and each bucket. */
export interface SeriesSums {
  totals: Sums
  buckets: Sums[]
}

export function noSums(): Sums {
  return { all: 0, bots: 0, unique: 0 }
}

/** Counts clicks between neighbouring boundaries, all of which lie there. */
export function countSeries(
  clicks: Clicks,
  mode: BotsMode,
  boundaries: readonly number[],
): SeriesSums {
  const { slot, what, visitor } = clicks
  const totals = noSums()
  const buckets = boundaries.slice(1).map(noSums)
  const inner = boundaries.slice(1, -1).map((at) => Math.ceil(at / SLOT_MS))
  const counts = countsVisitor(mode)
  const visitors = createVisitors(clicks.days, 2)
  let bucket = 0
  for (const stretch of clicks.days) {
    visitors.begin(stretch)
    const first = stretch.day * SLOTS_PER_DAY
    bucket = bucketAt(inner, first, bucket)
    const isCut = bucketAt(inner, first + SLOTS_PER_DAY - 1, bucket) !== bucket
    for (let at = stretch.from; at < stretch.to; at++) {
      if (isCut) bucket = bucketAt(inner, slot[at] as number, bucket)
      const sums = buckets[bucket] as Sums
      const kind = what[at] as number
      sums.all++
      sums.bots += kind & BOT
      if (counts[kind] === 0) continue
      const low = visitor[at * 2] as number
      const high = visitor[at * 2 + 1] as number
      // `apart` is 0 for the whole day.
      if (visitors.add(low, high, 0)) {
        totals.unique++
        if (!isCut) sums.unique++
      }
      if (isCut && visitors.add(low, high, bucket + 1)) sums.unique++
    }
  }
  for (const { all, bots } of buckets) {
    totals.all += all
    totals.bots += bots
  }
  return { totals, buckets }
}

/** Which bucket a slot lies in; most lie where the one before did. */
function bucketAt(inner: readonly number[], slot: number, before: number): number {
  const begins = inner[before - 1] ?? Number.NEGATIVE_INFINITY
  const ends = inner[before] ?? Number.POSITIVE_INFINITY
  if (begins <= slot && slot < ends) return before
  return bucketOf({ boundaries: inner }, slot)
}
