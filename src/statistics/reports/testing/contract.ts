import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bucketStarts, INTERVALS } from '../../intervals.ts'
import {
  type ClickPosition,
  type ClickReports,
  type Counts,
  DIMENSIONS,
  type StoredClick,
} from '../../types.ts'
import { naive } from './naive.ts'
import { FIRST_DAY, LINKS, question, type World, world } from './world.ts'

/** A store of clicks, as the contract wants it. */
export interface Engine {
  reports(): ClickReports
  /** Stores a world instead of the one before; gives it back, less what the engine never holds. */
  store(it: World): Promise<World>
  /** Worlds, with some questions each. */
  runs: number
  /** As many worlds as there is time for, instead; 0: `runs`. */
  minutes?: number
  /** Others whose answers are held against the first's. */
  others?(): readonly ClickReports[]
}

const QUESTIONS = 6

/** What every engine's reports must do: answer as a naive recount of everything does. */
export function reportsContract(engine: Engine): void {
  const { reports: made, store, runs, minutes = 0, others = () => [] } = engine
  test('any question is answered as a naive recount answers it', async () => {
    const reports = made()
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
        async (given, questions) => {
          worlds++
          const recount = naive(await store(given))
          for (const { question: about, dimension, limit, interval } of questions) {
            const { selection, zone } = about
            const totals = await reports.totals(selection)
            expect(totals).toEqual(recount.totals(selection))
            for (const other of others()) expect(await other.totals(selection)).toEqual(totals)

            const starts = bucketStarts(selection, interval, zone) as number[]
            for (const first of [selection.from, starts[0] as number]) {
              const boundaries = [first, ...starts.slice(1), selection.to]
              const series = await reports.series(selection, boundaries)
              expect(series).toEqual(recount.series(selection, boundaries))
              expect(series.totals).toEqual(totals)
              expect(sum(series.buckets, 'clicks')).toBe(totals.clicks)
              expect(sum(series.buckets, 'bots')).toBe(totals.bots)
              for (const other of others()) {
                expect(await other.series(selection, boundaries)).toEqual(series)
              }
            }

            const top = await reports.top(selection, dimension, limit)
            expect(top).toEqual(recount.top(selection, dimension, limit))
            for (const other of others()) {
              expect(await other.top(selection, dimension, limit)).toEqual(top)
            }
            expect(sum([...top.values, top.other], 'clicks')).toBe(totals.clicks)
            expect(sum([...top.values, top.other], 'bots')).toBe(totals.bots)
          }
        },
      ),
      minutes === 0
        ? { numRuns: runs }
        : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: minutes * 60_000 },
    )
    if (minutes > 0) console.log(`${worlds} worlds, ${worlds * QUESTIONS} questions`)
  }, 3_600_000)

  test('clicks with bots and previews are people’s and theirs together', async () => {
    const reports = made()
    await fc.assert(
      fc.asyncProperty(world, question, async (given, { selection }) => {
        await store(given)
        const [people, all, rest] = await Promise.all(
          (['exclude', 'include', 'only'] as const).map((bots) =>
            reports.totals({ ...selection, bots }),
          ),
        )
        expect(all?.clicks).toBe((people?.clicks ?? 0) + (people?.bots ?? 0))
        expect(all?.unique).toBe((people?.unique ?? 0) + (rest?.unique ?? 0))
        expect([all?.bots, rest?.clicks]).toEqual([people?.bots, people?.bots])
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  }, 60_000)

  test('single clicks come as a naive list has them, from both ends', async () => {
    const reports = made()
    await fc.assert(
      fc.asyncProperty(world, question, fc.integer({ min: 1, max: 20 }), async (...args) => {
        const [given, { selection }, limit] = args
        const expected = naive(await store(given))
          .clicks(selection)
          .map(untold)
        const pages: unknown[] = []
        let before: ClickPosition | null = null
        for (;;) {
          const page: StoredClick[] = await reports.clicks(selection, { before, limit })
          pages.push(...page.map(untold))
          const last = page.at(-1)
          if (page.length < limit || last === undefined) break
          before = { time: last.time, n: last.n }
        }
        expect(pages).toEqual(expected)
        const after = { time: selection.from, n: -1 }
        const oldest = await reports.clicks(selection, { after, limit })
        expect(oldest.map(untold)).toEqual(expected.toReversed().slice(0, limit))
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  }, 120_000)

  test('sparklines are the people of each day', async () => {
    const reports = made()
    const bots = 'exclude'
    await fc.assert(
      fc.asyncProperty(world, fc.subarray(LINKS), fc.nat(12), async (given, links, days) => {
        const recount = naive(await store(given))
        const first = FIRST_DAY - 3
        const found = await reports.daily(links, first, days)
        const ofDay = (linkSeq: number, day: number) =>
          recount.totals({
            workspaceNo: 1,
            linkSeq,
            linkSeqs: null,
            from: day * DAY_MS,
            to: (day + 1) * DAY_MS,
            filters: [],
            bots,
            offsets: [],
          }).clicks
        expect([...found]).toEqual(
          links.map((link) => [
            link,
            Array.from({ length: days }, (_, day) => ofDay(link, first + day)),
          ]),
        )
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  }, 60_000)
}

const DAY_MS = 86_400_000

/** Some engines number visitors anew. */
function untold({ visitor: _, ...click }: StoredClick): Omit<StoredClick, 'visitor'> {
  return click
}

function sum(counts: readonly Counts[], name: keyof Counts): number {
  return counts.reduce((all, count) => all + count[name], 0)
}
