import { CompiledQuery, sql } from 'kysely'
import {
  SEQS_PER_WORKSPACE,
  type Storage,
  type Transaction,
} from '../../../platform/storage/index.ts'
import { DAILY_COLUMNS } from '../../columns.ts'
import { DAY_MS } from '../../intervals.ts'
import { purgedDaysSql } from '../purged-days.ts'
import type { MaintenanceTask, Retention } from '../shared/rounds.ts'
import { createSumming, daysSql, sumSql, unsettleSql, unsumSql } from '../shared/summing.ts'
import type { LinkNumbers } from '../types.ts'
import { dialect, linkNumbers } from './reports.ts'

/** Days of workspaces that one step purges. */
const DAYS_PER_STEP = 20
/** Clicks of deleted links that one transaction deletes. */
const CLICKS_PER_STEP = 50_000

const bigints = (numbers: readonly number[]) => sql`${`{${numbers.join(',')}}`}::bigint[]`

/**
 * One step of replacing clicks past their workspace's retention by the totals of their day: a
 * workspace's day is counted and deleted in one transaction. Clicks that are stored after that are
 * added to the totals. @returns whether there is more to do
 */
export async function purgeExpired(
  storage: Pick<Storage, 'read' | 'write'>,
  retention: Retention,
  now: number,
): Promise<boolean> {
  const today = Math.floor(now / DAY_MS)
  const { rows } = await sql<{ workspace: number; day: number }>`
    SELECT workspace, oldest / ${sql.raw(String(DAY_MS))} AS day FROM (
      SELECT w AS workspace, before,
        (SELECT time FROM clicks WHERE workspace = w ORDER BY time LIMIT 1) AS oldest
      FROM unnest(${bigints(retention.map(([workspace]) => workspace))},
        ${bigints(retention.map(([, days]) => (today - days) * DAY_MS))}) AS kept (w, before)
    ) workspaces WHERE oldest < before LIMIT ${DAYS_PER_STEP}`.execute(storage.read.db)
  for (const { workspace, day } of rows) {
    await storage.write(async (tx) => {
      await purgeDay(workspace, day).execute(tx.db)
      await runAll(tx, unsumSql({ workspace, first: day, end: day + 1 }))
    })
  }
  return rows.length > 0
}

/** Sums days that are over; see `createSumming`. */
export function summingIn(
  storage: Pick<Storage, 'read' | 'write' | 'reports'>,
  clicksAtLeast?: number,
): MaintenanceTask {
  return createSumming({
    dialect,
    // Not from a replica, which may be behind.
    query: async (text) => {
      const { rows } = await storage.read.db.executeQuery<object>(CompiledQuery.raw(text))
      return rows.map((row) => Object.values(row))
    },
    replace: (days) =>
      storage.write((tx) =>
        // Who stores clicks of such a day waits, and finds the new row.
        runAll(tx, [
          'LOCK TABLE summed_days IN SHARE ROW EXCLUSIVE MODE',
          ...unsumSql(days),
          ...sumSql(dialect, days),
        ]),
      ),
    clicksAtLeast,
  })
}

async function runAll({ db }: Transaction, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

function purgeDay(workspace: number, day: number) {
  return sql`
    WITH expired AS (
      DELETE FROM clicks WHERE workspace = ${workspace}
        AND time >= ${day * DAY_MS} AND time < ${(day + 1) * DAY_MS}
      RETURNING workspace, link, time, n, visitor, kind
    )
    INSERT INTO daily (${sql.raw(DAILY_COLUMNS.join(', '))})
    ${sql.raw(purgedDaysSql('expired', 'true'))}
    ON CONFLICT (workspace, link, day, kind) DO UPDATE SET clicks = daily.clicks + excluded.clicks,
      uniques = daily.uniques + excluded.uniques,
      workspace_uniques = daily.workspace_uniques + excluded.workspace_uniques`
}

/** Deletes a link's clicks before a time and totals of days before it; gives what is left of it. */
export async function* forgetClicks(
  storage: Pick<Storage, 'read' | 'write'>,
  link: number,
  before: number,
): AsyncGenerator<LinkNumbers, undefined> {
  await storage.write(async (tx) => {
    const deleted = `link = ${link} AND time < ${before}`
    await runAll(tx, [
      unsettleSql(daysSql('clicks', deleted)),
      `DELETE FROM clicks WHERE ${deleted}`,
    ])
    await sql`DELETE FROM daily WHERE workspace = ${Math.floor(link / SEQS_PER_WORKSPACE)}
      AND link = ${link} AND day < ${Math.floor(before / DAY_MS)}`.execute(tx.db)
  })
  // A replica may not know yet.
  return yield* linkNumbers({ reports: storage.read }, [link, link + 1])
}

/** Deletes clicks and totals of links, as many as one transaction should. True: there are more. */
export function deleteLinks(
  storage: Pick<Storage, 'write'>,
  seqs: readonly number[],
): Promise<boolean> {
  return storage.write(async (tx) => {
    const { rows } = await sql<{ deleted: number }>`
      WITH deleted AS (
        DELETE FROM clicks WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM clicks WHERE link = ANY(${bigints(seqs)}) LIMIT ${CLICKS_PER_STEP}))
        RETURNING workspace, time
      ), unsettled AS (${sql.raw(unsettleSql(daysSql('deleted', 'true')))})
      SELECT count(*) AS deleted FROM deleted`.execute(tx.db)
    if ((rows[0]?.deleted ?? 0) >= CLICKS_PER_STEP) return true
    await sql`DELETE FROM daily WHERE (workspace, link) IN (
      SELECT seq >> 32, seq FROM unnest(${bigints(seqs)}) AS gone (seq))`.execute(tx.db)
    return false
  })
}
