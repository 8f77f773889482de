import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Where the clicks of a data directory are kept. */
export function statisticsFile(dataDir: string): string {
  return join(dataDir, 'statistics.duckdb')
}

/** Bytes of the file and its log; 0: it isn't there. */
export function fileBytesOf(file: string): number {
  return sizeOf(file) + sizeOf(`${file}.wal`)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
