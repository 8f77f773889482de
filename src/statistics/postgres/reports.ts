import type { Storage } from '../../storage/index.ts'
import { type LinkFacts, NO_FACTS } from '../reports/names.ts'
import type { AskableReports, ClickReports, Selection } from '../types.ts'
import { between, withTotals } from '../with-totals.ts'
import { type Ask, series, top, totals } from './counts.ts'
import { createExport } from './export.ts'
import { clicks, daily } from './lists.ts'

/** What reports work with. */
export interface PostgresReportsOptions {
  storage: Pick<Storage, 'reports'>
  /** Where a Parquet file is put together. */
  directory: string
  facts?: LinkFacts
}

/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000

/** Questions about a whole workspace that are asked at once: others keep a connection. */
const WIDE_AT_ONCE = 2

/**
 * Reports on the clicks in PostgreSQL. What is about one link doesn't wait for what is about a
 * workspace. What whoever goes away still waits for isn't asked any more.
 */
export function createPostgresReports(options: PostgresReportsOptions): AskableReports {
  const { storage, directory, facts = NO_FACTS } = options

  async function meant(selection: Selection): Promise<Selection> {
    const { workspaceNo, tags = [], from, to } = selection
    return {
      ...selection,
      linkSeqs: tags.length === 0 ? selection.linkSeqs : await facts.tagged(workspaceNo, tags),
      from: Math.max(0, Math.min(from, LATEST_MS)),
      to: Math.max(0, Math.min(to, LATEST_MS)),
    }
  }
  const askUntil =
    (signal?: AbortSignal): Ask =>
    async <R>(query: Parameters<Ask>[0]) => {
      signal?.throwIfAborted()
      const { rows } = await query.execute(storage.reports.db)
      return rows as R[]
    }
  const gate = createGate(WIDE_AT_ONCE)
  const exporting = createExport({ askUntil, directory, facts })

  function reportsUntil(signal?: AbortSignal): ClickReports {
    const ask = askUntil(signal)
    const wide: Ask = (query) => gate(() => ask(query))
    const askOf = ({ linkSeq }: Selection) => (linkSeq === null ? wide : ask)
    return {
      totals: async (selection) => totals(askOf(selection), await meant(selection)),
      async series(asked, boundaries) {
        const selection = between(await meant(asked), boundaries)
        return await withTotals(boundaries, series(askOf(asked), selection, boundaries), () =>
          totals(askOf(asked), selection),
        )
      },
      top: async (selection, dimension, limit) =>
        top(askOf(selection), await meant(selection), dimension, limit),
      clicks: async (selection, options) => clicks(ask, await meant(selection), options),
      daily: (linkSeqs, firstDay, days) => daily(ask, linkSeqs, firstDay, days),
      export: async (selection, format) => exporting(await meant(selection), format, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}

/** Runs so many at once, the others in the order in which they came. */
function createGate(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) running++
    else await new Promise<void>((turn) => waiting.push(turn))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
