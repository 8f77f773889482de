import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bucketStarts, DAY_MS, INTERVALS, zoneOffsets } from '../../intervals.ts'
import { type ClickReports, DIMENSIONS, type Selection, type StoredClick } from '../../types.ts'
import { naive } from './naive.ts'
import { FIRST_DAY, LINKS, question, type World, world } from './world.ts'

/** An engine whose sums of days are under test. */
export interface SummingEngine {
  reports(): ClickReports
  /** Replaces the stored clicks; returns what the engine then holds. */
  store(it: World): Promise<World>
  /** Sums all days, however few clicks they have. */
  sum(): Promise<void>
  /** Stores clicks that come late, as a batch of a journal. */
  add(clicks: StoredClick[]): Promise<void>
  forget(link: number, before: number): Promise<void>
  /** Deletes all clicks without telling anyone. */
  loseClicks(): Promise<void>
  /** Worlds, with some questions each. */
  runs: number
  /** Runs as many worlds as there is time for, instead of `runs`; 0: not. */
  minutes: number
}

const DAYS = 10
const QUESTIONS = 4

const change = fc.oneof(
  fc.record({ kind: fc.constant('sum' as const) }),
  fc.record({ kind: fc.constant('late' as const), from: world }),
  fc.record({
    kind: fc.constant('forget' as const),
    link: fc.constantFrom(...LINKS),
    day: fc.nat(DAYS),
    at: fc.constantFrom(0, 4_321_000),
  }),
)

const asked = fc.record({
  question,
  dimension: fc.constantFrom(...DIMENSIONS),
  interval: fc.constantFrom(...INTERVALS),
})

/** Answers from sums are those from clicks, whatever becomes of the clicks. */
export function sumsContract({ reports: made, ...engine }: SummingEngine): void {
  test('sums answer as the clicks do after late and deleted clicks', async () => {
    const reports = made()
    let worlds = 0
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.array(asked, { minLength: QUESTIONS, maxLength: QUESTIONS }),
        async (given, changes, questions) => {
          worlds++
          const held = await engine.store(given)
          let { clicks, purged } = held
          await engine.sum()
          for (const it of changes) {
            if (it.kind === 'sum') await engine.sum()
            if (it.kind === 'late') {
              const late = it.from.clicks.map((click, i) => ({
                ...click,
                n: 1_000 + clicks.length + i,
              }))
              await engine.add(late)
              clicks = [...clicks, ...late]
            }
            if (it.kind === 'forget') {
              const before = (FIRST_DAY + it.day) * DAY_MS + it.at
              await engine.forget(it.link, before)
              clicks = clicks.filter((click) => click.linkSeq !== it.link || click.time >= before)
              purged = purged.filter(
                ({ link, day }) => link !== it.link || day >= Math.floor(before / DAY_MS),
              )
            }
            const recount = naive({ clicks, purged })
            for (const { question: about, dimension, interval } of questions) {
              const plain = { ...about.selection, filters: [], linkSeqs: null }
              delete (plain as Partial<Selection>).exceptSeqs
              for (const selection of [about.selection, plain]) {
                const starts = bucketStarts(selection, interval, about.zone) as number[]
                const boundaries = [selection.from, ...starts.slice(1), selection.to]
                expect(await reports.series(selection, boundaries)).toEqual(
                  recount.series(selection, boundaries),
                )
                expect(await reports.top(selection, dimension, 3)).toEqual(
                  recount.top(selection, dimension, 3),
                )
              }
            }
          }
        },
      ),
      engine.minutes === 0
        ? { numRuns: engine.runs }
        : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: engine.minutes * 60_000 },
    )
    if (engine.minutes > 0)
      console.log(`${worlds} worlds, at least ${worlds * QUESTIONS * 4} answers`)
  }, 3_600_000)

  test('whole days of any zone are read from the sums alone', async () => {
    const reports = made()
    const [given] = fc.sample(
      world.filter(({ clicks }) => clicks.length > 40),
      { numRuns: 1, seed: 33 },
    ) as [World]
    const { clicks } = await engine.store({ ...given, purged: [] })
    await engine.sum()
    await engine.loseClicks()
    const recount = naive({ clicks, purged: [] })
    const from = FIRST_DAY * DAY_MS
    const to = from + DAYS * DAY_MS
    // Each zone with another kind of traffic: every pair would only repeat the same statements.
    const pairs = [
      ['UTC', 'exclude'],
      ['America/New_York', 'include'],
      ['Asia/Kathmandu', 'only'],
    ] as const
    for (const [zone, bots] of pairs) {
      const selection: Selection = {
        workspaceNo: 1,
        linkSeq: null,
        linkSeqs: null,
        from,
        to,
        filters: [],
        bots,
        offsets: zoneOffsets(zone, from, to),
      }
      for (const interval of ['day', 'week', 'month'] as const) {
        const starts = bucketStarts(selection, interval, zone) as number[]
        const boundaries = [from, ...starts.slice(1), to]
        const series = await reports.series(selection, boundaries)
        expect(series).toEqual(recount.series(selection, boundaries))
      }
      for (const dimension of DIMENSIONS) {
        expect(await reports.top(selection, dimension, 5)).toEqual(
          recount.top(selection, dimension, 5),
        )
      }
    }
  }, 240_000)
}
