import { type DuckDb, openDuckDb } from '../../src/statistics/engine/duckdb/index.ts'
import { eventually } from './eventually.ts'

/** Opens the statistics of a stopped server, waiting until its process has closed them. */
export function openFreed(
  file: string,
  options: Parameters<typeof openDuckDb>[1] = {},
): Promise<DuckDb> {
  return eventually('the statistics are free', () =>
    openDuckDb(file, options).catch(() => undefined),
  )
}
