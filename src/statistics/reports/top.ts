import { CONSTANT } from '../store/rollups.ts'
import { KIND_NAMES } from '../store/schema.ts'
import type { Counts, Dimension, Selection } from '../types.ts'
import type { Asking } from './lane.ts'
import { planUnique, type UniquePlan } from './plan.ts'
import { purgedClicks } from './purged.ts'
import { canList, daysIn, findRolled, outside, rolledRest, rolledTop, within } from './rolled.ts'
import {
  ALL,
  BOTS,
  type Deciding,
  decidedVisitors,
  firstFits,
  fitting,
  sameValue,
  undecided,
} from './source.ts'
import { integer, join, raw, type Sql, sql } from './sql.ts'
import { countsOf, type Sums } from './totals.ts'
import { differentVisitors } from './visitors.ts'
import { fits, valueFrom, valueIn } from './where.ts'

type Value = string | number | null

/** The values of a dimension with the most clicks, and the others together. */
export async function top(
  asking: Asking,
  selection: Selection,
  dimension: Dimension,
  limit: number,
): Promise<{ values: (Counts & { value: Value })[]; other: Counts }> {
  const { offsets, bots: mode } = selection
  const value = valueIn(dimension, offsets)
  const rolled = await findRolled(asking, selection, canList(dimension, selection, limit))
  const where = sql`${fitting(selection)} AND ${outside(rolled)}`
  const each = deciding(selection, planUnique(selection, { group: dimension }), dimension)
  const rest = deciding(selection, planUnique(selection, { group: dimension, rest: true }), null)

  const purged = purgedClicks(selection, dimension)
  const old = purged === null ? [] : await asking.rows(sql`SELECT 1 FROM (${purged}) LIMIT 1`)
  const counted = sql`SELECT ${value} AS value, ${raw(ALL)} AS n, ${raw(BOTS)} AS bots,
    ${decidedVisitors(each)} AS own, ${decidedVisitors(rest)} AS others
    FROM clicks WHERE ${where} GROUP BY 1`
  const sources = [counted]
  if (rolled !== null) sources.push(rolledTop(rolled, selection, dimension))
  if (purged !== null && old.length > 0) {
    sources.push(
      sql`SELECT value, clicks AS n, bots, uniques AS own, uniques AS others FROM (${purged})`,
    )
  }
  // Sums of DOUBLE are exact below 2^53, and quicker than those of BIGINT, which have 128 bits.
  const parts = sources.map(
    (source) => sql`SELECT value, n::DOUBLE AS n, bots::DOUBLE AS bots, own::DOUBLE AS own,
      others::DOUBLE AS others FROM (${source})`,
  )
  const all =
    sources.length === 1
      ? counted
      : sql`SELECT value, sum(n) AS n, sum(bots) AS bots, sum(own) AS own, sum(others) AS others
          FROM (${join(parts, ' UNION ALL ')}) GROUP BY 1`
  const clicks = { exclude: 'n - bots', include: 'n', only: 'bots' }[mode]
  const rows = await asking.rows(
    sql`WITH counted AS MATERIALIZED (${all})
      SELECT * FROM (
        SELECT value, n, bots, own, others, 1 AS listed FROM counted
        ORDER BY ${raw(clicks)} DESC, ${order(dimension)} LIMIT ${integer(limit)})
      UNION ALL SELECT NULL, sum(n), sum(bots), count(*), sum(others), 0 FROM counted`,
  )

  const listed = new Map<Value, Sums>()
  const other: Sums = { all: 0, bots: 0, unique: 0 }
  let kinds = 0
  for (const [stored, n, bots, unique, inRest, isListed] of rows) {
    const sign = isListed === 1 ? -1 : 1
    other.all += sign * Number(n)
    other.bots += sign * Number(bots)
    other.unique += sign * Number(inRest)
    if (isListed === 1) {
      const sums = { all: Number(n), bots: Number(bots), unique: Number(unique) }
      listed.set(valueFrom(dimension, stored), sums)
    } else kinds = Number(unique)
  }

  const values = [...listed.keys()]
  const among = (exclude: boolean) => fits({ dimension, values, exclude }, offsets)
  const without = daysIn(rolled)
  const undecidedEach = undecided(each)
  if (undecidedEach !== null && listed.size > 0) {
    for (const found of await differentVisitors(asking, selection, {
      which: sql`${where} AND ${undecidedEach} AND ${among(false)}`,
      group: value,
      groups: listed.size,
      without,
    })) {
      const sums = listed.get(valueFrom(dimension, found.value))
      if (sums !== undefined) sums.unique += found.visitors
    }
  }
  const undecidedRest = undecided(rest)
  if (undecidedRest !== null && kinds > listed.size) {
    const which = sql`${where} AND ${undecidedRest} AND ${among(true)}`
    for (const found of await differentVisitors(asking, selection, { which, without })) {
      other.unique += found.visitors
    }
  }
  if (rolled !== null && kinds > listed.size && !CONSTANT.has(dimension)) {
    const filter = { dimension, values, exclude: false }
    const { visitors, lost } = await rolledRest(asking, rolled, selection, filter)
    other.unique += visitors
    if (lost !== null) {
      const which = sql`${fitting(selection)} AND ${within(lost)} AND ${among(true)}`
      other.unique += await visitorsOf(asking, rest, which)
    }
  }
  return {
    values: [...listed].map(([name, sums]) => ({ value: name, ...countsOf(sums, mode) })),
    other: countsOf(other, mode),
  }
}

/** The visitors of some clicks together, whatever their values. */
async function visitorsOf(asking: Asking, it: Deciding, which: Sql): Promise<number> {
  const [row] = await asking.rows(sql`SELECT ${decidedVisitors(it)} FROM clicks WHERE ${which}`)
  let visitors = Number(row?.[0] ?? 0)
  const others = undecided(it)
  if (others === null) return visitors
  for (const found of await differentVisitors(asking, it.selection, {
    which: sql`${which} AND ${others}`,
  })) {
    visitors += found.visitors
  }
  return visitors
}

/** `group`: the dimension when each of its values is an answer. */
function deciding(selection: Selection, plan: UniquePlan, group: Dimension | null): Deciding {
  if (!plan.byTime) return { plan, selection, sameAnswer: null }
  const tests = firstFits(selection)
  if (group === 'hour' || group === 'weekday') {
    tests.push(sameValue((slot) => valueIn(group, selection.offsets, slot)))
  }
  return { plan, selection, sameAnswer: join(tests, ' AND ', 'TRUE') }
}

/** By value, as reports say it; clicks without one last. */
function order(dimension: Dimension): Sql {
  if (dimension === 'kind') {
    const names = KIND_NAMES.map((name, kind) => `WHEN ${kind} THEN '${name}'`)
    return raw(`CASE value ${names.join(' ')} END`)
  }
  return raw(dimension === 'trigger' ? 'value ASC' : 'value ASC NULLS LAST')
}
