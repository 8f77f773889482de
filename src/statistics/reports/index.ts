import type { StatisticsDatabase } from '../store/duckdb.ts'
import type { ClickReports, Selection } from '../types.ts'
import { clicks } from './clicks.ts'
import { daily } from './daily.ts'
import { createExport } from './export.ts'
import { createLane } from './lane.ts'
import { type ExportNames, NO_NAMES } from './names.ts'
import { series } from './series.ts'
import { top } from './top.ts'
import { totals } from './totals.ts'

export type { ExportNames } from './names.ts'

/** What reports work with besides the clicks. */
export interface ReportOptions {
  /** What links and domains are called in exports. */
  names?: ExportNames
}

/** {@link ClickReports} on DuckDB. */
export interface DuckReports extends ClickReports {
  /** The same, for somebody who may go away: their queries are interrupted then. */
  until(signal: AbortSignal): ClickReports
}

/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000

/**
 * Reports on the clicks in a statistics file. What is about one link doesn't wait for what is about
 * a workspace: there are two connections, each with one report at a time; exports have their own.
 */
export function createReports(
  database: StatisticsDatabase,
  { names = NO_NAMES }: ReportOptions = {},
): DuckReports {
  const narrow = createLane(database)
  const wide = createLane(database)
  const laneOf = ({ linkSeq }: Selection) => (linkSeq === null ? wide : narrow)
  const bounded = (selection: Selection) =>
    selection.to > LATEST_MS ? { ...selection, to: LATEST_MS } : selection
  const exporting = createExport(database, names)

  function reportsUntil(signal?: AbortSignal): ClickReports {
    return {
      totals: (selection) =>
        laneOf(selection).run((asking) => totals(asking, bounded(selection)), signal),
      series: (selection, boundaries) =>
        laneOf(selection).run((asking) => series(asking, bounded(selection), boundaries), signal),
      top: (selection, dimension, limit) =>
        laneOf(selection).run(
          (asking) => top(asking, bounded(selection), dimension, limit),
          signal,
        ),
      clicks: (selection, options) =>
        narrow.run((asking) => clicks(asking, bounded(selection), options), signal),
      daily: (linkSeqs, firstDay, days) =>
        narrow.run((asking) => daily(asking, linkSeqs, firstDay, days), signal),
      export: async (selection, format) => exporting(bounded(selection), format, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}
