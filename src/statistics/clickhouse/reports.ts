import { type LinkFacts, NO_FACTS } from '../reports/names.ts'
import type { AskableReports, ClickReports, Selection } from '../types.ts'
import { between, withTotals } from '../with-totals.ts'
import type { ClickHouse } from './client.ts'
import { type Ask, series, top, totals } from './counts.ts'
import { createExport } from './export.ts'
import { clicks, daily } from './lists.ts'

/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000

/**
 * Reports on the clicks in ClickHouse, as many at once as its connections. The server ends queries of
 * whoever goes away.
 */
export function createClickHouseReports(
  clickHouse: ClickHouse,
  { facts = NO_FACTS }: { facts?: LinkFacts } = {},
): AskableReports {
  async function meant(selection: Selection): Promise<Selection> {
    const { workspaceNo, tags = [], from, to } = selection
    return {
      ...selection,
      linkSeqs: tags.length === 0 ? selection.linkSeqs : await facts.tagged(workspaceNo, tags),
      from: Math.max(0, Math.min(from, LATEST_MS)),
      to: Math.max(0, Math.min(to, LATEST_MS)),
    }
  }
  const exporting = createExport(clickHouse, facts)

  function reportsUntil(signal?: AbortSignal): ClickReports {
    const ask: Ask = (query) => clickHouse.rows(query, signal)
    return {
      totals: async (selection) => totals(ask, await meant(selection)),
      async series(asked, boundaries) {
        const selection = between(await meant(asked), boundaries)
        return await withTotals(boundaries, series(ask, selection, boundaries), () =>
          totals(ask, selection),
        )
      },
      top: async (selection, dimension, limit) =>
        top(ask, await meant(selection), dimension, limit),
      clicks: async (selection, options) => clicks(ask, await meant(selection), options),
      daily: (linkSeqs, firstDay, days) => daily(ask, linkSeqs, firstDay, days),
      export: async (selection, format) => exporting(await meant(selection), format, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}
