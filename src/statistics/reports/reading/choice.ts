import { CONSTANT } from '../../store/rollups.ts'
import { ROLLED } from '../../store/schema.ts'
import type { Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import type { Wish } from '../counting/index.ts'
import type { Asking } from '../lane.ts'
import { findLeftOut } from '../left-out.ts'
import { canList, findRolled, rolledShare } from '../rolled.ts'
import { canAddUp } from '../rolled-series.ts'
import { isDecided } from '../source.ts'
import { integer, sql } from '../sql.ts'

const DAY_MS = 86_400_000

/**
 * Whether a question about a workspace is better answered from the clicks themselves: nothing that is
 * rolled up answers it, not even for all clicks but a few; nor do marks alone; and they don't seem to be
 * more than `atMost`.
 */
export async function isBetterRead(
  asking: Asking,
  selection: Selection,
  wish: Wish,
  atMost: number,
): Promise<boolean> {
  if (atMost === 0) return false
  if ('boundaries' in wish) {
    const buckets = createBuckets(wish.boundaries)
    if ((await findRolled(asking, selection, canAddUp(selection, buckets))) !== null) return false
    if (buckets.wholeDays) {
      if (isDecided(selection)) return false
      if ((await findLeftOut(asking, selection, null)) !== null) return false
    }
  } else {
    const { dimension, limit } = wish
    const usable = canList(dimension, selection, limit)
    if (CONSTANT.has(dimension) && isDecided(selection, { group: dimension })) return false
    if ((await findRolled(asking, selection, usable)) !== null) return false
    if ((await findLeftOut(asking, selection, dimension)) !== null) return false
  }
  return (await rolledClicks(asking, selection)) <= atMost
}

/**
 * How many of the clicks that are rolled up fit the rarest of a selection's filters; where nothing is,
 * because there are few clicks or their roll-ups are just being made, all that are in order.
 */
async function rolledClicks(asking: Asking, selection: Selection): Promise<number> {
  const filters = selection.filters.filter(
    ({ dimension }) => dimension in ROLLED && dimension !== 'hour',
  )
  const rolled = await findRolled(asking, { ...selection, filters: [], linkSeqs: null })
  if (rolled === null) {
    const [row] = await asking.rows(
      sql`SELECT sum(clicks) FROM ordered WHERE unit = 'day'
        AND no >= ${integer(Math.floor(selection.from / DAY_MS))}
        AND no < ${integer(Math.ceil(selection.to / DAY_MS))}`,
    )
    return Number(row?.[0] ?? 0)
  }
  let fewest = Number.POSITIVE_INFINITY
  for (const filter of filters) {
    const [row] = await asking.rows(rolledShare(rolled, selection, filter))
    const [fitting, all] = (row ?? []).map(Number)
    fewest = Math.min(fewest, filter.exclude ? (all ?? 0) - (fitting ?? 0) : (fitting ?? 0))
  }
  return fewest
}
