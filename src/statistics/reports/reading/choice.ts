import { CONSTANT } from '../../store/rollups.ts'
import { ROLLED } from '../../store/schema.ts'
import type { Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import type { Wish } from '../counting/index.ts'
import type { Asking } from '../lane/index.ts'
import { findLeftOut } from '../queries/left-out.ts'
import { canList, findRolled, rolledShare } from '../rolled/index.ts'
import { canAddUp } from '../rolled/series.ts'
import { integer, raw, sql } from '../sql/index.ts'
import { isDecided } from '../sql/source.ts'

const DAY_MS = 86_400_000

/** How many clicks a question selects: in numbers that the roll-ups have. */
export interface ToRead {
  /** About so many: those that the rarest of the filters fits. */
  clicks: number
  /** Surely no more: with all that aren't rolled up. */
  most: number
}

/**
 * What would be read for a question about a workspace; null: it is better asked by queries, because
 * something that is rolled up answers it, at least for all clicks but a few, or marks alone do.
 */
export async function findToRead(
  asking: Asking,
  selection: Selection,
  wish: Wish,
): Promise<ToRead | null> {
  if ('boundaries' in wish) {
    const buckets = createBuckets(wish.boundaries)
    if ((await findRolled(asking, selection, canAddUp(selection, buckets))) !== null) return null
    if (buckets.wholeDays) {
      if (isDecided(selection)) return null
      if ((await findLeftOut(asking, selection, null)) !== null) return null
    }
  } else {
    const { dimension, limit } = wish
    const usable = canList(dimension, selection, limit)
    if (CONSTANT.has(dimension) && isDecided(selection, { group: dimension })) return null
    if ((await findRolled(asking, selection, usable)) !== null) return null
    if ((await findLeftOut(asking, selection, dimension)) !== null) return null
  }
  return await countRolled(asking, selection)
}

/**
 * Of a selection's filters the rarest one's clicks; where nothing is rolled up, because there are few
 * clicks or their roll-ups are just being made, all that are in order.
 */
async function countRolled(asking: Asking, selection: Selection): Promise<ToRead> {
  const filters = selection.filters.filter(
    ({ dimension }) => dimension in ROLLED && dimension !== 'hour',
  )
  const rolled = await findRolled(asking, { ...selection, filters: [], linkSeqs: null })
  const [total] = await asking.rows(raw('SELECT count(*) FROM clicks'))
  const stored = Number(total?.[0] ?? 0)
  if (rolled === null) {
    const [row] = await asking.rows(
      sql`SELECT sum(clicks) FROM ordered WHERE unit = 'day'
        AND no >= ${integer(Math.floor(selection.from / DAY_MS))}
        AND no < ${integer(Math.ceil(selection.to / DAY_MS))}`,
    )
    return { clicks: Number(row?.[0] ?? 0), most: stored }
  }
  const found: ToRead = { clicks: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY }
  for (const filter of filters) {
    const [row] = await asking.rows(rolledShare(rolled, selection, filter))
    const [fitting = 0, all = 0] = (row ?? []).map(Number)
    const clicks = filter.exclude ? all - fitting : fitting
    found.clicks = Math.min(found.clicks, clicks * shareOfTimes(selection))
    found.most = Math.min(found.most, clicks + stored - all)
  }
  return found
}

/** About how many of all clicks have the hours and weekdays that are asked for. */
function shareOfTimes({ filters }: Selection): number {
  let share = 1
  for (const { dimension, values, exclude } of filters) {
    if (dimension !== 'hour' && dimension !== 'weekday') continue
    const of = Math.min(1, values.length / (dimension === 'hour' ? 24 : 7))
    share *= exclude ? 1 - of : of
  }
  return share
}
