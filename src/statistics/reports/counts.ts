import { DAY_MS } from '../intervals.ts'
import type { Counts, Dimension, Members, Selection, Series, TopValues } from '../types.ts'
import { bucketSql } from './buckets.ts'
import { type Bind, createParameters, type Dialect, type QueryContext } from './dialect.ts'
import { NO_SUMS, type Plan, splitDays, stillSummedSql, sumsByKey } from './sums.ts'
import { dimensionValue, filterSql, isNumeric, modeSql, valueSql } from './values.ts'

const NONE: Counts = { clicks: 0, unique: 0, bots: 0 }
/** The key of the totals among the starts of buckets. */
const TOTALS = -1

/** @param boundaries see `ClickReports.series` */
export async function series(
  context: QueryContext,
  selection: Selection,
  boundaries: readonly number[],
  plan: Plan = NO_SUMS,
): Promise<Series> {
  const { dialect, query } = context
  const starts = boundaries.slice(0, -1)
  const first = boundaries[0]
  const end = boundaries.at(-1)
  if (first === undefined || end === undefined || starts.length === 0) {
    return { totals: NONE, buckets: [] }
  }
  const within = {
    ...selection,
    from: Math.max(selection.from, first),
    to: Math.min(selection.to, end),
  }
  const { bind, values } = createParameters(dialect)
  const key = (time: string) => bucketSql(starts, end, time)
  const parts = [countsByKey(dialect, bind, within, { key, cuts: starts }, plan)]
  // Visitors are counted per UTC day: where no boundary cuts one, the buckets add up to the totals.
  const cutsDays = starts.slice(1).some((start) => start % DAY_MS !== 0)
  if (cutsDays) {
    const ofAll = { key: () => String(TOTALS), cuts: [] }
    parts.push(countsByKey(dialect, bind, within, ofAll, plan))
  }
  const still = stillSummedSql(dialect, selection.workspaceNo, plan)
  const sql = parts.map(
    (part, i) => `SELECT k, c, u, b, ${still} AS still_summed FROM (${part}) part_${i}`,
  )
  const rows = await query(sql.join(' UNION ALL '), values)
  if (isVoid(plan, rows, 4)) return series(context, selection, boundaries)
  const places = new Map(starts.map((start, place) => [start, place]))
  const buckets = starts.map(() => NONE)
  let unique: number | undefined
  for (const row of rows) {
    const key = Number(row[0])
    if (key === TOTALS) unique = countsOf(row).unique
    else buckets[places.get(key) as number] = countsOf(row)
  }
  const sum = { ...NONE }
  for (const { clicks, unique, bots } of buckets) {
    sum.clicks += clicks
    sum.unique += unique
    sum.bots += bots
  }
  if (cutsDays) sum.unique = unique ?? 0
  return { totals: sum, buckets }
}

/** See `ClickReports.top`. */
export async function top(
  context: QueryContext,
  selection: Selection,
  dimension: Dimension,
  limit: number,
  plan: Plan = NO_SUMS,
): Promise<TopValues> {
  const grouping = groupingBy(selection, dimension)
  const order = isNumeric(dimension) ? 'k' : context.dialect.bytewise('k')
  const counts = (bind: Bind) => countsByKey(context.dialect, bind, selection, grouping, plan)
  const listed = await topOf(context, selection, { counts, order, limit }, plan)
  if (listed === null) return top(context, selection, dimension, limit)
  const values = listed.values.map(({ value, ...counts }) => ({
    value: dimensionValue(dimension, value),
    ...counts,
  }))
  return { ...listed, values }
}

/** Groups counts by a dimension. */
export function groupingBy(selection: Selection, dimension: Dimension): Grouping {
  return {
    key: (time: string) => valueSql(dimension, selection.offsets, time),
    purgedKey: purgedValueSql(dimension),
    dimension,
    cuts: cutsOf(selection, dimension),
  }
}

/** The most frequent keys, as the engine returns them. */
type TopKeys = Pick<TopValues, 'other'> & { values: (Counts & { value: unknown })[] }

/**
 * The keys with the most clicks; null: the plan is void.
 * @param asked `counts`: a SELECT of `k`, `c`, `u` and `b`; `order`: ties by this SQL of `k`
 */
export async function topOf(
  { dialect, query }: QueryContext,
  selection: Selection,
  { counts, order, limit }: { counts: (bind: Bind) => string; order: string; limit: number },
  plan: Plan,
): Promise<TopKeys | null> {
  const { bind, values } = createParameters(dialect)
  const sql = `SELECT k, c, u, b, sum(c) OVER () AS all_c, sum(b) OVER () AS all_b,
      ${stillSummedSql(dialect, selection.workspaceNo, plan)} AS still_summed
    FROM (${counts(bind)}) sums ORDER BY c DESC, ${order} NULLS LAST LIMIT ${limit}`
  const rows = await query(sql, values)
  if (isVoid(plan, rows, 6)) return null
  const listed = rows
    .map((row) => ({ value: row[0], ...countsOf(row) }))
    .filter(({ clicks }) => clicks > 0)
  const other = { clicks: Number(rows[0]?.[4] ?? 0), bots: Number(rows[0]?.[5] ?? 0) }
  for (const { clicks, bots } of listed) {
    other.clicks -= clicks
    other.bots -= bots
  }
  return { values: listed, other }
}

/** Whether days have become unsummed since they were planned. @param column which says how many still are */
function isVoid({ days }: Plan, rows: readonly unknown[][], column: number): boolean {
  return days > 0 && Number(rows[0]?.[column]) !== days
}

