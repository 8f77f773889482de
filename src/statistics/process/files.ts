import { join } from 'node:path'

/** The statistics file of a data directory. */
export function statisticsFile(dataDir: string): string {
  return join(dataDir, 'statistics.duckdb')
}

/** DuckDB's log of a statistics file: commits that aren't in the file yet. */
export function statisticsLog(file: string): string {
  return `${file}.wal`
}

/** Where a log is kept as it was, before its damaged end was cut off; the last one. */
export function damagedLog(file: string): string {
  return `${file}.wal.damaged`
}
