import { sql } from 'kysely'
import type { Counts, Dimension, Selection } from '../types.ts'
import { between } from '../with-totals.ts'
import {
  DAY_MS,
  fitting,
  isNumber,
  MODE,
  MOMENT,
  numbers,
  ofLinks,
  type Part,
  purgedFitting,
  purgedUniques,
  purgedValueIn,
  untimed,
  valueIn,
  whole,
} from './where.ts'

type Value = string | number | null
type Named = Counts & { value: Value }

/** Rows of the questions here: a key; clicks meant, visitors, bots. Sums of nothing are null. */
interface Row {
  k: number
  c: number | null
  u: number | null
  b: number | null
}

/** Asks a question's query. */
export type Ask = <R>(query: Part) => Promise<R[]>

const NONE: Counts = { clicks: 0, unique: 0, bots: 0 }
/** No key: everything together. */
const ONE = sql.raw('1')
const DAY = whole(DAY_MS)

/**
 * Counts of some clicks, all of one UTC day: visitors of several days are different ones, so that
 * those of each day can be counted by themselves. What has to be sorted for that stays small, and
 * in the processor's reach: thrice as quick as all days at once.
 */
const counting = (mode: Part) => sql`count(*) FILTER (WHERE ${mode}) AS c,
  count(DISTINCT visitor) FILTER (WHERE ${mode}) AS u, count(*) FILTER (WHERE kind <> 0) AS b`

/** When the first and the last click is of what a selection is about: a look into an index each. */
function ends({ from, to, ...selection }: Selection): Part {
  const links = ofLinks({ ...selection, from, to, linkSeqs: null })
  const end = (order: string) => sql`(SELECT time FROM clicks
    WHERE ${links} AND time >= ${whole(from)} AND time < ${whole(to)}
    ORDER BY time ${sql.raw(order)} LIMIT 1)`
  return sql`SELECT ${end('')} AS first, ${end('DESC')} AS last`
}

/** The clicks of a selection in buckets (from ≤ time < to, ascending), numbered from 1. */
function bucketed(selection: Selection, from: readonly number[], to: readonly number[]): Part {
  return sql`SELECT bucket AS k, c, u, b FROM (${ends(selection)}) ends,
    unnest(${numbers(from)}, ${numbers(to)}) WITH ORDINALITY AS buckets (low, high, bucket),
    generate_series(greatest(low, first) / ${DAY} * ${DAY}, least(high - 1, last), ${DAY}) AS day,
    LATERAL (SELECT ${counting(MODE[selection.bots])} FROM clicks
      WHERE time >= greatest(low, day) AND time < least(high, day + ${DAY})
        AND ${untimed(selection)}) parts`
}

/** What is left of purged clicks by a key; null: a filter asks for what isn't known of them. */
function purged(selection: Selection, key: Part, group?: Dimension): Part | null {
  const rows = purgedFitting(selection)
  if (rows === null) return null
  const mode = MODE[selection.bots]
  return sql`SELECT ${key} AS k, sum(clicks) FILTER (WHERE ${mode}) AS c,
    sum(${purgedUniques(selection, group)}) FILTER (WHERE ${mode}) AS u,
    sum(clicks) FILTER (WHERE kind <> 0) AS b FROM click_days WHERE ${rows} GROUP BY 1`
}

/** Sums by key, of one query: clicks that come meanwhile are in all of it or not. */
function summed(stored: Part, old: Part | null): Part {
  const all = old === null ? stored : sql`${stored} UNION ALL ${old}`
  return sql`SELECT k, sum(c) AS c, sum(u) AS u, sum(b) AS b FROM (${all}) parts GROUP BY k`
}

function countsOf({ c, u, b }: Row): Counts {
  return { clicks: c ?? 0, unique: u ?? 0, bots: b ?? 0 }
}

export async function totals(ask: Ask, selection: Selection): Promise<Counts> {
  const stored = bucketed(selection, [selection.from], [selection.to])
  const [row] = await ask<Row>(summed(stored, purged(selection, ONE)))
  return row === undefined ? { ...NONE } : countsOf(row)
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
  const stored = bucketed(
    selection,
    starts.map((start) => Math.max(start, selection.from)),
    boundaries.slice(1).map((end) => Math.min(end, selection.to)),
  )
  const bucket = sql`width_bucket(${MOMENT}, ${numbers(starts)})`
  const rows = await ask<Row>(summed(stored, purged(selection, bucket)))
  for (const row of rows) {
    if (row.k >= 1 && row.k <= counts.length) counts[row.k - 1] = countsOf(row)
  }
  return counts
}

/**
 * The values with the most clicks, and the others together; ties by value, none last. One pass over
 * the clicks finds the values, another one, of the same query, counts the visitors of each and those
 * of the rest.
 */
export async function top(
  ask: Ask,
  selection: Selection,
  dimension: Dimension,
  limit: number,
): Promise<{ values: Named[]; other: Counts }> {
  const value = valueIn(dimension, selection.offsets)
  const old = purged(selection, purgedValueIn(dimension), dimension)
  const mode = MODE[selection.bots]
  const sums = sql`SELECT ${value} AS k, count(*) FILTER (WHERE ${mode}) AS c
    FROM clicks WHERE ${fitting(selection)} GROUP BY 1`
  const nothing = sql.raw(isNumber(dimension) ? '-1' : "''")
  // Nulls don't meet nulls in a join.
  const listed = (k: Part) => sql`LEFT JOIN listed l ON l.known = coalesce(${k}, ${nothing})
    AND l.is_none = (${k} IS NULL)`
  const place = sql.raw('coalesce(place, 0)')
  const rows = await ask<Row & { value: Value }>(sql`
    WITH ${old === null ? sql.raw('') : sql`purged AS MATERIALIZED (${old}),`}
    listed AS MATERIALIZED (
      SELECT k, coalesce(k, ${nothing}) AS known, k IS NULL AS is_none,
        row_number() OVER (ORDER BY coalesce(sum(c), 0) DESC, k) AS place
      FROM (${sums} ${old === null ? sql.raw('') : sql`UNION ALL SELECT k, c FROM purged`}) sums
      GROUP BY k ORDER BY coalesce(sum(c), 0) DESC, k LIMIT ${whole(limit)}
    )
    SELECT a.*, (SELECT k FROM listed WHERE place = a.k) AS value FROM (${summed(
      sql`SELECT parts.* FROM (${ends(selection)}) ends,
        generate_series(first / ${DAY} * ${DAY}, last, ${DAY}) AS day,
        LATERAL (SELECT ${place} AS k, ${counting(mode)} FROM clicks ${listed(value)}
          WHERE time >= greatest(${whole(selection.from)}, day)
            AND time < least(${whole(selection.to)}, day + ${DAY})
            AND ${untimed(selection)} GROUP BY 1) parts`,
      old === null
        ? null
        : sql`SELECT ${place} AS k, x.c, x.u, x.b FROM purged x ${listed(sql.raw('x.k'))}`,
    )}) a ORDER BY a.k`)
  const values: Named[] = []
  let other: Counts = { ...NONE }
  for (const row of rows) {
    if (row.k === 0) other = countsOf(row)
    else values.push({ value: row.value, ...countsOf(row) })
  }
  return { values, other }
}
