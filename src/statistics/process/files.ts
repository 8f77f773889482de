import { join } from 'node:path'

/** Where the clicks of a data directory are kept. */
export function statisticsFile(dataDir: string): string {
  return join(dataDir, 'statistics.duckdb')
}
