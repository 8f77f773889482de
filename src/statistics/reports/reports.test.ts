import { afterAll, beforeAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../store/duckdb.ts'
import { createReports, type DuckReports } from './index.ts'
import { reportsContract } from './testing/contract.ts'
import { store } from './testing/world.ts'

const directory = mkdtempSync(join(tmpdir(), 'slugline-reports-'))
let database: StatisticsDatabase
let connection: StatisticsConnection
/** One that knows how visitors are numbered, and one that knows how they were at first. */
let reports: DuckReports
let outdated: DuckReports

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  connection = await database.connect()
  reports = createReports(database, { numberedForMs: 0 })
  outdated = createReports(database)
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
  runs: 40,
  // As many worlds as there is time for: `PROPERTY_MINUTES=5`.
  minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
  others: () => [outdated],
})
