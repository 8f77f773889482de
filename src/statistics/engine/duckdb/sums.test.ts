import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createReports } from '../../reports/index.ts'
import { SUMMED } from '../../reports/sums.ts'
import { sumsContract } from '../../reports/testing/sums-contract.ts'
import { type World, world } from '../../reports/testing/world.ts'
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
  minutes: Number(process.env.PROPERTY_MINUTES ?? 0),
})

test('a file of an earlier version keeps its clicks, and its days are summed', async () => {
  const earlier = await openTestDuckDb()
  try {
    const [given] = fc.sample(
      world.filter(({ clicks }) => clicks.length > 40),
      { numRuns: 1, seed: 33 },
    ) as [World]
    await earlier.store(given)
    await earlier.rows(
      'DROP TABLE click_sums; DROP TABLE summed_days; UPDATE state SET version = 3',
    )
    await earlier.reopen()
    const count = async (table: string) =>
      Number((await earlier.rows(`SELECT count(*) FROM ${table}`))[0]?.[0])
    expect(await count('clicks')).toBe(given.clicks.length)
    expect(await count('summed_days')).toBe(0)
    await earlier.maintain(LATER)
    const dimensions = async () =>
      (await earlier.rows('SELECT DISTINCT dimension FROM click_sums ORDER BY 1')).flat()
    const all = await dimensions()
    // A version in between had not all dimensions.
    await earlier.rows(`DELETE FROM click_sums WHERE dimension >= ${SUMMED.indexOf('hour_15')};
      UPDATE state SET version = 4`)
    expect(await dimensions()).not.toEqual(all)
    await earlier.reopen()
    await earlier.maintain(LATER)
    expect(await dimensions()).toEqual(all)
    expect(await count('summed_days')).toBeGreaterThan(0)
    // What an earlier version deletes isn't announced: the next round finds it.
    await earlier.rows('DELETE FROM clicks WHERE link % 2 = 0')
    await earlier.maintain(LATER)
    const sums = await earlier.rows(
      'SELECT sum(humans + others) FROM click_sums WHERE dimension = 0',
    )
    expect(Number(sums[0]?.[0])).toBe(await count('clicks'))
    expect(sums).toEqual(await earlier.rows('SELECT sum(clicks) FROM summed_days'))
  } finally {
    earlier.close()
  }
})
