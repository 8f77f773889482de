import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Position } from '../../../../clicks/segments.ts'
import { SEQS_PER_WORKSPACE } from '../../../../platform/storage/index.ts'
import { DAILY_COLUMNS } from '../../../columns.ts'
import { numberClicks } from '../../../ingest/numbering.ts'
import type { World } from '../../../reports/testing/world.ts'
import type { StoredClick } from '../../../types.ts'
import type { Retention } from '../../types.ts'
import { openDuckDb } from '../database.ts'
import { createMaintenance } from '../maintenance.ts'
import { migrateDuckDb } from '../migrate.ts'
import { createDuckDbTarget, insertClicks } from '../shipping.ts'

export type TestDuckDb = Awaited<ReturnType<typeof openTestDuckDb>>

/** A statistics file of a test, in a directory of its own. */
export async function openTestDuckDb() {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-duckdb-'))
  const file = join(directory, 'statistics.duckdb')
  let database = await openDuckDb(file)

  /** Rows of a query, on a connection of its own. */
  async function rows(sql: string): Promise<unknown[][]> {
    const connection = await database.connect()
    try {
      return await connection.run(sql)
    } finally {
      connection.close()
    }
  }

  return {
    get database() {
      return database
    },
    directory,
    rows,
    /** Opens the file again, as after the end of the process. */
    async reopen() {
      database.close()
      database = await openDuckDb(file)
      await migrateDuckDb(database)
    },
    /** Replaces what is stored. */
    async store({ clicks, purged }: World) {
      await rows(
        'DELETE FROM clicks; DELETE FROM daily; DELETE FROM click_sums; DELETE FROM summed_days',
      )
      const connection = await database.connect()
      await insertClicks(database, connection, clicks)
      connection.close()
      for (const row of purged) {
        const workspace = Math.floor(row.link / SEQS_PER_WORKSPACE)
        const { link, day, kind, clicks: count, uniques, workspace_uniques: ofWorkspace } = row
        const values = [workspace, link, day, kind, count, uniques, ofWorkspace]
        await rows(`INSERT INTO daily (${DAILY_COLUMNS.join(', ')}) VALUES (${values.join(', ')})`)
      }
    },
    /** Stores a batch up to a position in the journal, after numbering it in place. */
    async write(clicks: StoredClick[], at: Position, since?: number) {
      const { load, store } = await createDuckDbTarget(database)
      const state = await load()
      numberClicks(clicks, { nodeNo: 0, ...state })
      const newest = clicks.reduce((last, { time }) => Math.max(last, time), state.newest)
      const to = { ...state, at, newest, batches: state.batches + 1, since: since ?? state.since }
      await store(clicks, state, to)
    },
    /** Runs a round of maintenance at a time. */
    async maintain(
      now: number,
      {
        mainFile = join(directory, 'none'),
        retention = [],
        clicksAtLeast = 1,
      }: { mainFile?: string; retention?: Retention; clicksAtLeast?: number } = {},
    ) {
      const clock = { now: () => now }
      const maintenance = await createMaintenance({ database, mainFile, clock, clicksAtLeast })
      maintenance.setRetention(retention)
      while (maintenance.due) await maintenance.step()
    },
    close() {
      database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
