import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../test/harness/clickhouse.ts'
import { postgresMissing, sharedPostgres } from '../../../test/harness/postgres.ts'
import { acquireLease } from '../../clicks/leases.ts'
import { openTestStorage } from '../../clicks/testing/shared.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../storage/index.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { COLUMNS, migrateClickHouse } from './schema.ts'
import { raw } from './sql.ts'
import { createClickHouseUpkeep } from './upkeep.ts'

describe.skipIf(!hasClickHouse || postgresMissing !== undefined)('links that are gone', () => {
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
    const texts = TEXT_COLUMNS.map(() => '""').join(',')
    await clickHouse.insert(
      'clicks',
      COLUMNS,
      [1, 2, 3].map((link) => `[1,${link},1700000000000,${link},0,0,false,0,${texts}]\n`),
    )
    const gone = 2
    await sql`INSERT INTO gone_links (link_seq) VALUES (${SEQS_PER_WORKSPACE + gone})`.execute(
      storage.read.db,
    )
    const now = 1_700_000_100_000
    const upkeepOf = () =>
      createClickHouseUpkeep({
        clickHouse,
        storage,
        clock: { now: () => now },
        takeOn: (forMs) => acquireLease(storage, 'clicks', forMs),
      })
    const [one, other] = [upkeepOf(), upkeepOf()]
    expect([one.due, other.due]).toEqual([true, true])
    await one.step()
    // It was the first one's round.
    await other.step()
    expect([one.due, other.due]).toEqual([false, false])
    expect(await clickHouse.rows(raw('SELECT link FROM clicks ORDER BY link'))).toEqual([[1], [3]])
    const { rows } = await sql`SELECT 1 FROM gone_links`.execute(storage.read.db)
    expect(rows).toEqual([])
    // What plans keep has changed: there is something to do, once the other's turn is over.
    other.setRetention([[1, 30]])
    expect(other.due).toBe(true)
  })
})
