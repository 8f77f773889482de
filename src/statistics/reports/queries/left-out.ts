import { CONSTANT, CUT } from '../../store/rollups.ts'
import { ROLLED, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { Dimension, Filter, Selection } from '../../types.ts'
import type { Asking } from '../lane/index.ts'
import { type Days, findRolled, type Rolled, rolledShare, valuesOf } from '../rolled/index.ts'
import { rolledOnly } from '../rolled/rest.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import { planUnique } from '../sql/plan.ts'
import {
  ALL,
  BOTS,
  type Deciding,
  decidedVisitors,
  firstWith,
  fitting,
  undecided,
} from '../sql/source.ts'
import { fits } from '../sql/where.ts'
import type { Sums } from '../totals.ts'

/** With more of the clicks left out, those that are kept are counted as quickly. */
const SHARE_AT_MOST = 0.2

/** A question about all clicks but a few: it is answered for all of them, and for these few. */
export interface LeftOut {
  /** The selection without its filter. */
  all: Selection
  /** Keeps what is left out. */
  few: Filter
}

/**
 * Whether a selection is one of those: all that it has is a filter that leaves out few clicks, of
 * those that are rolled up.
 * @param group what is listed; null: nothing is but days
 */
export async function findLeftOut(
  asking: Asking,
  selection: Selection,
  group: Dimension | null,
): Promise<LeftOut | null> {
  const [filter, ...more] = selection.filters
  if (filter === undefined || more.length > 0 || !filter.exclude) return null
  const { dimension } = filter
  if (!(dimension in ROLLED) || dimension === 'hour') return null
  // A visitor must have one answer, which all their clicks are taken from.
  if (group !== null && !CONSTANT.has(group)) return null
  if (selection.linkSeq !== null || selection.linkSeqs !== null) return null
  const all = { ...selection, filters: [] }
  const few = { ...filter, exclude: false }
  const rolled = await findRolled(asking, all)
  if (rolled === null) return null
  const [row] = await asking.rows(rolledShare(rolled, selection, few))
  return Number(row?.[0] ?? 0) <= SHARE_AT_MOST * Number(row?.[1] ?? 0) ? { all, few } : null
}

/**
 * Rows of `value, n, bots, visitors` to be taken from those of all clicks: the clicks that are left
 * out, and the visitors who have no others.
 * @param selection with its filter
 * @param value the same for all clicks of a visitor on a day
 * @param where true for all clicks of a day, or for none
 */
export function leftOut(
  selection: Selection,
  { all, few }: LeftOut,
  value: Sql,
  where: Sql = raw('TRUE'),
): Sql {
  const deciding: Deciding = { plan: planUnique(selection), selection, sameAnswer: null }
  const day = raw(`slot // ${SLOTS_PER_DAY} AS day`)
  const counted = sql`SELECT value, ${raw(ALL)} AS n, ${raw(BOTS)} AS bots,
    ${decidedVisitors(deciding)} AS visitors FROM few GROUP BY 1`
  const columns = sql`SELECT ${day}, slot, visitor, kind, firsts, ${value} AS value
    FROM clicks WHERE ${fitting(all)} AND ${where} AND ${fits(few, selection.offsets)}`
  const others = undecided(deciding)
  if (others === null) return sql`WITH few AS (${columns}) ${counted}`
  // Who has more clicks than those that are left out isn't left out: of each value the first one is as good as
  // all. By IN, not by a join, which is made the wrong way round: with a table of the many.
  const first = firstWith(all, few.dimension)
  return sql`WITH few AS MATERIALIZED (${columns}),
    came AS MATERIALIZED (SELECT day, visitor, any_value(value) AS value, count_if(${first}) AS clicks
      FROM few WHERE ${others} GROUP BY 1, 2),
    every AS MATERIALIZED (SELECT day, visitor, count(*) AS clicks
      FROM (SELECT ${day}, visitor FROM clicks
        WHERE ${fitting(all)} AND ${where} AND ${others} AND ${first})
      WHERE (day, visitor) IN (SELECT day, visitor FROM came) GROUP BY 1, 2)
    SELECT value, sum(n) AS n, sum(bots) AS bots, sum(visitors) AS visitors FROM (
      ${counted}
      UNION ALL SELECT value, 0, 0, count(*) FROM came GROUP BY 1
      UNION ALL SELECT value, 0, 0, -count(*) FROM every JOIN came USING (day, visitor)
        WHERE every.clicks > came.clicks GROUP BY 1
    ) GROUP BY 1`
}

/**
 * The same by block, of those that know it: numbers of what is left out. `known`: of which blocks; null:
 * of none.
 */
export async function leftOutOfBlocks(
  asking: Asking,
  selection: Selection,
  { few }: LeftOut,
  rolled: Rolled,
): Promise<{ known: Rolled | null; left: { block: Days; sums: Sums }[] }> {
  const { dimension } = few
  // Of the one all values would have to be known, of the other what comes with them is.
  if (CUT.has(dimension) || CONSTANT.has(dimension)) return { known: null, left: [] }
  const { known, only } = await rolledOnly(asking, rolled, selection, few)
  if (known === null) return { known, left: [] }
  const rows = await asking.rows(
    sql`SELECT block, sum(people + bots), sum(bots) FROM ${valuesOf(known, dimension)}
      WHERE ${fits(few, selection.offsets)} GROUP BY 1`,
  )
  const counts = new Map(rows.map(([block, ...numbers]) => [Number(block), numbers.map(Number)]))
  const left = known.blocks.map((block) => {
    const [all = 0, bots = 0] = counts.get(block.first) ?? []
    return { block, sums: { all, bots, unique: only.get(block.first) ?? 0 } }
  })
  return { known, left }
}
