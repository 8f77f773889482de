import { join } from 'node:path'

/** The statistics file of a data directory. */
export function statisticsFile(dataDir: string): string {
  return join(dataDir, 'statistics.duckdb')
}
