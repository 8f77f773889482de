import { afterAll, beforeAll } from 'bun:test'
import { createReports } from '../../reports/index.ts'
import { sumsContract } from '../../reports/testing/sums-contract.ts'
import type { AskableReports } from '../../types.ts'
import { createDuckDbEngine } from './index.ts'
import { forgetClicks } from './recount.ts'
import { createDuckDbTarget } from './shipping.ts'
import { openTestDuckDb, type TestDuckDb } from './testing/duckdb.ts'

/** When the months of the worlds are over. */
const LATER = Date.parse('2026-06-15T00:00:00Z')

let opened: TestDuckDb
let reports: AskableReports
let target: Awaited<ReturnType<typeof createDuckDbTarget>>

beforeAll(async () => {
  opened = await openTestDuckDb()
  reports = createReports(createDuckDbEngine(opened.database))
  target = await createDuckDbTarget(opened.database)
})

afterAll(() => opened.close())

sumsContract({
  reports: () => reports,
  async store(world) {
    await opened.store(world)
    return world
  },
  sum: () => opened.maintain(LATER),
  async add(clicks) {
    const state = await target.load()
    await target.store(clicks, state, { ...state, batches: state.batches + 1 })
  },
  forget: async (link, before) => void (await forgetClicks(opened.database, link, before)),
  loseClicks: async () => void (await opened.rows('DELETE FROM clicks')),
  runs: 6,
})
