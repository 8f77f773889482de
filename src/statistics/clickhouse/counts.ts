import { compareValues } from '../compare-values.ts'
import type { Counts, Dimension, Selection } from '../types.ts'
import { between } from '../with-totals.ts'
import { join, raw, type Sql, sql } from './sql.ts'
import {
  fitting,
  isNumber,
  MODE,
  MOMENT,
  purgedFitting,
  purgedUniques,
  purgedValueIn,
  VISITOR,
  valueFrom,
  valueIn,
} from './where.ts'

type Value = string | number | null
type Named = Counts & { value: Value }

/** Asks a question's query. */
export type Ask = (query: Sql) => Promise<unknown[][]>

/** Clicks that a selection means, by a key; purged days by another, where they can be told. */
function grouped(selection: Selection, key: Sql, purgedKey: Sql, group?: Dimension): Sql {
  const mode = MODE[selection.bots]
  const purged = purgedFitting(selection)
  const stored = sql`SELECT ${key} AS k, countIf(${mode}) AS c,
    uniqExactIf(${VISITOR}, visitor != 0 AND ${mode}) AS u, countIf(kind != 0) AS b
    FROM clicks WHERE ${fitting(selection)} GROUP BY k`
  if (purged === null) return stored
  return sql`${stored} UNION ALL SELECT ${purgedKey} AS k, sumIf(clicks, ${mode}) AS c,
    sumIf(${purgedUniques(selection, group)}, ${mode}) AS u, sumIf(clicks, kind != 0) AS b
    FROM daily FINAL WHERE ${purged} GROUP BY k`
}

/** Rows of `k, clicks, unique, bots`. One query: clicks that come meanwhile are in it or not. */
const summed = (rows: Sql) =>
  sql`SELECT k, sum(c), sum(u), sum(b) FROM (${rows}) GROUP BY k ORDER BY k`

const countsOf = ([c, u, b]: unknown[]): Counts => ({
  clicks: Number(c),
  unique: Number(u),
  bots: Number(b),
})

const NONE: Counts = { clicks: 0, unique: 0, bots: 0 }

export async function totals(ask: Ask, selection: Selection): Promise<Counts> {
  const one = raw('1')
  const [row] = await ask(summed(grouped(selection, one, one)))
  return row === undefined ? { ...NONE } : countsOf(row.slice(1))
}

export async function series(
  ask: Ask,
  asked: Selection,
  boundaries: readonly number[],
): Promise<Counts[]> {
  const counts = boundaries.slice(1).map((): Counts => ({ ...NONE }))
  if (counts.length === 0) return counts
  const selection = between(asked, boundaries)
  if (selection.from >= selection.to) return counts
  // The end of the last bucket begins none.
  const starts = boundaries.slice(0, -1)
  const list = join(
    starts.map((at) => sql`${at}`),
    ', ',
  )
  const bucket = (moment: Sql) => sql`roundDown(${moment}, [${list}])`
  const rows = await ask(summed(grouped(selection, bucket(raw('time')), bucket(MOMENT))))
  const places = new Map(starts.map((at, i) => [at, i]))
  for (const [start, ...numbers] of rows) {
    const place = places.get(Number(start))
    if (place !== undefined) counts[place] = countsOf(numbers)
  }
  return counts
}

/**
 * The values with the most clicks, and the others together. One pass over the clicks finds the
 * values, another one, of the same query, counts the visitors of each and those of the rest.
 */
export async function top(
  ask: Ask,
  selection: Selection,
  dimension: Dimension,
  limit: number,
): Promise<{ values: Named[]; other: Counts }> {
  const value = valueIn(dimension, selection.offsets)
  const purgedValue = purgedValueIn(dimension)
  const place = (of: Sql) => sql`indexOf(listed, ${of})`
  const rows = await ask(
    sql`WITH (${listed(selection, dimension, limit)}) AS listed
      SELECT k, sum(c), sum(u), sum(b), arrayElement(listed, k)
      FROM (${grouped(selection, place(value), place(purgedValue), dimension)})
      GROUP BY k`,
  )
  const values: Named[] = []
  let other: Counts = { ...NONE }
  for (const [k, c, u, b, name] of rows) {
    const counts = countsOf([c, u, b])
    if (Number(k) === 0) other = counts
    else values.push({ value: valueFrom(dimension, name), ...counts })
  }
  return { values: values.sort(mostFirst), other }
}

/** A query for a list of the values with the most clicks; ties by value, none last. */
function listed(selection: Selection, dimension: Dimension, limit: number): Sql {
  const mode = MODE[selection.bots]
  const purged = purgedFitting(selection)
  const stored = sql`SELECT ${valueIn(dimension, selection.offsets)} AS v, countIf(${mode}) AS c
    FROM clicks WHERE ${fitting(selection)} GROUP BY v`
  const all =
    purged === null
      ? stored
      : sql`SELECT v, sum(c) AS c FROM (${stored} UNION ALL
          SELECT ${purgedValueIn(dimension)} AS v, sumIf(clicks, ${mode}) AS c
          FROM daily FINAL WHERE ${purged} GROUP BY v) GROUP BY v`
  const isNone = raw(isNumber(dimension) ? 'v < 0' : "v = ''")
  return sql`SELECT groupArray(v) FROM
    (SELECT v FROM (${all}) ORDER BY c DESC, ${isNone}, v LIMIT ${limit})`
}

function mostFirst(a: Named, b: Named): number {
  return b.clicks - a.clicks || compareValues(a.value, b.value)
}
