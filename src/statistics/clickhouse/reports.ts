import type { ExportNames } from '../reports/names.ts'
import { NO_NAMES } from '../reports/names.ts'
import type { ClickReports, Selection } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { type Ask, series, top, totals } from './counts.ts'
import { createExport } from './export.ts'
import { clicks, daily } from './lists.ts'

/** {@link ClickReports} on ClickHouse. */
export interface ClickHouseReports extends ClickReports {
  /** The same, for somebody who may go away: their queries are broken off then. */
  until(signal: AbortSignal): ClickReports
}

/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000

/** Reports on the clicks in ClickHouse, as many at once as its connections. */
export function createClickHouseReports(
  clickHouse: ClickHouse,
  { names = NO_NAMES }: { names?: ExportNames } = {},
): ClickHouseReports {
  const bounded = (selection: Selection): Selection => ({
    ...selection,
    from: Math.max(0, Math.min(selection.from, LATEST_MS)),
    to: Math.max(0, Math.min(selection.to, LATEST_MS)),
  })
  const exporting = createExport(clickHouse, names)

  function reportsUntil(signal?: AbortSignal): ClickReports {
    const ask: Ask = (query) => clickHouse.rows(query, signal)
    return {
      totals: (selection) => totals(ask, bounded(selection)),
      series: (selection, boundaries) => series(ask, bounded(selection), boundaries),
      top: (selection, dimension, limit) => top(ask, bounded(selection), dimension, limit),
      clicks: (selection, options) => clicks(ask, bounded(selection), options),
      daily: (linkSeqs, firstDay, days) => daily(ask, linkSeqs, firstDay, days),
      export: async (selection, format) => exporting(bounded(selection), format, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}
