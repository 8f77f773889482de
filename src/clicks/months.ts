import { type Kysely, sql } from 'kysely'
import { type Schema, SEQS_PER_WORKSPACE, type Sql, type Storage } from '../storage/index.ts'
import type { Batch } from './counting.ts'
import type { ClickRecord } from './record.ts'
import { each, type RowsDatabase } from './rows.ts'
import { isBefore, type Position } from './segments.ts'

/** Larger than every month's number. */
const MONTHS = 2 ** 22
/** Months for which the clicks of workspaces are known, besides this one. */
const MONTHS_KEPT = 12
/** Months for which uncounted clicks are known, for a statistics process that is behind. */
const UNCOUNTED_KEPT = 2

/** `clicks_per_month` of the plans that have one, by the plans' ids. */
export type ClickLimits = Readonly<Record<string, number>>

/** A workspace's limit, and its clicks of the month that are counted. */
export interface Quota {
  limit: number
  used: number
}

/** The UTC month of a time: months since January 1970. */
export function monthOf(time: number): number {
  const date = new Date(time)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

interface MonthRow {
  workspace_no: number
  month: number
}

/** One number for the workspace of a link and a month. */
export function monthKeyOf(linkSeq: number, month: number): number {
  return Math.floor(linkSeq / SEQS_PER_WORKSPACE) * MONTHS + month
}

const keyOf = (row: MonthRow) => row.workspace_no * MONTHS + row.month

function monthFrom(key: number): [workspaceNo: number, month: number] {
  return [Math.floor(key / MONTHS), key % MONTHS]
}

/** Columns of a month's row of {@link each}. */
const WORKSPACE = sql`CAST(value->>0 AS BIGINT)`
const MONTH = sql`CAST(value->>1 AS BIGINT)`

/** The quotas of those months whose workspace has a plan with a limit, by their keys. */
export async function readQuotas(
  database: RowsDatabase,
  limits: ClickLimits,
  keys: readonly number[],
): Promise<Map<number, Quota>> {
  const plans = Object.keys(limits)
  if (plans.length === 0) return new Map()
  const { rows } = await sql<MonthRow & { plan_id: string; clicks: number | null }>`
    SELECT w.no AS workspace_no, ${MONTH} AS month, w.plan_id, m.clicks
    FROM ${each(database, keys.map(monthFrom))} JOIN workspaces w ON w.no = ${WORKSPACE}
    LEFT JOIN workspace_months m ON m.month = ${MONTH} AND m.workspace_no = ${WORKSPACE}
    WHERE w.plan_id IN (${sql.join(plans)})`.execute(database.db)
  return new Map(
    rows.map((row) => [keyOf(row), { limit: limits[row.plan_id] ?? 0, used: row.clicks ?? 0 }]),
  )
}

/**
 * Adds a batch's clicks to their months, and notes from where on a month's clicks aren't counted.
 * Call it last in the batch's transaction: it locks the rows of workspaces. False: another node has
 * counted so many meanwhile that a limit would be passed; nothing may be committed.
 */
export async function addMonths(
  database: RowsDatabase,
  nodeNo: number,
  { tally: { months, uncounted }, quotas, from }: Batch,
): Promise<boolean> {
  const { db } = database
  // All nodes lock them in the same order.
  const counted = [...months].sort(([a], [b]) => a - b)
  const rows = each(
    database,
    counted.map(([key, clicks]) => [...monthFrom(key), clicks]),
  )
  const added = await sql<MonthRow & { clicks: number }>`
    INSERT INTO workspace_months (workspace_no, month, clicks)
    SELECT ${WORKSPACE}, ${MONTH}, CAST(value->>2 AS BIGINT) FROM ${rows} WHERE true
    ON CONFLICT (month, workspace_no)
      DO UPDATE SET clicks = workspace_months.clicks + excluded.clicks
    RETURNING workspace_no, month, clicks`.execute(db)
  const isPassed = added.rows.some(
    (row) => row.clicks > (quotas.get(keyOf(row))?.limit ?? Infinity),
  )
  if (isPassed) return false
  await sql`UPDATE uncounted_clicks
    SET until_segment = ${from.segment}, until_offset = ${from.offset}
    WHERE node_no = ${nodeNo} AND until_segment IS NULL
      AND (workspace_no, month) IN (SELECT ${WORKSPACE}, ${MONTH} FROM ${rows})`.execute(db)
  if (uncounted.size === 0) return true
  const begun = [...uncounted].map(([key, at]) => [...monthFrom(key), at.segment, at.offset])
  await sql`INSERT INTO uncounted_clicks (node_no, workspace_no, month, from_segment, from_offset)
    SELECT CAST(${nodeNo} AS BIGINT), ${WORKSPACE}, ${MONTH}, CAST(value->>2 AS BIGINT),
      CAST(value->>3 AS BIGINT)
    FROM ${each(database, begun)} WHERE NOT EXISTS (SELECT 1 FROM uncounted_clicks u
      WHERE u.node_no = ${nodeNo} AND u.workspace_no = ${WORKSPACE} AND u.month = ${MONTH}
        AND u.until_segment IS NULL)`.execute(db)
  return true
}

/** Deletes the rows of months that are long over. */
export async function purgeMonths(db: Kysely<Schema>, now: number): Promise<void> {
  const month = monthOf(now)
  await sql`DELETE FROM workspace_months WHERE month < ${month - MONTHS_KEPT}`.execute(db)
  await sql`DELETE FROM uncounted_clicks WHERE month < ${month - UNCOUNTED_KEPT}`.execute(db)
}

/** A workspace's clicks of the month of `now` that are counted. */
export async function clicksThisMonth(
  { read }: Pick<Storage, 'read'>,
  workspaceNo: number,
  now: number,
): Promise<number> {
  const row = await read.db
    .selectFrom('workspace_months')
    .select('clicks')
    .where('workspace_no', '=', workspaceNo)
    .where('month', '=', monthOf(now))
    .executeTakeFirst()
  return row?.clicks ?? 0
}

/** Reads from the counters which clicks of the node's journal are counted; a single machine is 0. */
export async function readCounted({ db }: Pick<Sql, 'db'>, nodeNo: number) {
  // What is added between the two queries is behind the watermark.
  const watermark =
    nodeNo === 0
      ? db.selectFrom('journal_watermark').select(['segment', 'offset'])
      : db.selectFrom('node_watermarks').select(['segment', 'offset']).where('node_no', '=', nodeNo)
  const until = await watermark.executeTakeFirst()
  const rows = await db
    .selectFrom('uncounted_clicks')
    .selectAll()
    .where('node_no', '=', nodeNo)
    .execute()
  const spans = Map.groupBy(rows, keyOf)
  return {
    /** Up to here it is known. */
    until: until ?? { segment: 0, offset: 0 },
    /** Whether a click that begins at `at` is counted; one before `until`. */
    includes([, time, linkSeq]: ClickRecord, at: Position): boolean {
      if (spans.size === 0) return true
      const own = spans.get(monthKeyOf(linkSeq, monthOf(time))) ?? []
      return !own.some((row) => {
        const isBegun = !isBefore(at, { segment: row.from_segment, offset: row.from_offset })
        const segment = row.until_segment ?? Infinity
        return isBegun && isBefore(at, { segment, offset: row.until_offset ?? 0 })
      })
    },
  }
}

/** Which clicks of a node's journal are counted. */
export type CountedClicks = Awaited<ReturnType<typeof readCounted>>
