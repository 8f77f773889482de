import { SLOT_MS, SLOTS_PER_DAY } from '../store/schema.ts'
import { integer, raw, type Sql, sql, text } from './sql.ts'

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
  /** Each unit is a bucket. */
  even: boolean
  /** All buckets but the first begin at midnight UTC. */
  wholeDays: boolean
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
    even: ofUnit.every((of, unit) => of === unit),
    wholeDays: inner.every((slot) => slot % SLOTS_PER_DAY === 0),
  }
}

/** Where clicks come from, and their bucket: for those that can't be added up by units. */
export interface Bucketed {
  from: Sql
  bucket: Sql
  /** The click lies in the same bucket as its visitor's first one of the day. */
  same: Sql
}

/** With the columns of `clicks`. `first`: the slot of the visitor's first click. */
export function bucketed(buckets: Buckets, slot: Sql, first: Sql): Bucketed {
  if (buckets.even) {
    const bucket = buckets.unit(slot)
    return { from: raw('clicks'), bucket, same: sql`${bucket} = ${buckets.unit(first)}` }
  }
  const map = sql`(SELECT generate_subscripts(l, 1) - 1 AS unit, unnest(l)::INTEGER AS bucket
    FROM (SELECT string_split(${text(buckets.ofUnit.join(','))}, ',') AS l))`
  return {
    from: sql`clicks JOIN ${map} own ON own.unit = ${buckets.unit(slot)}
      LEFT JOIN ${map} other ON other.unit = ${buckets.unit(first)}`,
    bucket: raw('own.bucket'),
    same: raw('own.bucket = other.bucket'),
  }
}

/** The greatest common divisor; of 0 and b: b. */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}
