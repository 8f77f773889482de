import { availableParallelism } from 'node:os'
import type { StatisticsDatabase } from '../store/duckdb.ts'
import type { AskableReports, ClickReports, Selection, Series } from '../types.ts'
import { between } from '../with-totals.ts'
import { createHotLinks, QUERIED_FROM } from './counting/hot.ts'
import type { Answer, Wish } from './counting/index.ts'
import { CLICKS_AT_MOST } from './counting/read.ts'
import { createExport } from './export/index.ts'
import { createLane, createLanes } from './lane/index.ts'
import { createMemory } from './lane/memory.ts'
import { remembering } from './lane/remembering.ts'
import { createThreads } from './lane/threads.ts'
import { createLinkQuestions } from './link-questions.ts'
import { type LinkFacts, NO_FACTS } from './names.ts'
import { clicks } from './queries/clicks.ts'
import { daily } from './queries/daily.ts'
import { byQueries } from './queries/index.ts'
import { findToRead } from './reading/choice.ts'
import { READING, type ReadingSizes, readAnswer } from './reading/index.ts'
import { countsOf } from './totals.ts'

export type { LinkFacts } from './names.ts'

/** What reports work with besides the clicks. */
export interface ReportOptions {
  /** What links and domains are called in exports, and the links that have a tag. */
  facts?: LinkFacts
  /** Clicks of a link that are read and counted; more of them are by queries. For tests. */
  countedAtMost?: number
  /** Clicks of a link from which on queries answer what one of them can. For tests. */
  queriedFrom?: number
  /** How much of a workspace is read and counted. For tests. */
  reading?: Partial<ReadingSizes>
}

/** Reports on links that are made at once. */
const NARROW_LANES = 2
/** For a report: one thread takes up to 0.4 seconds for ten million clicks. */
const THREADS = 2
/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000
const NOTHING: Series = { totals: { clicks: 0, unique: 0, bots: 0 }, buckets: [] }

/**
 * Reports on the clicks in a statistics file. What is about one link doesn't wait for what is about
 * a workspace: each lane has a connection with one report at a time; exports have their own. A report on a
 * workspace takes turns with the upkeep of the file.
 *
 * Clicks are read and counted; what is rolled up of a workspace, and too many clicks, are counted by
 * queries. Those of somebody who goes away are interrupted.
 */
export function createReports(
  database: StatisticsDatabase,
  {
    facts = NO_FACTS,
    countedAtMost = CLICKS_AT_MOST,
    queriedFrom = QUERIED_FROM,
    reading = {},
  }: ReportOptions = {},
): AskableReports {
  const shared = {
    memory: createMemory(database),
    threads: createThreads(database, Math.min(THREADS, availableParallelism())),
  }
  const narrow = createLanes(
    Array.from({ length: NARROW_LANES }, () => createLane(database, shared)),
  )
  const wide = createLane(database, { ...shared, inTurn: database.alone })
  const sizes = { ...READING, ...reading }
  const hot = createHotLinks(queriedFrom)
  const linkQuestions = createLinkQuestions(narrow, { atMost: countedAtMost, hot })
  async function meant(selection: Selection): Promise<Selection> {
    const { workspaceNo, tags = [], to } = selection
    const linkSeqs = tags.length === 0 ? selection.linkSeqs : await facts.tagged(workspaceNo, tags)
    return { ...selection, linkSeqs, to: Math.min(to, LATEST_MS) }
  }
  const exporting = createExport(database, facts)

  async function answer<W extends Wish>(
    selection: Selection,
    wish: W,
    signal: AbortSignal | undefined,
  ): Promise<Answer<W>> {
    if (selection.linkSeq !== null) return await linkQuestions.ask(selection, wish, signal)
    return await wide.run(async (plain) => {
      const asking = remembering(plain)
      const toRead = sizes.atMost > 0 ? await findToRead(asking, selection, wish) : null
      const answer = toRead && (await readAnswer(asking, selection, wish, toRead, sizes))
      return answer ?? (await byQueries(asking, selection, wish))
    }, signal)
  }

  function reportsUntil(signal?: AbortSignal): ClickReports {
    return {
      async totals(asked) {
        const selection = await meant(asked)
        const boundaries = [selection.from, selection.to]
        const { totals } = await answer(selection, { boundaries }, signal)
        return countsOf(totals, selection.bots)
      },
      async series(asked, boundaries) {
        if (boundaries.length < 2) return NOTHING
        const selection = between(await meant(asked), boundaries)
        const { totals, buckets } = await answer(selection, { boundaries }, signal)
        return {
          totals: countsOf(totals, selection.bots),
          buckets: buckets.map((bucket) => countsOf(bucket, selection.bots)),
        }
      },
      top: async (selection, dimension, limit) =>
        answer(await meant(selection), { dimension, limit }, signal),
      async clicks(asked, options) {
        const selection = await meant(asked)
        const perDay = hot.perDay(selection)
        return await narrow.run((asking) => clicks(asking, selection, options, perDay), signal)
      },
      daily: (linkSeqs, firstDay, days) =>
        narrow.run((asking) => daily(asking, linkSeqs, firstDay, days), signal),
      export: async (selection, format) => exporting(await meant(selection), format, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}
