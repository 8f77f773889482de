import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { openClickHouse } from './client.ts'
import { migrateClickHouse, OldClickHouseTables } from './schema.ts'

describe.skipIf(!hasClickHouse)('tables in ClickHouse', () => {
  let server: Server

  beforeAll(async () => {
    server = await startClickHouse()
  })
  afterAll(() => server?.stop())

  test('are created once, in a database that may not exist', async () => {
    const clickHouse = openClickHouse(server.url('created'))
    for (let start = 0; start < 2; start++) await migrateClickHouse(clickHouse)
    const names = await clickHouse.rows(
      'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    )
    expect(names.flat()).toEqual([
      'click_sums',
      'clicks',
      'daily',
      'instance',
      'purged',
      'summed_days',
    ])
    await clickHouse.close()
  })

  test('of an earlier form are refused', async () => {
    const clickHouse = openClickHouse(server.url('old'))
    await clickHouse.createDatabase()
    await clickHouse.command(
      'CREATE TABLE clicks (workspace UInt32, link UInt32, time Int64) ENGINE = MergeTree ORDER BY link',
    )
    await expect(migrateClickHouse(clickHouse)).rejects.toThrow(OldClickHouseTables)
    await clickHouse.close()
  })
})
