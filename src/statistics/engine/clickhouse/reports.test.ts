import { afterAll, beforeAll, describe } from 'bun:test'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { FACTS, reportsContract } from '../../reports/testing/contract.ts'
import type { AskableReports } from '../../types.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { migrateClickHouse } from './migrate.ts'
import { createClickHouseReports } from './reports.ts'
import { store } from './testing/world.ts'

describe.skipIf(!hasClickHouse)('reports on ClickHouse', () => {
  let server: Server
  let clickHouse: ClickHouse
  let reports: AskableReports

  beforeAll(async () => {
    server = await startClickHouse()
    clickHouse = openClickHouse(server.url('reports'))
    await migrateClickHouse(clickHouse)
    reports = createClickHouseReports(clickHouse, FACTS)
  })
  afterAll(async () => {
    await clickHouse?.close()
    await server?.stop()
  })

  reportsContract({
    reports: () => reports,
    store: (it) => store(clickHouse, it),
    runs: 10,
    minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
  })
})
