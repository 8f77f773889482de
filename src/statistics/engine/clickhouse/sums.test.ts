import { afterAll, beforeAll, describe } from 'bun:test'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { CLICK_COLUMNS } from '../../columns.ts'
import { sumsContract } from '../../reports/testing/sums-contract.ts'
import type { AskableReports } from '../../types.ts'
import { rowOf } from '../shared/rows.ts'
import { daysOf } from '../shared/summing.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { forgetClicks } from './maintenance.ts'
import { migrateClickHouse } from './migrate.ts'
import { createClickHouseReports } from './reports.ts'
import { summingIn, unsettle } from './summing.ts'
import { store } from './testing/world.ts'

/** When the days of the worlds are over. */
const LATER = Date.parse('2026-06-15T00:00:00Z')

describe.skipIf(!hasClickHouse)('sums on ClickHouse', () => {
  let server: Server
  let clickHouse: ClickHouse
  let reports: AskableReports

  beforeAll(async () => {
    server = await startClickHouse()
    clickHouse = openClickHouse(server.url('sums'))
    await migrateClickHouse(clickHouse)
    reports = createClickHouseReports(clickHouse)
  })
  afterAll(async () => {
    await clickHouse?.close()
    await server?.stop()
  })

  sumsContract({
    reports: () => reports,
    store: (it) => store(clickHouse, it),
    async sum() {
      const step = summingIn(clickHouse, 1)
      while (await step(LATER, []));
    },
    async add(clicks) {
      const lines = clicks.map((it) => `${JSON.stringify(rowOf(it))}\n`)
      if (lines.length > 0) {
        await clickHouse.insert('clicks', CLICK_COLUMNS, 'JSONCompactEachRow', lines)
      }
      await unsettle(clickHouse, daysOf(clicks))
    },
    async forget(link, before) {
      for await (const _ of forgetClicks(clickHouse, link, before));
    },
    loseClicks: () => clickHouse.command('TRUNCATE TABLE clicks'),
    runs: 2,
    minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
  })
})
