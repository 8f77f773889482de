import type { Counts, Selection } from '../types.ts'
import { bucketAt, createBuckets, inSameBucket } from './buckets.ts'
import type { Asking } from './lane.ts'
import { planUnique } from './plan.ts'
import { momentOf, purgedClicks } from './purged.ts'
import { cutOnce, daysIn, findRolled, outside, rolledSeries } from './rolled.ts'
import {
  ALL,
  BOTS,
  type Deciding,
  decidedVisitors,
  firstFits,
  fitting,
  undecided,
} from './source.ts'
import { join, raw, sql } from './sql.ts'
import { countsOf, type Sums } from './totals.ts'
import { differentVisitors } from './visitors.ts'
import { FIRST_SLOT, SLOT } from './where.ts'

export async function series(
  asking: Asking,
  asked: Selection,
  boundaries: readonly number[],
): Promise<Counts[]> {
  if (boundaries.length < 2) return []
  const selection = {
    ...asked,
    from: Math.max(asked.from, boundaries[0] as number),
    to: Math.min(asked.to, boundaries.at(-1) as number),
  }
  const buckets = createBuckets(boundaries)
  const sums = Array.from({ length: buckets.count }, (): Sums => ({ all: 0, bots: 0, unique: 0 }))
  const add = (bucket: number | undefined, [all, bots, unique]: unknown[]) => {
    const sum = sums[bucket ?? -1]
    if (sum === undefined) return
    sum.all += Number(all)
    sum.bots += Number(bots)
    sum.unique += Number(unique)
  }

  const plan = planUnique(selection, { buckets: !buckets.wholeDays })
  const tests = firstFits(selection)
  if (!buckets.wholeDays) tests.push(inSameBucket(buckets, SLOT, raw('first_slot'), FIRST_SLOT))
  const deciding: Deciding = {
    plan,
    selection,
    sameAnswer: plan.byTime ? join(tests, ' AND ', 'TRUE') : null,
  }
  const rolled = await findRolled(asking, selection, cutOnce(buckets))
  const where = sql`${fitting(selection)} AND ${outside(rolled)}`
  const counted = sql`SELECT ${buckets.unit(SLOT)} AS unit, ${raw(ALL)}, ${raw(BOTS)},
    ${decidedVisitors(deciding)} FROM clicks WHERE ${where} GROUP BY 1`
  const queries =
    rolled === null ? [counted] : [counted, rolledSeries(rolled, selection.bots, buckets)]
  for (const query of queries) {
    for (const [at, ...numbers] of await asking.rows(query)) {
      add(buckets.ofUnit[Number(at)], numbers)
    }
  }
  const others = undecided(deciding)
  if (others !== null) {
    const group = bucketAt(buckets, SLOT)
    for (const { value, visitors } of await differentVisitors(asking, selection, {
      which: sql`${where} AND ${others}`,
      group,
      groups: buckets.perDay,
      without: daysIn(rolled),
    })) {
      add(Number(value), [0, 0, visitors])
    }
  }
  const purged = purgedClicks(selection, null)
  if (purged !== null) {
    for (const [day, , ...numbers] of await asking.rows(purged)) {
      const moment = momentOf(Number(day))
      const after = boundaries.findIndex((boundary) => boundary > moment)
      add(after - 1, numbers)
    }
  }
  return sums.map((sum) => countsOf(sum, selection.bots))
}
