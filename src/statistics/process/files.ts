import { statSync } from 'node:fs'
import { join } from 'node:path'

/** The statistics file of a data directory. */
export function statisticsFile(dataDir: string): string {
  return join(dataDir, 'statistics.duckdb')
}

/** Bytes of the file and its write-ahead log; 0: there is no file. */
export function fileBytesOf(file: string): number {
  return sizeOf(file) + sizeOf(`${file}.wal`)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
