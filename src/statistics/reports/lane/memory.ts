import type { StatisticsDatabase } from '../../store/duckdb.ts'

/** With more than this (bytes) in use after a report, what it took is given back. */
const MUCH_MEMORY = 280_000_000
/** The collector takes some milliseconds: so rarely, unless this much (bytes) has come since. */
const COLLECT_EVERY_MS = 1_000
const COLLECT_FROM = 40_000_000

/** What reports that are made at once take of the process's memory. */
export interface Memory {
  /** Makes a report. */
  use<T>(work: () => Promise<T>): Promise<T>
}

const turn = () => new Promise<void>((turned) => setImmediate(turned))

/**
 * Gives back what was read of the file, once a report has been answered and while no other is made: for a
 * moment DuckDB has a low limit, and would refuse whatever else it is asked. A report that comes meanwhile waits.
 * @param much bytes that may stay in use after a report
 */
export function createMemory(
  { releaseMemory }: Pick<StatisticsDatabase, 'releaseMemory'>,
  much = MUCH_MEMORY,
): Memory {
  const rss = process.memoryUsage.rss
  let running = 0
  let collected = { at: Number.NEGATIVE_INFINITY, left: 0 }
  let giving: Promise<void> | undefined

  /** DuckDB's results are large, and few: the collector thinks that they can wait. */
  function collect(): void {
    const isLate = performance.now() - collected.at >= COLLECT_EVERY_MS
    if (!isLate && rss() - collected.left < COLLECT_FROM) return
    Bun.gc(true)
    collected = { at: performance.now(), left: rss() }
  }

  async function give(): Promise<void> {
    // Whoever has asked gets the answer first.
    await turn()
    collect()
    if (running === 0) await releaseMemory().catch(() => {})
    giving = undefined
  }

  return {
    async use(work) {
      await giving
      running++
      try {
        return await work()
      } finally {
        running--
        if (rss() > much) giving ??= give()
      }
    },
  }
}
