import { type DuckDb, openDuckDb } from '../../src/statistics/engine/duckdb/index.ts'
import { eventually } from './eventually.ts'

/**
 * Opens the statistics of a server that has stopped. On a busy machine its process may still be closing
 * them.
 */
export function openFreed(
  file: string,
  options: Parameters<typeof openDuckDb>[1] = {},
): Promise<DuckDb> {
  return eventually('the statistics are free', () =>
    openDuckDb(file, options).catch(() => undefined),
  )
}
