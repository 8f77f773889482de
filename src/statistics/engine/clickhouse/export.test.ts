import { afterAll, beforeAll, describe } from 'bun:test'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { exportContract } from '../testing/export-contract.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { migrateClickHouse } from './migrate.ts'
import { createClickHouseReports } from './reports.ts'
import { store } from './testing/world.ts'

describe.skipIf(!hasClickHouse)('exports from ClickHouse', () => {
  let server: Server
  let clickHouse: ClickHouse

  beforeAll(async () => {
    server = await startClickHouse()
    clickHouse = openClickHouse(server.url('exports'))
    await migrateClickHouse(clickHouse)
  })
  afterAll(async () => {
    await clickHouse?.close()
    await server?.stop()
  })

  exportContract({
    reports: (facts) => createClickHouseReports(clickHouse, facts),
    store: (it) => store(clickHouse, it),
  })
})
