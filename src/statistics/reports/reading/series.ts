import { SLOT_MS } from '../../store/schema.ts'
import { bucketOf } from '../buckets.ts'
import { noSums, type SeriesSums } from '../counting/series.ts'
import type { Sums } from '../totals.ts'
import type { Clicks, Units } from './clicks.ts'
import { createHashes } from './hashes.ts'
import type { Part } from './parts.ts'

/** Counts clicks of one part after another. */
export interface Counting {
  /** Slots that begin a bucket. */
  cuts: readonly number[]
  /** What takes the clicks of a part, of which two at a time may be read. */
  begin(part: Part, units: Units): (clicks: Clicks) => void
}

/** Counts between neighbouring boundaries, all of which lie there. */
export function createSeries(boundaries: readonly number[]): Counting & { sums(): SeriesSums } {
  const inner = boundaries.slice(1, -1).map((at) => Math.ceil(at / SLOT_MS))
  const counted: { bucket: number[]; found: Found }[] = []
  return {
    cuts: inner,
    begin(part, units) {
      const bucket: number[] = []
      units.of.forEach((unit, slot) => {
        if (unit === bucket.length) bucket.push(bucketOf({ boundaries: inner }, part.start + slot))
      })
      const found = noneFound(bucket.length)
      counted.push({ bucket, found })
      return createCount(found, units)
    },
    sums() {
      const sums = { totals: noSums(), buckets: boundaries.slice(1).map(noSums) }
      for (const { bucket, found } of counted) addUp(sums, bucket, found)
      return sums
    },
  }
}

/** By unit: clicks, bots, visitors who are met there, and those who are met first on their UTC day. */
interface Found {
  all: Int32Array
  bots: Int32Array
  visitors: Int32Array
  ofDay: Int32Array
}

function noneFound(units: number): Found {
  return {
    all: new Int32Array(units),
    bots: new Int32Array(units),
    visitors: new Int32Array(units),
    ofDay: new Int32Array(units),
  }
}

function addUp(sums: SeriesSums, bucket: readonly number[], found: Found): void {
  bucket.forEach((at, unit) => {
    const sum = sums.buckets[at] as Sums
    const all = found.all[unit] as number
    const bots = found.bots[unit] as number
    sum.all += all
    sum.bots += bots
    sum.unique += found.visitors[unit] as number
    sums.totals.all += all
    sums.totals.bots += bots
    sums.totals.unique += found.ofDay[unit] as number
  })
}

/** Bits of those who have come in a unit of a day that has several. */
interface Places {
  /** By unit, what the numbers of visitors are moved by, each by another; 0: it is the whole day. */
  move: Int32Array
  end: number
}

function placesOf({ day, begin, numbered, end: first }: Units): Places {
  const move = new Int32Array(day.length)
  let end = first
  day.forEach((itsDay, unit) => {
    if (day[unit - 1] !== itsDay && day[unit + 1] !== itsDay) return
    // One more, so that those of a day without numbers aren't moved by the same.
    end++
    move[unit] = end - (begin[unit] as number)
    end += numbered[unit] as number
  })
  return { move, end }
}

function createCount(found: Found, units: Units): (clicks: Clicks) => void {
  const { move, end } = placesOf(units)
  const seen = new Int32Array((end >>> 5) + 1)
  const inUnits = createHashes()
  let known = 0

  /** Numbers as they come, from 0 on. */
  function countHash(unit: number, number: number): void {
    const { visitors, ofDay } = found
    const isFirst = number === known
    if (isFirst) {
      known++
      ofDay[unit] = (ofDay[unit] as number) + 1
    }
    const by = move[unit] as number
    const before = inUnits.size
    if (by !== 0) inUnits.add(number, by, 0)
    const isNew = by === 0 ? isFirst : inUnits.size > before
    if (isNew) visitors[unit] = (visitors[unit] as number) + 1
  }

  return (clicks) => count(clicks, units, found, move, seen, countHash)
}

function count(
  { count, slot, bot, visitor }: Clicks,
  { of, end: hashed }: Units,
  { all, bots, visitors, ofDay }: Found,
  move: Int32Array,
  seen: Int32Array,
  countHash: (unit: number, number: number) => void,
): void {
  for (let i = 0; i < count; i++) {
    const at = of[slot[i] as number] as number
    all[at] = (all[at] as number) + 1
    bots[at] = (bots[at] as number) + (bot[i] as number)
    const number = visitor[i] as number
    if (number < 0) continue
    if (number >= hashed) {
      countHash(at, number - hashed)
      continue
    }
    const by = move[at] as number
    const word = seen[number >> 5] as number
    const bit = 1 << (number & 31)
    if ((word & bit) === 0) {
      seen[number >> 5] = word | bit
      ofDay[at] = (ofDay[at] as number) + 1
      if (by === 0) visitors[at] = (visitors[at] as number) + 1
    }
    if (by === 0) continue
    const place = number + by
    const otherWord = seen[place >> 5] as number
    const otherBit = 1 << (place & 31)
    if ((otherWord & otherBit) === 0) {
      seen[place >> 5] = otherWord | otherBit
      visitors[at] = (visitors[at] as number) + 1
    }
  }
}
