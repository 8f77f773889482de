import { afterAll, beforeAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../store/duckdb.ts'
import type { AskableReports } from '../types.ts'
import { createReports } from './index.ts'
import { reportsContract } from './testing/contract.ts'
import { store } from './testing/world.ts'

const directory = mkdtempSync(join(tmpdir(), 'slugline-reports-'))
let database: StatisticsDatabase
let connection: StatisticsConnection
let reports: AskableReports
/** One that counts no clicks itself. */
let queried: AskableReports

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  connection = await database.connect()
  reports = createReports(database)
  queried = createReports(database, { countedAtMost: 0, reading: { atMost: 0 } })
})

afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

reportsContract({
  reports: () => reports,
  async store(it) {
    await store(connection, it)
    return it
  },
  runs: 16,
  // As many worlds as there is time for: `PROPERTY_MINUTES=5`.
  minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
  others: () => [queried],
})