/** When the value of a dimension may change, but for the click itself. */
function cutsOf({ from, to, offsets }: Selection, dimension: Dimension): number[] {
  if (dimension !== 'hour' && dimension !== 'weekday') return []
  return offsets.flatMap(({ from: start, offsetMs }, i) => {
    const first = Math.max(start, from)
    const end = Math.min(offsets[i + 1]?.from ?? to, to)
    const cuts = i === 0 ? [] : [start]
    if (dimension === 'hour') return cuts
    const ahead = ((offsetMs % DAY_MS) + DAY_MS) % DAY_MS
    for (let t = first - ((first + ahead) % DAY_MS); t < end; t += DAY_MS) cuts.push(t)
    return cuts
  })
}

/** The condition of a selection, without its mode. */
export function selectionSql(dialect: Dialect, bind: Bind, selection: Selection): string {
  const { workspaceNo, linkSeq, linkSeqs, exceptSeqs, from, to, filters, offsets } = selection
  return [
    `workspace = ${workspaceNo}`,
    `time >= ${from}`,
    `time < ${to}`,
    ...(linkSeq === null ? [] : [`link = ${linkSeq}`]),
    ...(linkSeqs === null ? [] : [dialect.among('link', linkSeqs, bind)]),
    ...(exceptSeqs === undefined ? [] : [`NOT (${dialect.among('link', exceptSeqs, bind)})`]),
    ...filters.map((filter) => filterSql(dialect, bind, filter, offsets)),
  ].join(' AND ')
}

/** What counts are grouped by. */
interface Grouping {
  /** SQL of the key of a click; `time`: of its time. */
  key(time: string): string
  /** Times at which the key may change. */
  cuts: readonly number[]
  /** SQL of the key of a purged day, if it is another one. */
  purgedKey?: string
  dimension?: Dimension
  /** Adds `member`, the group of a click's link; a click counts for each of its link's. */
  members?: Members
  /** Only these of them; 0: links that are in none. */
  only?: readonly number[]
}

/**
 * A SELECT of key `k`, clicks `c`, visitors `u` and bots `b`, of stored clicks, the sums of days, and
 * purged days.
 */
export function countsByKey(
  dialect: Dialect,
  bind: Bind,
  selection: Selection,
  { key, cuts, purgedKey = key('time'), dimension, members, only = [] }: Grouping,
  plan: Plan,
): string {
  const mode = modeSql(selection.bots)
  const split = splitDays(plan, selection, dimension ?? null, cuts)
  const rowsOf = (table: string, range: Partial<Selection> = {}) => {
    const within = `${table} WHERE ${selectionSql(dialect, bind, { ...selection, ...range })}`
    if (members === undefined) return within
    return `(SELECT t.*, g.member FROM (SELECT * FROM ${within}) t
      LEFT JOIN ${dialect.members(members, bind)} g ON g.of_link = t.link
      WHERE coalesce(g.member, 0) IN (${only.join(', ')})) grouped`
  }
  const parts = split.clicks.map(
    (range) => `SELECT ${key('time')} AS k, count(*) FILTER (WHERE ${mode}) AS c,
      ${dialect.distinctVisitors(mode)} AS u, count(*) FILTER (WHERE kind <> 0) AS b
    FROM ${rowsOf(dialect.table('clicks', selection.workspaceNo), range)} GROUP BY 1`,
  )
  if (split.summed.length > 0) {
    const asked = { key, dimension: dimension ?? null }
    parts.push(sumsByKey(dialect, bind, selection, asked, split.summed))
  }
  // Purged days count at noon, and have links and kinds only: other filters exclude them.
  const { filters, linkSeq, linkSeqs, exceptSeqs, from, to } = selection
  const noon = Math.ceil(from / DAY_MS - 0.5) * DAY_MS + DAY_MS / 2
  if (noon >= to || filters.some((it) => it.dimension !== 'link' && it.dimension !== 'kind')) {
    return parts.join(' UNION ALL ')
  }
  const ofLinks =
    linkSeq !== null ||
    linkSeqs !== null ||
    exceptSeqs !== undefined ||
    dimension === 'link' ||
    members !== undefined ||
    filters.some((it) => it.dimension === 'link')
  const sumOf = (column: string, condition: string) =>
    `coalesce(sum(${column}) FILTER (WHERE ${condition}), 0)`
  return `SELECT k, sum(c) AS c, sum(u) AS u, sum(b) AS b FROM (
    ${parts.map((part) => `${part} UNION ALL `).join('')}
    SELECT ${purgedKey} AS k, ${sumOf('clicks', mode)} AS c,
      ${sumOf(ofLinks ? 'uniques' : 'workspace_uniques', mode)} AS u,
      ${sumOf('clicks', 'kind <> 0')} AS b
    FROM ${rowsOf(`(
      SELECT workspace, link, day * ${DAY_MS} + ${DAY_MS / 2} AS time, kind, clicks, uniques,
        workspace_uniques
      FROM ${dialect.table('daily', selection.workspaceNo)}
    ) days`)} GROUP BY 1
  ) parts GROUP BY k`
}

/** The value of purged days, which is null but for links and kinds; typed like the others. */
function purgedValueSql(dimension: Dimension): string {
  if (dimension === 'link' || dimension === 'kind') return valueSql(dimension, [])
  return isNumeric(dimension) ? 'nullIf(0, 0)' : `nullIf('', '')`
}

function countsOf(row: readonly unknown[]): Counts {
  return { clicks: Number(row[1]), unique: Number(row[2]), bots: Number(row[3]) }
}
