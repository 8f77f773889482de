import { CLICK_DETAILS } from '../../lib/base/click-columns.ts'
import { DAY_MS, HOUR_MS } from '../intervals.ts'
import type { BotsMode, Dimension, Selection, ZoneOffset } from '../types.ts'
import type { Bind, Dialect, QueryContext } from './dialect.ts'
import { filterSql } from './values.ts'

/** Hours that begin 0, 15, 30 and 45 minutes before UTC's: of zones that are so far ahead of whole hours. */
export const HOURS = ['hour', 'hour_15', 'hour_30', 'hour_45'] as const
/**
 * What the clicks of a finished UTC day are summed by; a row's `dimension` is the place in this list, so
 * add to its end. `first` and `last` have a row for each quarter of an hour with its clicks, and those
 * visitors whose first or last click of the day is in it: as a visitor counts once a day, they give the
 * visitors of a day up to any quarter, and from any quarter on.
 */
export const SUMMED = [
  ...(['first', 'last', 'hour', 'link', 'domain', 'kind', 'trigger'] as const),
  ...CLICK_DETAILS,
  ...HOURS.slice(1),
] as const
export type Summed = (typeof SUMMED)[number]
/** Boundaries of reports are multiples of it. */
export const QUARTER_MS = 900_000
/** Each is a part of the query. */
const RUNS_MAX = 64
/** Shorter ranges are read from clicks. */
const SUMS_FROM_DAYS = 2

/** Consecutive days, counted from the Unix epoch: first ≤ day < end. */
interface Days {
  first: number
  end: number
}

/** Which days of a question may be read from sums. Without days, all are read from clicks. */
export interface Plan {
  runs: readonly Days[]
  days: number
}

/** All days are read from clicks. */
export const NO_SUMS: Plan = { runs: [], days: 0 }

/** Decides which days of a question sums can answer. @param dimension null: counts over time */
export async function planOf(
  { dialect, query }: QueryContext,
  selection: Selection,
  dimension: Dimension | null,
): Promise<Plan> {
  const { workspaceNo, from, to } = selection
  if (to - from < SUMS_FROM_DAYS * DAY_MS || !areSummed(selection, dimension)) return NO_SUMS
  const rows = await query(
    `SELECT day FROM ${dialect.table('summed_days', workspaceNo)}
    WHERE workspace = ${workspaceNo} AND clicks >= 0
      AND day >= ${Math.floor(from / DAY_MS)} AND day < ${Math.ceil(to / DAY_MS)} ORDER BY day`,
    [],
  )
  const runs = runsOf(rows.map(([day]) => Number(day)))
  return runs.length > RUNS_MAX ? NO_SUMS : { runs, days: rows.length }
}

/** Visitors of several links or values may be the same, so only whole lists and single links add up. */
function areSummed(selection: Selection, dimension: Dimension | null): boolean {
  const { linkSeq, linkSeqs, exceptSeqs, filters, offsets } = selection
  if (dimension === 'hour' && hourOf(offsets) === undefined) return false
  if (dimension === 'link' || (dimension === null && linkSeq !== null)) {
    return filters.every((filter) => filter.dimension === 'link')
  }
  return linkSeq === null && linkSeqs === null && exceptSeqs === undefined && filters.length === 0
}

/** What has the hours of a zone. Undefined: nothing, or another one after a change of the zone. */
function hourOf(offsets: readonly ZoneOffset[]): Summed | undefined {
  const [ahead = 0, ...others] = new Set(
    offsets.map(({ offsetMs }) => ((offsetMs % HOUR_MS) + HOUR_MS) % HOUR_MS),
  )
  return others.length > 0 ? undefined : HOURS[ahead / QUARTER_MS]
}

/** SQL of the number of days that are still summed: another number than the plan's makes it void. */
export function stillSummedSql(dialect: Dialect, workspaceNo: number, { runs }: Plan): string {
  if (runs.length === 0) return '0'
  return `(SELECT count(*) FROM ${dialect.table('summed_days', workspaceNo)}
    WHERE workspace = ${workspaceNo} AND clicks >= 0 AND ${daysSql(runs)})`
}

/** A question's days, by where they are read. */
interface Split {
  summed: readonly Days[]
  /** Ranges of clicks, which share no UTC day with each other: their visitors add up. */
  clicks: readonly Pick<Selection, 'from' | 'to'>[]
}

/**
 * @param cuts times at which the key of a click may change
 * @param dimension null: counts over time
 */
