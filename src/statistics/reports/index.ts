import type { StatisticsDatabase } from '../store/duckdb.ts'
import type { ClickReports, Selection } from '../types.ts'
import { clicks } from './clicks.ts'
import { daily } from './daily.ts'
import { createExport } from './export.ts'
import { createLane } from './lane.ts'
import { type LinkFacts, NO_FACTS } from './names.ts'
import { series } from './series.ts'
import { top } from './top.ts'
import { totals } from './totals.ts'

export type { LinkFacts } from './names.ts'

/** What reports work with besides the clicks. */
export interface ReportOptions {
  /** What links and domains are called in exports, and the links that have a tag. */
  facts?: LinkFacts
  /** How long it is known how many visitors days have, in milliseconds; for tests. */
  numberedForMs?: number
}

/** {@link ClickReports} on DuckDB. */
export interface DuckReports extends ClickReports {
  /** The same, for somebody who may go away: their queries are interrupted then. */
  until(signal: AbortSignal): ClickReports
}

/** It is good enough to know how many visitors the largest day had some minutes ago. */
const NUMBERED_FOR_MS = 600_000
/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000

/**
 * Reports on the clicks in a statistics file. What is about one link doesn't wait for what is about
 * a workspace: there are two connections, each with one report at a time; exports have their own.
 */
export function createReports(
  database: StatisticsDatabase,
  { facts = NO_FACTS, numberedForMs = NUMBERED_FOR_MS }: ReportOptions = {},
): DuckReports {
  const narrow = createLane(database)
  const wide = createLane(database, numberedForMs)
  const laneOf = ({ linkSeq }: Selection) => (linkSeq === null ? wide : narrow)
  async function meant(selection: Selection): Promise<Selection> {
    const { workspaceNo, tags = [], to } = selection
    const linkSeqs = tags.length === 0 ? selection.linkSeqs : await facts.tagged(workspaceNo, tags)
    return { ...selection, linkSeqs, to: Math.min(to, LATEST_MS) }
  }
  const exporting = createExport(database, facts)

  function reportsUntil(signal?: AbortSignal): ClickReports {
    return {
      totals: (selection) =>
        laneOf(selection).run(async (asking) => totals(asking, await meant(selection)), signal),
      series: (selection, boundaries) =>
        laneOf(selection).run(
          async (asking) => series(asking, await meant(selection), boundaries),
          signal,
        ),
      top: (selection, dimension, limit) =>
        laneOf(selection).run(
          async (asking) => top(asking, await meant(selection), dimension, limit),
          signal,
        ),
      clicks: (selection, options) =>
        narrow.run(async (asking) => clicks(asking, await meant(selection), options), signal),
      daily: (linkSeqs, firstDay, days) =>
        narrow.run((asking) => daily(asking, linkSeqs, firstDay, days), signal),
      export: async (selection, format) => exporting(await meant(selection), format, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}
