import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStatistics, type StatisticsDatabase } from '../store/duckdb.ts'
import { createLane } from './lane.ts'
import { sql } from './sql.ts'

const directory = mkdtempSync(join(tmpdir(), 'slugline-lane-'))
let database: StatisticsDatabase

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
})
afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Hours of work. */
const ENDLESS = sql`SELECT count(*) FROM range(1000000000) AS a, range(1000000) AS b`

test.each([
  ['before the query begins', () => Promise.resolve()],
  ['as it begins', () => new Promise<void>((turn) => setImmediate(turn))],
  ['in its midst', () => Bun.sleep(100)],
])('whoever goes away %s is not worked for, and the next one is', async (_, later) => {
  const lane = createLane(database)
  const leaving = new AbortController()
  const begun = Promise.withResolvers<void>()
  const asked = lane.run(async ({ rows }) => {
    const answer = rows(ENDLESS)
    begun.resolve()
    return await answer
  }, leaving.signal)
  const next = lane.run(({ rows }) => rows(sql`SELECT 1::INTEGER`))
  await begun.promise
  await later()
  leaving.abort()
  await expect(asked).rejects.toThrow()
  expect(await next).toEqual([[1]])
})