export function splitDays(
  plan: Plan,
  { from, to, linkSeq }: Selection,
  dimension: Dimension | null,
  cuts: readonly number[],
): Split {
  // A day that is cut once is what is before, from `first`, and what is after, from `last`.
  const allowed = isOverTime(dimension, linkSeq) ? 1 : 0
  const found = new Map<number, number>()
  for (const cut of new Set([from, to, ...cuts])) {
    if (cut < from || cut > to || cut % DAY_MS === 0) continue
    const day = Math.floor(cut / DAY_MS)
    found.set(day, (found.get(day) ?? 0) + (cut % QUARTER_MS === 0 ? 1 : 2))
  }
  const within = { first: Math.floor(from / DAY_MS), end: Math.ceil(to / DAY_MS) }
  const days = plan.runs.flatMap(({ first, end }) => {
    const start = Math.max(first, within.first)
    const length = Math.max(0, Math.min(end, within.end) - start)
    return Array.from({ length }, (_, i) => start + i)
  })
  const summed = runsOf(days.filter((day) => (found.get(day) ?? 0) <= allowed))
  const clicks: Split['clicks'][number][] = []
  let at = from
  for (const { first, end } of summed) {
    if (first * DAY_MS > at) clicks.push({ from: at, to: first * DAY_MS })
    at = end * DAY_MS
  }
  // An empty range, too: SQL needs something to read.
  if (at < to || from >= to) clicks.push({ from: at, to })
  return clicks.length > RUNS_MAX ? { summed: [], clicks: [{ from, to }] } : { summed, clicks }
}

const isOverTime = (dimension: Dimension | null, linkSeq: number | null) =>
  dimension === 'weekday' || (dimension === null && linkSeq === null)

/** A SELECT of key, clicks, visitors and bots of summed days; see `countsByKey`. */
export function sumsByKey(
  dialect: Dialect,
  bind: Bind,
  selection: Selection,
  { key, dimension }: { key(time: string): string; dimension: Dimension | null },
  days: readonly Days[],
): string {
  const { workspaceNo, linkSeq, linkSeqs, exceptSeqs, from, to, filters, offsets } = selection
  const overTime = isOverTime(dimension, linkSeq)
  const name = (dimension === 'hour' ? hourOf(offsets) : (dimension ?? 'link')) as Summed
  const codes = (overTime ? (['first', 'last'] as const) : [name]).map((it) => SUMMED.indexOf(it))
  const isTimed = overTime || dimension === 'hour'
  const conditions = [
    ...(linkSeq === null ? [] : [`link = ${linkSeq}`]),
    ...(linkSeqs === null ? [] : [dialect.among('link', linkSeqs, bind)]),
    ...(exceptSeqs === undefined ? [] : [`NOT (${dialect.among('link', exceptSeqs, bind)})`]),
    ...filters.map((filter) => filterSql(dialect, bind, filter, [])),
    ...(isTimed ? [`time >= ${from}`, `time < ${to}`] : []),
    ...(overTime
      ? [
          `(dimension = ${SUMMED.indexOf('first')})
            = (start_of_day >= ${from} AND ${key('start_of_day')} = ${key('time')})`,
        ]
      : []),
  ]
  const [clicks, visitors] = COUNTED[selection.bots]
  return `SELECT ${key('time')} AS k, sum(${clicks}) AS c, sum(${visitors}) AS u, sum(others) AS b
    FROM (
      SELECT dimension, day * ${DAY_MS} AS start_of_day, humans, others, human_visitors,
        other_visitors, visitors, ${columnOf(overTime ? 'hour' : name)}
        ${isTimed ? '' : `, day * ${DAY_MS} AS time`}
      FROM ${dialect.table('click_sums', workspaceNo)}
      WHERE workspace = ${workspaceNo} AND dimension IN (${codes.join(', ')}) AND ${daysSql(days)}
    ) sums_of_days WHERE ${conditions.join(' AND ') || '1 = 1'} GROUP BY 1`
}

const COUNTED: Readonly<Record<BotsMode, readonly [clicks: string, visitors: string]>> = {
  exclude: ['humans', 'human_visitors'],
  only: ['others', 'other_visitors'],
  include: ['humans + others', 'visitors'],
}

/** What the value was in the clicks. */
function columnOf(name: Summed): string {
  if ((HOURS as readonly string[]).includes(name)) return `day * ${DAY_MS} + number AS time`
  if (name === 'trigger') return 'number = 1 AS qr'
  return name === 'link' || name === 'domain' || name === 'kind'
    ? `number AS ${name}`
    : `value AS ${name}`
}

function daysSql(runs: readonly Days[]): string {
  return `(${runs.map(({ first, end }) => `day >= ${first} AND day < ${end}`).join(' OR ')})`
}

/** @param days ascending */
function runsOf(days: readonly number[]): Days[] {
  const runs: Days[] = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run?.end === day) run.end++
    else runs.push({ first: day, end: day + 1 })
  }
  return runs
}
