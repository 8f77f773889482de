import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { GROUPS } from '../../columns.ts'
import type { LinkFacts } from '../../engine/types.ts'
import { bucketStarts, DAY_MS, INTERVALS } from '../../intervals.ts'
import {
  type ClickPosition,
  type ClickReports,
  type Counts,
  DIMENSIONS,
  type ListedClick,
  type Members,
  type StoredClick,
} from '../../types.ts'
import { naive } from './naive.ts'
import { FIRST_DAY, LINKS, question, totalsOf, type World, world } from './world.ts'

/** An engine under test. */
export interface EngineUnderTest {
  reports(): ClickReports
  /** Replaces the stored clicks; returns what the engine then holds. */
  store(it: World): Promise<World>
  /** Worlds, with some questions each. */
  runs: number
  /** Runs as many worlds as there is time for, instead of `runs`; 0: not. */
  minutes?: number
}

const QUESTIONS = 6

let members: Members = { links: '', groups: '', values: [] }

/** What the engines under test know of links. */
export const FACTS: LinkFacts = {
  links: async () => new Map(),
  grouped: async () => [],
  inFolders: async () => [],
  members: async () => members,
  domains: async () => new Map(),
}

/** Links in none, one or several of three groups. */
const grouped = fc.array(fc.subarray([1, 2, 3]), { minLength: 3, maxLength: 3 }).map((given) => {
  const pairs = given.flatMap((groups, i) => groups.map((group) => [LINKS[i], group]))
  const list = (at: 0 | 1) => pairs.map((pair) => pair[at]).join(',')
  return { links: list(0), groups: list(1), values: ['b', 'a', 'c'] }
})

/** Every engine's reports must answer as the naive recount does. */
export function reportsContract(engine: EngineUnderTest): void {
  const { reports: made, store, runs, minutes = 0 } = engine
  test('any question is answered as the naive recount answers it', async () => {
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
            const totals = await totalsOf(reports, selection)
            expect(totals).toEqual(recount.totals(selection))

            const starts = bucketStarts(selection, interval, zone) as number[]
            for (const first of [selection.from, starts[0] as number]) {
              const boundaries = [first, ...starts.slice(1), selection.to]
              const series = await reports.series(selection, boundaries)
              expect(series).toEqual(recount.series(selection, boundaries))
              expect(series.totals).toEqual(totals)
              expect(sum(series.buckets, 'clicks')).toBe(totals.clicks)
              expect(sum(series.buckets, 'bots')).toBe(totals.bots)
            }

            const top = await reports.top(selection, dimension, limit)
            expect(top).toEqual(recount.top(selection, dimension, limit))
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

  test('tags and folders are counted by their links, as the naive recount counts them', async () => {
    const reports = made()
    const asked = fc.record({ question, by: fc.constantFrom(...GROUPS), limit: fc.nat(4) })
    await fc.assert(
      fc.asyncProperty(
        world,
        grouped,
        fc.array(asked, { minLength: QUESTIONS, maxLength: QUESTIONS }),
        async (given, some, questions) => {
          const recount = naive(await store(given))
          members = some
          for (const { question: about, by, limit } of questions) {
            const { selection } = about
            const top = await reports.top(selection, by, limit + 1)
            expect(top).toEqual(recount.topGroups(selection, some, limit + 1))
          }
        },
      ),
      { numRuns: runs },
    )
  }, 3_600_000)

  test('a range before the first click, which ends before it begins, has no clicks', async () => {
    const reports = made()
    const asked = fc.record({ question, dimension: fc.constantFrom(...DIMENSIONS) })
    await fc.assert(
      fc.asyncProperty(asked, async ({ question: { selection }, dimension }) => {
        const empty = { ...selection, to: selection.from - DAY_MS }
        const { values, other } = await reports.top(empty, dimension, 2)
        expect([values, other.clicks, other.bots]).toEqual([[], 0, 0])
      }),
      { numRuns: runs },
    )
  }, 600_000)

  test('clicks with bots are those of humans and those of bots and previews', async () => {
    const reports = made()
    await fc.assert(
      fc.asyncProperty(world, question, async (given, { selection }) => {
        await store(given)
        const [humans, all, rest] = await Promise.all(
          (['exclude', 'include', 'only'] as const).map((bots) =>
            totalsOf(reports, { ...selection, bots }),
          ),
        )
        expect(all?.clicks).toBe((humans?.clicks ?? 0) + (humans?.bots ?? 0))
        expect(all?.unique).toBe((humans?.unique ?? 0) + (rest?.unique ?? 0))
        expect([all?.bots, rest?.clicks]).toEqual([humans?.bots, humans?.bots])
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  }, 600_000)

  test('single clicks are those of the naive list, from both ends', async () => {
    const reports = made()
    await fc.assert(
      fc.asyncProperty(world, question, fc.integer({ min: 1, max: 20 }), async (...args) => {
        const [given, { selection }, limit] = args
        const expected = naive(await store(given))
          .clicks(selection)
          .map(withoutVisitor)
        const pages: unknown[] = []
        let before: ClickPosition | null = null
        for (;;) {
          const page: ListedClick[] = await reports.clicks(selection, { before, limit })
          pages.push(...page)
          const last = page.at(-1)
          if (page.length < limit || last === undefined) break
          before = { time: last.time, n: last.n }
        }
        expect(pages).toEqual(expected)
        const after = { time: selection.from, n: -1 }
        const oldest = await reports.clicks(selection, { after, limit })
        expect(oldest).toEqual(expected.toReversed().slice(0, limit))
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  }, 600_000)

  test('sparklines are the human clicks of each day', async () => {
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
        expect(found).toEqual(
          links.map((link) => [
            link,
            Array.from({ length: days }, (_, day) => ofDay(link, first + day)),
          ]),
        )
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  }, 600_000)
}

function withoutVisitor({ visitor: _, ...click }: StoredClick): ListedClick {
  return click
}

function sum(counts: readonly Pick<Counts, 'clicks' | 'bots'>[], name: 'clicks' | 'bots'): number {
  return counts.reduce((all, count) => all + count[name], 0)
}
