import { readFileSync } from 'node:fs'
import { systemCall } from './libc.ts'

/** madvise(2) and its MADV_DONTNEED. */
const MADVISE: Partial<Record<NodeJS.Architecture, number>> = { x64: 28, arm64: 233 }
const DONT_NEED = 4n

/**
 * Lets go of the memory in which DuckDB's code lies, some 25 MB: what of it runs again is mapped again
 * from the file's pages, which the kernel keeps as long as it has room.
 */
export function letGoOfCode(): void {
  const number = MADVISE[process.arch]
  if (number === undefined || systemCall === null) return
  try {
    for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
      const found = /^([0-9a-f]+)-([0-9a-f]+) r-xp .*duckdb[^/]*$/.exec(line)
      if (found === null) continue
      const start = BigInt(`0x${found[1]}`)
      systemCall(number, start, BigInt(`0x${found[2]}`) - start, DONT_NEED)
    }
  } catch {
    // It stays, then.
  }
}
