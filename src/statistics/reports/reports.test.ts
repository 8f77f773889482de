import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { bucketStarts, INTERVALS } from '../intervals.ts'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../store/duckdb.ts'
import { type Counts, DIMENSIONS } from '../types.ts'
import { createReports, type DuckReports } from './index.ts'
import { naive } from './testing/naive.ts'
import { question, store, world } from './testing/world.ts'

/** Worlds, with as many questions each; as many as there is time for: `PROPERTY_MINUTES=5`. */
const RUNS = 40
const MINUTES = Number(process.env.PROPERTY_MINUTES ?? 0)
const LENGTH: fc.Parameters<unknown> =
  MINUTES === 0
    ? { numRuns: RUNS }
    : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: MINUTES * 60_000 }
const QUESTIONS = 6

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

test('any question is answered as a naive recount answers it', async () => {
  const asked = fc.record({
    question,
    dimension: fc.constantFrom(...DIMENSIONS),
    limit: fc.integer({ min: 1, max: 4 }),
    interval: fc.constantFrom(...INTERVALS),
  })
  let worlds = 0
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(asked, { minLength: QUESTIONS, maxLength: QUESTIONS }),
      async (it, questions) => {
        worlds++
        await store(connection, it)
        const recount = naive(it)
        for (const { question: about, dimension, limit, interval } of questions) {
          const { selection, zone } = about
          const totals = await reports.totals(selection)
          expect(totals).toEqual(recount.totals(selection))

          const starts = bucketStarts(selection, interval, zone) as number[]
          for (const first of [selection.from, starts[0] as number]) {
            const boundaries = [first, ...starts.slice(1), selection.to]
            const series = await reports.series(selection, boundaries)
            expect(series).toEqual(recount.series(selection, boundaries))
            expect(sum(series, 'clicks')).toBe(totals.clicks)
            expect(sum(series, 'bots')).toBe(totals.bots)
          }

          const top = await reports.top(selection, dimension, limit)
          expect(top).toEqual(recount.top(selection, dimension, limit))
          expect(await outdated.top(selection, dimension, limit)).toEqual(top)
          expect(sum([...top.values, top.other], 'clicks')).toBe(totals.clicks)
          expect(sum([...top.values, top.other], 'bots')).toBe(totals.bots)
        }
      },
    ),
    LENGTH,
  )
  if (MINUTES > 0) console.log(`${worlds} worlds, ${worlds * QUESTIONS} questions`)
}, 3_600_000)

test('clicks with bots and previews are people’s and theirs together', async () => {
  await fc.assert(
    fc.asyncProperty(world, question, async (it, { selection }) => {
      await store(connection, { ...it, rolled: [] })
      const [people, all, others] = await Promise.all(
        (['exclude', 'include', 'only'] as const).map((bots) =>
          reports.totals({ ...selection, bots }),
        ),
      )
      expect(all?.clicks).toBe((people?.clicks ?? 0) + (people?.bots ?? 0))
      expect(all?.unique).toBe((people?.unique ?? 0) + (others?.unique ?? 0))
      expect([all?.bots, others?.clicks]).toEqual([people?.bots, people?.bots])
    }),
    { numRuns: RUNS },
  )
}, 60_000)

function sum(counts: readonly Counts[], name: keyof Counts): number {
  return counts.reduce((all, count) => all + count[name], 0)
}
