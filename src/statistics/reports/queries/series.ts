import { SLOTS_PER_DAY } from '../../store/schema.ts'
import type { Selection } from '../../types.ts'
import { bucketAt, bucketOf, createBuckets, inSameBucket } from '../buckets.ts'
import { noSums, type SeriesSums } from '../counting/series.ts'
import type { Asking } from '../lane/index.ts'
import { type Days, findRolled, outside } from '../rolled/index.ts'
import { canAddUp, rolledSeries } from '../rolled/series.ts'
import { join, raw, sql } from '../sql/index.ts'
import { planUnique } from '../sql/plan.ts'
import { momentOf, purgedClicks } from '../sql/purged.ts'
import {
  ALL,
  BOTS,
  type Deciding,
  decidedVisitors,
  firstFits,
  fitting,
  undecided,
} from '../sql/source.ts'
import { DAY, FIRST_SLOT, SLOT } from '../sql/where.ts'
import { findLeftOut, leftOut, leftOutOfBlocks } from './left-out.ts'
import { differentVisitors } from './visitors.ts'

/** {@link SeriesSums} of a selection, whose range is that of the boundaries. */
export async function seriesSums(
  asking: Asking,
  asked: Selection,
  boundaries: readonly number[],
): Promise<SeriesSums> {
  const buckets = createBuckets(boundaries)
  const less = buckets.wholeDays ? await findLeftOut(asking, asked, null) : null
  const selection = less?.all ?? asked
  const sums: SeriesSums = {
    totals: noSums(),
    buckets: Array.from({ length: buckets.count }, noSums),
  }
  const add = (bucket: number | undefined, [all, bots, unique, ofDays]: unknown[]) => {
    const sum = sums.buckets[bucket ?? -1]
    if (sum === undefined) return
    sum.all += Number(all)
    sum.bots += Number(bots)
    sum.unique += Number(unique)
    sums.totals.all += Number(all)
    sums.totals.bots += Number(bots)
    sums.totals.unique += Number(ofDays)
  }
  const ofDay = (day: unknown) => bucketOf(buckets, Number(day) * SLOTS_PER_DAY)

  // Two plans for the same clicks: where no bucket cuts a day, they are one.
  const inBuckets = deciding(selection)
  const inAll = buckets.wholeDays ? inBuckets : deciding(selection)
  if (!buckets.wholeDays) {
    inBuckets.plan = planUnique(selection, { buckets: true })
    const same = inSameBucket(buckets, SLOT, raw('first_slot'), FIRST_SLOT)
    inBuckets.sameAnswer = inBuckets.plan.byTime
      ? join([...firstFits(selection), same], ' AND ', 'TRUE')
      : null
  }
  const rolled = await findRolled(asking, selection, canAddUp(selection, buckets))
  const where = sql`${fitting(selection)} AND ${outside(rolled)}`
  const counted = sql`SELECT ${buckets.unit(SLOT)} AS unit, ${raw(ALL)}, ${raw(BOTS)},
    ${decidedVisitors(inBuckets)}, ${decidedVisitors(inAll)} FROM clicks WHERE ${where} GROUP BY 1`
  const queries =
    rolled === null ? [counted] : [counted, rolledSeries(rolled, selection.bots, buckets)]
  for (const query of queries) {
    for (const [at, ...numbers] of await asking.rows(query)) {
      add(buckets.ofUnit[Number(at)], numbers)
    }
  }
  const others = undecided(inBuckets)
  if (others !== null) {
    const which = sql`${where} AND ${others}`
    const group = buckets.wholeDays ? DAY : bucketAt(buckets, SLOT)
    for (const { value, visitors } of await differentVisitors(asking, { which, group })) {
      const bucket = buckets.wholeDays ? ofDay(value) : Number(value)
      add(bucket, [0, 0, visitors, inAll === inBuckets ? visitors : 0])
    }
  }
  const othersInAll = inAll === inBuckets ? null : undecided(inAll)
  if (othersInAll !== null) {
    const which = sql`${where} AND ${othersInAll}`
    for (const { visitors } of await differentVisitors(asking, { which })) {
      sums.totals.unique += visitors
    }
  }
  if (less !== null) {
    const isInOne = ({ first, end }: Days) => ofDay(first) === ofDay(end - 1)
    const blocks = rolled?.blocks.filter(isInOne) ?? []
    const { known, left } =
      rolled === null || blocks.length === 0
        ? { known: null, left: [] }
        : await leftOutOfBlocks(asking, asked, less, { ...rolled, blocks })
    for (const { block, sums } of left) {
      add(ofDay(block.first), [-sums.all, -sums.bots, -sums.unique, -sums.unique])
    }
    for (const [day, ...numbers] of await asking.rows(leftOut(asked, less, DAY, outside(known)))) {
      const [all, bots, unique] = numbers.map((number) => -Number(number))
      add(ofDay(day), [all, bots, unique, unique])
    }
  }
  const purged = purgedClicks(asked, null)
  if (purged !== null) {
    for (const [day, , all, bots, unique] of await asking.rows(purged)) {
      const moment = momentOf(Number(day))
      const after = boundaries.findIndex((boundary) => boundary > moment)
      add(after - 1, [all, bots, unique, unique])
    }
  }
  return sums
}

function deciding(selection: Selection): Deciding {
  const plan = planUnique(selection)
  return {
    plan,
    selection,
    sameAnswer: plan.byTime ? join(firstFits(selection), ' AND ', 'TRUE') : null,
  }
}
