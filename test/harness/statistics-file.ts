import { openStatistics, type StatisticsDatabase } from '../../src/statistics/store/duckdb.ts'
import { eventually } from './eventually.ts'

/**
 * Opens the statistics of a server that has stopped. On a busy machine its process may still be closing
 * them.
 */
export function openFreed(
  file: string,
  options: Parameters<typeof openStatistics>[1] = {},
): Promise<StatisticsDatabase> {
  return eventually('the statistics are free', () =>
    openStatistics(file, options).catch(() => undefined),
  )
}
