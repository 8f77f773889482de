import { CLICK_DETAILS } from '../../../lib/base/click-columns.ts'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { DAY_MS, HOUR_MS } from '../../intervals.ts'
import type { Dialect } from '../../reports/dialect.ts'
import { HOURS, QUARTER_MS, SUMMED, type Summed } from '../../reports/sums.ts'
import type { StoredClick } from '../../types.ts'
import type { MaintenanceTask } from './rounds.ts'

/** After a day's end, until its last clicks have come; and for nodes whose clocks are late. */
const MARGIN_MS = HOUR_MS
/** Days with fewer clicks are read from them: their sums would take as much space. */
const CLICKS_AT_LEAST = 500
/** Bounds the memory and the time of one step. */
const CLICKS_PER_STEP = 100_000
/** After so long a list of days may be outdated. */
const LISTED_FOR_MS = 600_000

const SUM_COLUMNS =
  'workspace, day, dimension, number, value, humans, others, human_visitors, other_visitors, visitors'
const DAY_SQL = `CAST((time - time % ${DAY_MS}) / ${DAY_MS} AS BIGINT)`
const QUARTER_SQL = `time % ${DAY_MS} - time % ${QUARTER_MS}`
const NUMBERS: Partial<Record<Summed, string>> = {
  first: QUARTER_SQL,
  last: QUARTER_SQL,
  // The part of a first hour that is in the day begins with the day.
  ...Object.fromEntries(
    HOURS.map((name, quarter) => [
      name,
      `greatest(0, time % ${DAY_MS} - (time + ${quarter * QUARTER_MS}) % ${HOUR_MS})`,
    ]),
  ),
  link: 'link',
  domain: 'domain',
  kind: 'kind',
  trigger: 'CASE WHEN qr THEN 1 ELSE 0 END',
}

/** Consecutive days of a workspace that are summed in one step. */
export interface DaysToSum {
  workspace: number
  first: number
  end: number
  /** False: what there is of their sums is only deleted. */
  isKept: boolean
}

/** What summing needs of an engine. */
export interface SummingOptions {
  dialect: Dialect
  query(sql: string): Promise<unknown[][]>
  /** Replaces the sums of some days, as a whole. */
  replace(days: DaysToSum): Promise<void>
  clicksAtLeast?: number | undefined
}

/**
 * Sums finished UTC days that aren't summed, or no longer have the clicks that were summed. That is
 * found by counting, so also what an older version has stored or deleted is found.
 */
export function createSumming({
  dialect,
  query,
  replace,
  clicksAtLeast = CLICKS_AT_LEAST,
}: SummingOptions): MaintenanceTask {
  let listed: { at: number; runs: DaysToSum[] } | null = null

  async function list(now: number): Promise<DaysToSum[]> {
    const end = Math.floor((now - MARGIN_MS) / DAY_MS)
    const rows = await query(`SELECT workspace, day, sum(c) AS stored FROM (
        SELECT workspace, ${DAY_SQL} AS day, count(*) AS c, 0 AS s
        FROM ${dialect.table('clicks', null)} WHERE time < ${end * DAY_MS} GROUP BY 1, 2
        UNION ALL SELECT workspace, day, 0 AS c, clicks AS s FROM ${dialect.table('summed_days', null)}
      ) days_of_both GROUP BY 1, 2
      HAVING sum(c) <> sum(s) AND (sum(c) >= ${clicksAtLeast} OR sum(s) <> 0) ORDER BY 1, 2`)
    const runs: DaysToSum[] = []
    let clicks = 0
    for (const row of rows) {
      const [workspace = 0, day = 0, count = 0] = row.map(Number)
      const isKept = count >= clicksAtLeast
      const run = runs.at(-1)
      clicks += count
      const continues = run?.workspace === workspace && run.end === day && run.isKept === isKept
      if (continues && clicks <= CLICKS_PER_STEP) {
        run.end++
        continue
      }
      runs.push({ workspace, first: day, end: day + 1, isKept })
      clicks = count
    }
    return runs
  }

  return async (now) => {
    if (listed === null || Math.abs(now - listed.at) > LISTED_FOR_MS) {
      listed = { at: now, runs: await list(now) }
    }
    const run = listed.runs.shift()
    if (run === undefined) {
      listed = null
      return false
    }
    try {
      await replace(run)
    } catch (error) {
      listed = null
      throw error
    }
    return true
  }
}

