import type { StatisticsDatabase } from '../store/duckdb.ts'

/** With more than this (bytes) in use after a report, what it took is given back. */
const MUCH_MEMORY = 280_000_000
const COLLECT_EVERY_MS = 1_000

/** What reports that are made at once take of the process's memory. */
export interface Memory {
  /** Makes a report. */
  use<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Gives back what was read of the file while no report is made: for a moment DuckDB has a low limit, and
 * would refuse whatever else it is asked. A report that comes meanwhile waits.
 */
export function createMemory({ releaseMemory }: Pick<StatisticsDatabase, 'releaseMemory'>): Memory {
  let running = 0
  let collectedAt = Number.NEGATIVE_INFINITY
  let releasing = Promise.resolve()
  return {
    async use(work) {
      await releasing
      running++
      try {
        return await work()
      } finally {
        running--
        if (process.memoryUsage.rss() > MUCH_MEMORY) {
          // The columns that were counted are large, and few: the collector thinks that they can wait.
          if (performance.now() - collectedAt >= COLLECT_EVERY_MS) {
            Bun.gc(true)
            collectedAt = performance.now()
          }
          if (running === 0) {
            releasing = releaseMemory().catch(() => {})
            await releasing
          }
        }
      }
    },
  }
}
