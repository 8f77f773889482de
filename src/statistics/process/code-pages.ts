import { readFileSync } from 'node:fs'
import { systemCall } from './libc.ts'

/** madvise(2) and its MADV_DONTNEED. */
const MADVISE: Partial<Record<NodeJS.Architecture, number>> = { x64: 28, arm64: 233 }
const DONT_NEED = 4n

/**
 * Lets go of the memory in which the programs lie, DuckDB's code and Bun's, some 60 MB: what of it is
 * used again is mapped again from the file's pages, which the kernel keeps as long as it has room.
 */
export function letGoOfCode(): void {
  const number = MADVISE[process.arch]
  if (number === undefined || systemCall === null) return
  try {
    for (const { start, end } of untouched(readFileSync('/proc/self/smaps', 'utf8'))) {
      systemCall(number, start, end - start, DONT_NEED)
    }
  } catch {
    // It stays, then.
  }
}

/**
 * What of a process's memory (its `smaps`, see proc(5)) is as it lies in a file, and can't be written.
 * Pages that a linker has changed would come back as they were before.
 */
export function* untouched(smaps: string): Generator<{ start: bigint; end: bigint }> {
  for (const mapping of smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const found = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]\d* +\//.exec(mapping)
    if (found === null) continue
    if (!/^Anonymous: +0 kB$/m.test(mapping) || !/^Swap: +0 kB$/m.test(mapping)) continue
    yield { start: BigInt(`0x${found[1]}`), end: BigInt(`0x${found[2]}`) }
  }
}
