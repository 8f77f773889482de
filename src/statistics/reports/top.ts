import { KIND_NAMES } from '../store/schema.ts'
import type { Counts, Dimension, Selection } from '../types.ts'
import type { Asking } from './lane.ts'
import { planUnique, type UniquePlan } from './plan.ts'
import { purgedClicks } from './purged.ts'
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
  const where = fitting(selection)
  const each = deciding(selection, planUnique(selection, { group: dimension }), dimension)
  const rest = deciding(selection, planUnique(selection, { group: dimension, rest: true }), null)

  const purged = purgedClicks(selection, dimension)
  const old = purged === null ? [] : await asking.rows(sql`SELECT 1 FROM (${purged}) LIMIT 1`)
  const counted = sql`SELECT ${value} AS value, ${raw(ALL)} AS n, ${raw(BOTS)} AS bots,
    ${decidedVisitors(each)} AS own, ${decidedVisitors(rest)} AS others
    FROM clicks WHERE ${where} GROUP BY 1`
  const all =
    purged === null || old.length === 0
      ? counted
      : sql`SELECT value, sum(n) AS n, sum(bots) AS bots, sum(own) AS own, sum(others) AS others FROM (
          ${counted} UNION ALL SELECT value, clicks, bots, uniques, uniques FROM (${purged})
        ) GROUP BY 1`
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
  const undecidedEach = undecided(each)
  if (undecidedEach !== null && listed.size > 0) {
    for (const found of await differentVisitors(asking, selection, {
      which: sql`${where} AND ${undecidedEach} AND ${among(false)}`,
      group: value,
      groups: listed.size,
    })) {
      const sums = listed.get(valueFrom(dimension, found.value))
      if (sums !== undefined) sums.unique += found.visitors
    }
  }
  const undecidedRest = undecided(rest)
  if (undecidedRest !== null && kinds > listed.size) {
    const which = sql`${where} AND ${undecidedRest} AND ${among(true)}`
    for (const { visitors } of await differentVisitors(asking, selection, { which })) {
      other.unique += visitors
    }
  }
  return {
    values: [...listed].map(([name, sums]) => ({ value: name, ...countsOf(sums, mode) })),
    other: countsOf(other, mode),
  }
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
