import { HOURS_BITS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode, Selection } from '../../types.ts'
import { type Buckets, bucketOf, inSameBucket } from '../buckets.ts'
import { join, raw, type Sql, sql } from '../sql/index.ts'
import { fits, SLOT, timeOf } from '../sql/where.ts'
import { codeOf, DAY_START, type Days, inside, ofMode, ofPart, type Rolled } from './index.ts'

const SLOTS_PER_HOUR = SLOTS_PER_DAY / 24

/** For {@link findRolled}: whether a block's clicks can be told by buckets. */
export function canAddUp(
  { filters, linkSeq }: Selection,
  buckets: Buckets,
): (days: Days) => boolean {
  const once = cutOnce(buckets)
  if (filters.length === 0) return once
  // The hours that visitors came in are known; of a link, its clicks are read as quickly.
  const whole = buckets.boundaries.every((slot) => slot % SLOTS_PER_HOUR === 0)
  return (days) => whole && (linkSeq === null || once(days))
}

/** No UTC day is cut more than once by the buckets. */
function cutOnce({ boundaries }: Buckets): (days: Days) => boolean {
  const cut = boundaries.filter((slot) => slot % SLOTS_PER_DAY !== 0)
  const days = cut.map((slot) => Math.floor(slot / SLOTS_PER_DAY))
  const often = days.filter((day, i) => day === days[i - 1])
  return ({ first, end }) => !often.some((day) => day >= first && day < end)
}

/** All clicks and bots by unit of the buckets; visitors of each bucket, and of all together. */
export function rolledSeries(rolled: Rolled, mode: BotsMode, buckets: Buckets): Sql {
  if (rolled.filters.length > 0) return seriesOfHours(rolled, mode, buckets)
  const visitors = buckets.wholeDays
    ? raw(ofMode(mode, 'firsts'))
    : ofPart(mode, inSameBucket(buckets, SLOT, raw('0'), DAY_START))
  const ofDays = raw(ofMode(mode, 'firsts'))
  return sql`SELECT ${buckets.unit(SLOT)}, sum(people + bots), sum(bots), sum(${visitors}), sum(${ofDays})
    FROM rolled_slots WHERE ${inside(rolled)} GROUP BY 1`
}

/** The same with filters of whole hours. */
function seriesOfHours(rolled: Rolled, mode: BotsMode, buckets: Buckets): Sql {
  const { ofUnit } = buckets
  const units = Array.from({ length: buckets.count }, (_, bucket) => ofUnit.indexOf(bucket))
  const unitOf = (slot: number) => units[bucketOf(buckets, slot)] ?? 0
  const one = ofUnit.length - 1
  return sql`SELECT ${buckets.unit(SLOT)} AS unit, sum(people + bots), sum(bots), 0, 0
    FROM rolled_slots WHERE ${inside(rolled)} AND ${fitting(rolled)} GROUP BY 1
    UNION ALL SELECT unit, 0, 0, visitors, 0 FROM (${visitorsOfHours(rolled, mode, unitOf)})
    UNION ALL SELECT unit, 0, 0, 0, visitors FROM (${visitorsOfHours(rolled, mode, () => one)})`
}

/** Rows of `unit, visitors`: those who came in an hour of each unit that fits the filters. */
function visitorsOfHours(rolled: Rolled, mode: BotsMode, unitOf: (slot: number) => number): Sql {
  const parts: string[] = []
  for (const { first, end } of rolled.blocks) {
    for (let day = first; day < end; day++) {
      const hours = new Map<number, number>()
      for (let hour = 0; hour < 24; hour++) {
        const slot = day * SLOTS_PER_DAY + hour * SLOTS_PER_HOUR
        if (!isFitting(slot, rolled)) continue
        const unit = unitOf(slot)
        hours.set(unit, (hours.get(unit) ?? 0) | (1 << hour))
      }
      for (const [unit, bits] of hours) parts.push(`(${day}, ${unit}, ${bits})`)
    }
  }
  if (parts.length === 0) return raw('SELECT 0 AS unit, 0 AS visitors')
  return sql`SELECT unit, sum(${raw(ofMode(mode, 'visitors'))}) AS visitors
    FROM rolled_sets JOIN (VALUES ${raw(parts.join(', '))}) AS parts(day, unit, hours)
    ON block + (members >> ${raw(String(HOURS_BITS))}) = day
    WHERE ${inside(rolled)} AND dimension = ${raw(codeOf('hour'))} AND members & hours <> 0
    GROUP BY 1`
}

/** The slots that fit the filters. */
function fitting({ filters, offsets }: Rolled): Sql {
  return join(
    filters.map((filter) => fits(filter, offsets)),
    ' AND ',
    'TRUE',
  )
}

/** The same of one slot. */
function isFitting(slot: number, { filters, offsets }: Rolled): boolean {
  return filters.every(({ dimension, values, exclude }) => {
    const value = timeOf(dimension === 'hour' ? 'hour' : 'weekday', slot, offsets)
    return values.some((it) => it !== null && Number(it) === value) !== exclude
  })
}
