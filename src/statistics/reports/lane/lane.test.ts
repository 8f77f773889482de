import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStatistics, type StatisticsDatabase } from '../../store/duckdb.ts'
import { createReports } from '../index.ts'
import { sql } from '../sql/index.ts'
import { createLane } from './index.ts'

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

test('a report on a workspace waits for a step of upkeep, one on a link does not', async () => {
  const { totals } = createReports(database)
  const all = { linkSeqs: null, filters: [], bots: 'include', from: 0, to: 1, offsets: [] } as const
  const upkeep = Promise.withResolvers<void>()
  const step = database.alone(() => upkeep.promise)
  let isMade = false
  const wide = totals({ ...all, workspaceNo: 1, linkSeq: null }).then((answer) => {
    isMade = true
    return answer
  })
  const nothing = { clicks: 0, unique: 0, bots: 0 }
  // Time enough for the one that waits, if it didn't.
  for (let i = 0; i < 10; i++) {
    expect(await totals({ ...all, workspaceNo: 1, linkSeq: 4_294_967_297 })).toEqual(nothing)
  }
  expect(isMade).toBe(false)
  upkeep.resolve()
  await step
  expect(await wide).toEqual(nothing)
})

test('upkeep waits for a report on a workspace, and what fails holds nobody up', async () => {
  const lane = createLane(database, { inTurn: database.alone })
  const seen: string[] = []
  const report = lane.run(async ({ rows }) => {
    await rows(sql`SELECT 1`)
    seen.push('report')
    throw new Error('no')
  })
  // It asks for its turn as soon as those before it in its lane are done.
  await Promise.resolve()
  const step = database.alone(async () => void seen.push('step'))
  await expect(report).rejects.toThrow('no')
  await step
  expect(seen).toEqual(['report', 'step'])
})
