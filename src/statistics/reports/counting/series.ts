import { SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode } from '../../types.ts'
import { bucketOf } from '../buckets.ts'
import type { Sums } from '../totals.ts'
import { BOT, type Clicks, countsVisitor, type Stretch } from './read.ts'
import { createVisitors, type Visitors } from './visitors.ts'

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
  const totals = noSums()
  const buckets = boundaries.slice(1).map(noSums)
  const inner = boundaries.slice(1, -1).map((at) => Math.ceil(at / SLOT_MS))
  const bucketAt = (slot: number) => bucketOf({ boundaries: inner }, slot)
  const ends = ({ day }: Stretch) => {
    const slot = day * SLOTS_PER_DAY
    return { first: bucketAt(slot), last: bucketAt(slot + SLOTS_PER_DAY - 1) }
  }
  const parts = clicks.days.reduce((most, stretch) => {
    const { first, last } = ends(stretch)
    return Math.max(most, last - first + 1)
  }, 1)
  // All of a day together are 0, its buckets 1 and so on.
  const room = { adds: 2, aparts: parts + 1 }
  const visitors = createVisitors(clicks, room)
  const counting = { clicks, counts: countsVisitor(mode), visitors, aparts: room.aparts }
  for (const stretch of clicks.days) {
    const { first, last } = ends(stretch)
    if (first === last) {
      const sums = countDay(counting, stretch)
      addTo(buckets[first] as Sums, sums)
      addTo(totals, sums)
      continue
    }
    const cut = inner.slice(first, last)
    const { ofDay, ofParts } = countCutDay(counting, stretch, cut)
    ofParts.forEach((sums, part) => {
      addTo(buckets[first + part] as Sums, sums)
    })
    addTo(totals, ofDay)
  }
  return { totals, buckets }
}

interface Counting {
  clicks: Clicks
  /** By `what`, whether their visitors count. */
  counts: Uint8Array
  visitors: Visitors
  aparts: number
}

function countDay({ clicks, counts, visitors, aparts }: Counting, stretch: Stretch): Sums {
  const { what, visitor } = clicks
  const { seen, below } = visitors
  const day = visitors.begin(stretch)
  let bots = 0
  let unique = 0
  for (let at = stretch.from; at < stretch.to; at++) {
    const kind = what[at] as number
    bots += kind & BOT
    if (counts[kind] === 0) continue
    const low = visitor[at * 2] as number
    const high = visitor[at * 2 + 1] as number
    if (high === 0 && low < below) {
      const place = low * aparts
      if (seen[place] === day) continue
      seen[place] = day
    } else if (!visitors.add(low, high, 0)) continue
    unique++
  }
  return { all: stretch.to - stretch.from, bots, unique }
}

/** The same of the parts of a day that begin at the slots `cut`, too. */
function countCutDay(
  { clicks, counts, visitors, aparts }: Counting,
  stretch: Stretch,
  cut: readonly number[],
): { ofDay: Sums; ofParts: Sums[] } {
  const { slot, what, visitor } = clicks
  const { seen, below } = visitors
  const day = visitors.begin(stretch)
  const first = stretch.day * SLOTS_PER_DAY
  const partOf = new Uint8Array(SLOTS_PER_DAY)
  for (const [i, at] of cut.entries()) partOf.fill(i + 1, at - first)
  const all = new Uint32Array(cut.length + 1)
  const bots = new Uint32Array(cut.length + 1)
  const unique = new Uint32Array(cut.length + 1)
  let ofDay = 0
  for (let at = stretch.from; at < stretch.to; at++) {
    const part = partOf[(slot[at] as number) - first] as number
    const kind = what[at] as number
    all[part] = (all[part] as number) + 1
    bots[part] = (bots[part] as number) + (kind & BOT)
    if (counts[kind] === 0) continue
    const low = visitor[at * 2] as number
    const high = visitor[at * 2 + 1] as number
    if (high === 0 && low < below) {
      const place = low * aparts
      if (seen[place] !== day) {
        seen[place] = day
        ofDay++
      }
      if (seen[place + 1 + part] === day) continue
      seen[place + 1 + part] = day
    } else {
      if (visitors.add(low, high, 0)) ofDay++
      if (!visitors.add(low, high, 1 + part)) continue
    }
    unique[part] = (unique[part] as number) + 1
  }
  const ofParts = Array.from(all, (n, part) => ({
    all: n,
    bots: bots[part] as number,
    unique: unique[part] as number,
  }))
  const sums = noSums()
  for (const part of ofParts) addTo(sums, part)
  return { ofDay: { ...sums, unique: ofDay }, ofParts }
}

function addTo(sums: Sums, { all, bots, unique }: Sums): void {
  sums.all += all
  sums.bots += bots
  sums.unique += unique
}
