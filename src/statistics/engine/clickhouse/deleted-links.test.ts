import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { openTestStorage } from '../../../clicks/testing/shared.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../../platform/storage/index.ts'
import { CLICK_COLUMNS } from '../../columns.ts'
import { click } from '../../testing/naive.ts'
import { createMaintenance } from '../shared/maintenance.ts'
import { rowOf } from '../shared/rows.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { deleteLinks, purgeExpired, summingIn } from './maintenance.ts'
import { migrateClickHouse } from './migrate.ts'

describe.skipIf(!hasClickHouse || postgresMissing !== undefined)('deleted links', () => {
  let server: Server
  let clickHouse: ClickHouse
  let storage: Storage

  beforeAll(async () => {
    const postgres = await sharedPostgres()
    server = await startClickHouse()
    clickHouse = openClickHouse(server.url('gone'))
    await migrateClickHouse(clickHouse)
    storage = await openTestStorage(await postgres.createDatabase())
  })
  afterAll(async () => {
    await clickHouse?.close()
    await storage?.close()
    await server?.stop()
  })

  test('lose their clicks, by one node at a time', async () => {
    const clicks = [1, 2, 3].map((link) =>
      click({ linkSeq: SEQS_PER_WORKSPACE + link, time: 1_700_000_000_000, n: link }),
    )
    const lines = clicks.map((it) => `${JSON.stringify(rowOf(it))}\n`)
    await clickHouse.insert('clicks', CLICK_COLUMNS, 'JSONCompactEachRow', lines)
    const gone = 2
    await sql`INSERT INTO gone_links (link_seq) VALUES (${SEQS_PER_WORKSPACE + gone})`.execute(
      storage.read.db,
    )
    const now = 1_700_000_100_000
    const maintenanceOf = () =>
      createMaintenance({
        storage,
        clock: { now: () => now },
        deleteLinks: (seqs) => deleteLinks(clickHouse, seqs),
        purgeExpired: (retention, at) => purgeExpired(clickHouse, retention, at),
        sumDays: summingIn(clickHouse),
      })
    const [one, other] = [maintenanceOf(), maintenanceOf()]
    expect([one.due, other.due]).toEqual([true, true])
    while (one.due) await one.step()
    // The first one's round counts for both.
    await other.step()
    expect([one.due, other.due]).toEqual([false, false])
    expect(await clickHouse.rows('SELECT n FROM clicks ORDER BY n')).toEqual([['1'], ['3']])
    const { rows } = await sql`SELECT 1 FROM gone_links`.execute(storage.read.db)
    expect(rows).toEqual([])
    // Retention has changed: there is work, once the other node's lease ends.
    other.setRetention([[1, 30]])
    expect(other.due).toBe(true)
  })
})
