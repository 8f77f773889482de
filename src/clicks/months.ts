import { type Kysely, sql } from 'kysely'
import {
  type Schema,
  SEQS_PER_WORKSPACE,
  type Sql,
  type Storage,
} from '../platform/storage/index.ts'
import type { ClickRecord } from './record.ts'
import { each, type RowsDatabase, readWatermark } from './rows.ts'
import { isBefore, type Position } from './segments.ts'
import type { Batch, Quota } from './types.ts'

/** Larger than every month's number. */
const MONTHS = 2 ** 22
/** Past months for which the clicks of workspaces are kept. */
export const MONTHS_KEPT = 12
/** Past months for which uncounted clicks are kept, for a statistics process that is behind. */
const UNCOUNTED_KEPT = 2

/** `clicks_per_month` of the limited plans, by plan id. */
export type ClickLimits = Readonly<Record<string, number>>

/** The UTC month of a time: months since January 1970. */
export function monthOf(time: number): number {
  const date = new Date(time)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

interface MonthRow {
  workspace_no: number
  month: number
}

/** A single number for a link's workspace and a month. */
export function monthKeyOf(linkSeq: number, month: number): number {
  return Math.floor(linkSeq / SEQS_PER_WORKSPACE) * MONTHS + month
}

const keyOf = (row: MonthRow) => row.workspace_no * MONTHS + row.month

function monthFrom(key: number): [workspaceNo: number, month: number] {
  return [Math.floor(key / MONTHS), key % MONTHS]
}

/** Columns of a month's row in {@link each}. */
const WORKSPACE = sql`CAST(value->>0 AS BIGINT)`
const MONTH = sql`CAST(value->>1 AS BIGINT)`

/** The quotas of months whose workspace has a limited plan, by key. */
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
 * Adds a batch's clicks to their months, and records where uncounted clicks of a month begin. Call
 * it last in the batch's transaction, because it locks the rows of workspaces. False: other nodes
 * have counted so many clicks that a limit would be exceeded; the caller must roll back.
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

/** Deletes the rows of months long past. */
export async function purgeMonths(db: Kysely<Schema>, now: number): Promise<void> {
  const month = monthOf(now)
  await sql`DELETE FROM workspace_months WHERE month < ${month - MONTHS_KEPT}`.execute(db)
  await sql`DELETE FROM uncounted_clicks WHERE month < ${month - UNCOUNTED_KEPT}`.execute(db)
}

/** A workspace's counted clicks of the month of `now`. */
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

/** Reads which clicks of the node's journal are counted; a single machine is node 0. */
export async function readCounted({ db }: Pick<Sql, 'db'>, nodeNo: number) {
  // What is added between the two queries is after the watermark.
  const until = await readWatermark({ db }, nodeNo)
  const rows = await db
    .selectFrom('uncounted_clicks')
    .selectAll()
    .where('node_no', '=', nodeNo)
    .execute()
  const spans = Map.groupBy(rows, keyOf)
  return {
    /** The end of what is known. */
    until,
    /** Whether a click at `at`, before `until`, is counted. */
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