/** Statements that delete the sums of some days. */
export function unsumSql({ workspace, first, end }: Omit<DaysToSum, 'isKept'>): string[] {
  const ofDays = `workspace = ${workspace} AND day >= ${first} AND day < ${end}`
  const codes = SUMMED.map((_, code) => code).join(', ')
  return [
    `DELETE FROM click_sums WHERE ${ofDays} AND dimension IN (${codes})`,
    `DELETE FROM summed_days WHERE ${ofDays}`,
  ]
}

/**
 * Statements that sum some days.
 * @param version of the rows, where an engine can't replace them in a transaction
 */
export function sumSql(dialect: Dialect, days: DaysToSum, version?: string): string[] {
  const { workspace, first, end, isKept } = days
  if (!isKept) return []
  const ofDays = `workspace = ${workspace} AND day >= ${first} AND day < ${end}`
  const [column, also, only] =
    version === undefined
      ? ['', '', '']
      : [', version', `, ${version} AS version`, ` AND version = ${version}`]
  return [
    ...SUMMED.map(
      (name) =>
        `INSERT INTO click_sums (${SUM_COLUMNS}${column}) ${daySumsSql(dialect, days, name, also)}`,
    ),
    `INSERT INTO summed_days (workspace, day, clicks${column})
      SELECT workspace, day, sum(humans + others) AS c${also} FROM click_sums
      WHERE ${ofDays} AND dimension = ${SUMMED.indexOf('first')}${only} GROUP BY workspace, day`,
  ]
}

/** A SELECT of the sums of some days by one dimension. */
function daySumsSql(
  dialect: Dialect,
  { workspace, first, end }: DaysToSum,
  name: Summed,
  also: string,
): string {
  const isText = (CLICK_DETAILS as readonly string[]).includes(name)
  const grouped = `SELECT workspace, ${DAY_SQL} AS d, ${NUMBERS[name] ?? '0'} AS num,
      ${isText ? name : `nullIf('', '')`} AS txt, visitor,
      count(*) FILTER (WHERE kind = 0) AS h, count(*) FILTER (WHERE kind <> 0) AS o
    FROM ${dialect.table('clicks', workspace)}
    WHERE workspace = ${workspace} AND time >= ${first * DAY_MS} AND time < ${end * DAY_MS}
    GROUP BY 1, 2, 3, 4, 5`
  const edge = { first: 'min', last: 'max' }[name as string]
  const edgeOf = (condition: string) =>
    `${edge}(CASE WHEN ${condition} THEN num END) OVER (PARTITION BY workspace, d, visitor)`
  const source =
    edge === undefined
      ? grouped
      : `SELECT workspace, d, num, txt, visitor, h, o, ${edgeOf('h > 0')} AS edge_h,
          ${edgeOf('o > 0')} AS edge_o, ${edgeOf('1 = 1')} AS edge_all FROM (${grouped}) by_quarter`
  const visitors = (condition: string, at: string) =>
    `count(*) FILTER (WHERE visitor IS NOT NULL AND ${condition}${edge === undefined ? '' : ` AND num = ${at}`})`
  return `SELECT workspace, d, ${SUMMED.indexOf(name)} AS dim, num, txt, sum(h) AS hs, sum(o) AS os,
      ${visitors('h > 0', 'edge_h')} AS hv, ${visitors('o > 0', 'edge_o')} AS ov,
      ${visitors('1 = 1', 'edge_all')} AS av${also}
    FROM (${source}) by_visitor GROUP BY workspace, d, num, txt`
}

/** The finished days of a batch of clicks: their sums no longer hold. */
export function daysOf(clicks: readonly StoredClick[]): [workspace: number, day: number][] {
  const today = Math.floor(Date.now() / DAY_MS)
  const days = new Map<string, [number, number]>()
  for (const { linkSeq, time } of clicks) {
    const day = Math.floor(time / DAY_MS)
    if (day >= today) continue
    const workspace = Math.floor(linkSeq / SEQS_PER_WORKSPACE)
    days.set(`${workspace} ${day}`, [workspace, day])
  }
  return [...days.values()]
}

/**
 * A statement after which the sums of some days don't count until they are renewed, where a transaction
 * changes the clicks as well. @param days pairs of workspace and day, or a SELECT of them
 */
export function unsettleSql(days: readonly (readonly [number, number])[] | string): string {
  const list = typeof days === 'string' ? days : days.map(([w, day]) => `(${w}, ${day})`).join(', ')
  return `UPDATE summed_days SET clicks = -1 WHERE (workspace, day) IN (${list})`
}

/** A SELECT of workspaces and days that some clicks are of. */
export function daysSql(source: string, condition: string): string {
  return `SELECT DISTINCT workspace, ${DAY_SQL} AS day FROM ${source} WHERE ${condition}`
}
