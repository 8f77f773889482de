import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStatistics, type StatisticsDatabase } from '../../store/duckdb.ts'
import { sql } from '../sql/index.ts'
import { createLane } from './index.ts'
import { createThreads } from './threads.ts'

const directory = mkdtempSync(join(tmpdir(), 'slugline-threads-'))
let database: StatisticsDatabase
beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
})
afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

async function threadsNow(): Promise<number> {
  const connection = await database.connect()
  const [row] = await connection.all<{ threads: bigint }>(
    "SELECT current_setting('threads') AS threads",
  )
  connection.close()
  return Number(row?.threads)
}

async function untilOneIsLeft(): Promise<void> {
  while ((await threadsNow()) !== 1) await new Promise((turn) => setImmediate(turn))
}

test('reports have all of them, and one is left a while after the last', async () => {
  const { use } = createThreads(database, 2, 0)
  expect(await threadsNow()).toBe(1)
  const end = Promise.withResolvers<void>()
  const first = use(() => end.promise)
  expect(await use(threadsNow)).toBe(2)
  await new Promise((turn) => setTimeout(turn, 5))
  expect(await threadsNow()).toBe(2)
  end.resolve()
  await first
  await untilOneIsLeft()
  await expect(use(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await untilOneIsLeft()
  expect(await use(threadsNow)).toBe(2)
  await untilOneIsLeft()
})

test('nobody is disturbed by their change', async () => {
  const lane = createLane(database, { threads: createThreads(database, 2, 0) })
  const rows = sql`SELECT sum(i) FROM range(300000) AS t(i)`
  for (let i = 0; i < 40; i++) {
    expect(await lane.run((asking) => asking.rows(rows))).toHaveLength(1)
    // One thread is left now and then, and not always between two of them.
    if (i % 2 === 1) await new Promise((turn) => setTimeout(turn, 1))
  }
  await untilOneIsLeft()
})
