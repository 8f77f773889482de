import { afterAll, beforeAll, describe } from 'bun:test'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { openPostgres, type Storage } from '../../../platform/storage/index.ts'
import { sumsContract } from '../../reports/testing/sums-contract.ts'
import type { AskableReports } from '../../types.ts'
import { forgetClicks, summingIn } from './maintenance.ts'
import { createPostgresReports } from './reports.ts'
import { storeClicks } from './shipping.ts'
import { store } from './testing/world.ts'

/** When the days of the worlds are over. */
const LATER = Date.parse('2026-06-15T00:00:00Z')

describe.skipIf(postgresMissing !== undefined)('sums on PostgreSQL', () => {
  let storage: Storage
  let reports: AskableReports

  beforeAll(async () => {
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase(), poolSize: 5 })
    reports = createPostgresReports(storage)
  })
  afterAll(async () => {
    await storage?.close()
  })

  sumsContract({
    reports: () => reports,
    store: (it) => store(storage, it),
    async sum() {
      const step = summingIn(storage, 1)
      while (await step(LATER, []));
    },
    add: (clicks) => storage.write((tx) => storeClicks(tx, clicks)),
    async forget(link, before) {
      for await (const _ of forgetClicks(storage, link, before));
    },
    loseClicks: () =>
      storage.write(async ({ db }) => void (await sql`DELETE FROM clicks`.execute(db))),
    runs: 6,
    minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
  })
})
