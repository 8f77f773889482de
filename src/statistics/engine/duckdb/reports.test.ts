import { afterAll, beforeAll } from 'bun:test'
import { createReports } from '../../reports/index.ts'
import { FACTS, reportsContract } from '../../reports/testing/contract.ts'
import type { AskableReports } from '../../types.ts'
import { createDuckDbEngine } from './index.ts'
import { openTestDuckDb, type TestDuckDb } from './testing/duckdb.ts'

/** When the months of the worlds are over. */
const LATER = Date.parse('2026-06-15T00:00:00Z')

let opened: TestDuckDb
let reports: AskableReports
let worlds = 0

beforeAll(async () => {
  opened = await openTestDuckDb()
  reports = createReports(createDuckDbEngine(opened.database), FACTS)
})

afterAll(() => opened.close())

reportsContract({
  reports: () => reports,
  async store(world) {
    await opened.store(world)
    if (worlds++ % 2 === 0) await opened.maintain(LATER)
    return world
  },
  runs: 24,
  // As many worlds as there is time for: `PROPERTY_MINUTES=5`.
  minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
})
