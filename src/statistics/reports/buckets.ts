import { SLOT_MS, SLOTS_PER_DAY } from '../store/schema.ts'
import { integer, join, raw, type Sql, sql } from './sql/index.ts'

/**
 * Buckets of a series, cut into units of equal length that each lie in one bucket: clicks are
 * counted by unit, which is a division, and added up. Units are counted from 0.
 */
export interface Buckets {
  count: number
  /** The bucket of each unit. */
  ofUnit: number[]
  /** Number of the unit in which a click at `slot` lies. */
  unit(slot: Sql): Sql
  /** The same without units. */
  runs: readonly Run[]
  /** Slots in which all buckets but the first begin. */
  boundaries: readonly number[]
  /** All buckets but the first begin at midnight UTC. */
  wholeDays: boolean
}

/** From slot `from` on buckets of so many slots, the first of them number `bucket`. */
interface Run {
  from: number
  length: number
  bucket: number
}

/** `boundaries` as {@link ClickReports.series} takes them, of which there are at least two. */
export function createBuckets(boundaries: readonly number[]): Buckets {
  const inner = boundaries.slice(1, -1).map((at) => Math.ceil(at / SLOT_MS))
  const first = Math.floor((boundaries[0] as number) / SLOT_MS)
  const end = Math.max(first + 1, Math.ceil((boundaries.at(-1) as number) / SLOT_MS))
  const start = inner[0] ?? end
  const step = inner.slice(1).reduce((gcd, at, i) => divisor(gcd, at - (inner[i] as number)), 0)
  const length = step > 0 ? step : end - first
  const base = start - Math.ceil((start - first) / length) * length
  const ofUnit: number[] = []
  let bucket = 0
  for (let slot = base; slot < end; slot += length) {
    while (bucket < inner.length && (inner[bucket] as number) <= slot) bucket++
    ofUnit.push(bucket)
  }
  return {
    count: boundaries.length - 1,
    ofUnit,
    unit: (slot) => sql`((${slot} - ${integer(base)}) // ${integer(length)})`,
    runs: runsOf(inner, first, end),
    boundaries: inner,
    wholeDays: inner.every((slot) => slot % SLOTS_PER_DAY === 0),
  }
}

/** The bucket that a slot of the range lies in. */
export function bucketOf({ boundaries }: Pick<Buckets, 'boundaries'>, slot: number): number {
  let [low, high] = [0, boundaries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((boundaries[middle] as number) <= slot) low = middle + 1
    else high = middle
  }
  return low
}

/** The bucket of a click at `slot`, for those that can't be added up by units. */
export function bucketAt({ runs }: Buckets, slot: Sql): Sql {
  const parts = runs.map(
    ({ from, length, bucket }) =>
      sql`(${slot} - ${integer(from)}) // ${integer(length)} + ${integer(bucket)}`,
  )
  const [first, ...later] = parts
  const cases = later
    .map((part, i) => sql`WHEN ${slot} >= ${integer((runs[i + 1] as Run).from)} THEN ${part}`)
    .toReversed()
  if (cases.length === 0) return sql`(${first as Sql})`
  return sql`(CASE ${join(cases, ' ')} ELSE ${first as Sql} END)`
}

/**
 * True for a click that lies in the same bucket as its visitor's first one of the UTC day
 * (`firstSlot`: within the day). Days rarely have more than one boundary in them, and then both
 * only have to lie on the same side of it.
 */
export function inSameBucket(buckets: Buckets, slot: Sql, firstSlot: Sql, first: Sql): Sql {
  const { boundaries, runs } = buckets
  const cuts = boundaries.filter((at) => at % SLOTS_PER_DAY !== 0)
  const days = cuts.map((at) => Math.floor(at / SLOTS_PER_DAY))
  if (runs.length === 1 || new Set(days).size < days.length) {
    return sql`${bucketAt(buckets, slot)} = ${bucketAt(buckets, first)}`
  }
  const perDay = raw(String(SLOTS_PER_DAY))
  const cut = cutAt(cuts, slot)
  const sameSide = sql`((${slot} % ${perDay} >= ${cut}) = (${firstSlot} >= ${cut}))`
  const [from, to] = [days[0] as number, (days.at(-1) as number) + 1]
  if (to - from === days.length) {
    const outside = raw(
      `${slot.text} < ${from * SLOTS_PER_DAY} OR ${slot.text} >= ${to * SLOTS_PER_DAY}`,
    )
    return sql`(${outside} OR ${sameSide})`
  }
  return sql`(${sameSide} OR ${slot} // ${perDay} NOT IN (${raw(days.join(', '))}))`
}

/** Where in its UTC day a boundary lies, for the days that have one. */
function cutAt(cuts: readonly number[], slot: Sql): Sql {
  const at = (cut: number) => cut % SLOTS_PER_DAY
  const changes = cuts.filter((cut, i) => i > 0 && at(cut) !== at(cuts[i - 1] as number))
  const cases = changes
    .toReversed()
    .map((cut) => `WHEN ${slot.text} >= ${cut - at(cut)} THEN ${at(cut)}`)
  const first = at(cuts[0] ?? 0)
  return raw(cases.length === 0 ? String(first) : `(CASE ${cases.join(' ')} ELSE ${first} END)`)
}

/** Neighbouring buckets of one length: the clocks of a zone change it only a few times a year. */
function runsOf(inner: readonly number[], first: number, end: number): Run[] {
  const starts = [first, ...inner]
  const runs: Run[] = []
  starts.forEach((from, bucket) => {
    const length = Math.max(1, (starts[bucket + 1] ?? end) - from)
    const last = runs.at(-1)
    // The last one may be cut short: nothing lies behind it.
    const isCut = bucket === starts.length - 1 && last !== undefined && length <= last.length
    if (last === undefined || (last.length !== length && !isCut))
      runs.push({ from, length, bucket })
  })
  return runs
}

/** The greatest common divisor; of 0 and b: b. */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}
