import { existsSync } from 'node:fs'
import type { Clock } from '../../../lib/base/clock.ts'
import { openSqlite } from '../../../platform/storage/index.ts'
import { DAILY_COLUMNS } from '../../columns.ts'
import { DAY_MS, HOUR_MS, monthAfter, monthOf } from '../../intervals.ts'
import { createParameters } from '../../reports/dialect.ts'
import { purgedDaysSql } from '../purged-days.ts'
import { createRounds, type MaintenanceTask, type Retention } from '../shared/rounds.ts'
import { createSumming, daysSql, sumSql, unsettleSql, unsumSql } from '../shared/summing.ts'
import type { Maintenance } from '../types.ts'
import { dialect } from './dialect.ts'
import type { Connection, DuckDb } from './types.ts'

/** After a month's end, until its last clicks have come. */
const MARGIN_MS = HOUR_MS
/** Links that are compared with the main database in one step. */
const LINKS_PER_STEP = 50_000

/** What maintenance works with. */
export interface MaintenanceOptions {
  database: DuckDb
  /** The main database, which says what links exist; only read. */
  mainFile: string
  clock: Clock
  /** Of a day that is summed; for tests. */
  clicksAtLeast?: number | undefined
}

/** Deletes clicks of deleted links, applies retention, closes months, and sums days. */
export async function createMaintenance(options: MaintenanceOptions): Promise<Maintenance> {
  const { database, mainFile, clock, clicksAtLeast } = options
  const connection = await database.connect()
  return createRounds({
    clock,
    tasks: [
      createLinkPurge(connection, mainFile),
      (now, retention) => purgeOldDay(connection, retention, now),
      (now) => closeMonth(connection, now),
      createSumming({
        dialect,
        query: connection.run,
        replace: (days) =>
          connection.transaction(async () => {
            const statements = [...unsumSql(days), ...sumSql(dialect, days)]
            for (const statement of statements) await connection.run(statement)
          }),
        clicksAtLeast,
      }),
    ],
    // Makes the space of deleted clicks free; a reader in between makes it wait for the next round.
    changed: () => connection.run('CHECKPOINT').catch(() => {}),
  })
}

/** Deletes clicks of links that the main database no longer has, some links a step. */
function createLinkPurge(connection: Connection, mainFile: string): MaintenanceTask {
  let last = -1
  return async () => {
    const rows = await connection.run(
      `SELECT link FROM (SELECT link FROM clicks UNION SELECT link FROM daily) links
        WHERE link > ${last} ORDER BY link LIMIT ${LINKS_PER_STEP}`,
    )
    const links = rows.map(([link]) => Number(link))
    const missing = missingLinks(mainFile, links)
    if (missing.length > 0) {
      await connection.transaction(async () => {
        const { bind, values } = createParameters(dialect)
        const ofLinks = dialect.among('link', missing, bind)
        await connection.run(unsettleSql(daysSql('clicks', ofLinks)), values)
        for (const table of ['clicks', 'daily']) {
          await connection.run(`DELETE FROM ${table} WHERE ${ofLinks}`, values)
        }
      })
    }
    last = links.length < LINKS_PER_STEP ? -1 : (links.at(-1) as number)
    return last >= 0
  }
}

/**
 * Which links the main database no longer has: neither as links nor as deleted ones that can still
 * be restored. Without a main database, none.
 */
function missingLinks(mainFile: string, links: readonly number[]): number[] {
  if (links.length === 0 || !existsSync(mainFile)) return []
  const { raw, close } = openSqlite(mainFile, { readonly: true, cacheBytes: 1_048_576 })
  try {
    const [tables] = raw
      .query("SELECT count(*) FROM sqlite_schema WHERE name IN ('links', 'deleted_links')")
      .values()
    if (tables?.[0] !== 2) return []
    // One statement is one snapshot: a link may move from one table to the other meanwhile.
    return raw
      .query(`SELECT value FROM json_each(?)
        WHERE NOT EXISTS (SELECT 1 FROM links WHERE seq = value)
          AND NOT EXISTS (SELECT 1 FROM deleted_links WHERE seq = value)`)
      .values(JSON.stringify(links))
      .flat() as number[]
  } finally {
    close()
  }
}

/** Replaces the clicks of one day, which their workspaces' plans keep no longer, by its totals. */
async function purgeOldDay(
  connection: Connection,
  retention: Retention,
  now: number,
): Promise<boolean> {
  const today = Math.floor(now / DAY_MS)
  for (const [days, entries] of Map.groupBy(retention, ([, kept]) => kept)) {
    const workspaces = entries.map(([workspace]) => workspace)
    const old = createParameters(dialect)
    const [row] = await connection.run(
      `SELECT min(time) FROM clicks WHERE time < ${(today - days) * DAY_MS}
        AND ${dialect.among('workspace', workspaces, old.bind)}`,
      old.values,
    )
    if (row?.[0] == null) continue
    const from = Math.floor(Number(row[0]) / DAY_MS) * DAY_MS
    await connection.transaction(async () => {
      const { bind, values } = createParameters(dialect)
      const ofThem = dialect.among('workspace', workspaces, bind)
      const condition = `time >= ${from} AND time < ${from + DAY_MS} AND ${ofThem}`
      await connection.run(
        `INSERT INTO daily (${DAILY_COLUMNS.join(', ')}) ${purgedDaysSql('clicks', condition)}`,
        values,
      )
      await connection.run(`DELETE FROM clicks WHERE ${condition}`, values)
      for (const table of ['click_sums', 'summed_days']) {
        await connection.run(
          `DELETE FROM ${table} WHERE day = ${from / DAY_MS} AND ${ofThem}`,
          values,
        )
      }
    })
    return true
  }
  return false
}

/**
 * Sorts the clicks of a month that is over by link and time: the reports of a link then read few
 * row groups.
 */
async function closeMonth(connection: Connection, now: number): Promise<boolean> {
  const [row] = await connection.run('SELECT min(time) FROM clicks')
  if (row?.[0] == null) return false
  const closed = new Set(
    (await connection.run('SELECT month FROM closed_months')).map(([month]) => Number(month)),
  )
  for (let month = monthOf(Number(row[0])); ; month = monthAfter(month)) {
    const end = monthAfter(month)
    if (end + MARGIN_MS > now) return false
    if (closed.has(month)) continue
    await connection.transaction(async () => {
      const ofMonth = `time >= ${month} AND time < ${end}`
      const [last] = await connection.run('SELECT max(rowid) FROM clicks')
      await connection.run(
        `INSERT INTO clicks SELECT * FROM clicks WHERE ${ofMonth} ORDER BY link, time, n`,
      )
      // Rows of the open transaction have higher row ids than all stored ones.
      await connection.run(`DELETE FROM clicks WHERE rowid <= ${last?.[0] ?? -1} AND ${ofMonth}`)
      await connection.run(`INSERT INTO closed_months VALUES (${month})`)
    })
    return true
  }
}
