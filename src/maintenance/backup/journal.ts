import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import {
  journalDirectory,
  journalOwner,
  listSegments,
  ownJournal,
  segmentFile,
} from '../../clicks/index.ts'
import { cutTornTail } from '../../clicks/journal-io.ts'

const BLOCK_BYTES = 1_048_576

/** Holds segments of a journal open, so that they can be read after they are deleted. */
export function holdSegments(dataDir: string) {
  const directory = journalDirectory(dataDir)
  const held = new Map<number, number>()
  return {
    /** Opens the existing segments that aren't open yet. */
    hold(): void {
      for (const no of listSegments(directory)) {
        if (held.has(no)) continue
        try {
          held.set(no, openSync(segmentFile(directory, no), 'r'))
        } catch (error) {
          // Deleted since they were listed.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        }
      }
    },
    /** Whether the open segments are consecutive. */
    get isWhole(): boolean {
      const numbers = [...held.keys()].sort((a, b) => a - b)
      return numbers.every((no, at) => at === 0 || no === (numbers[at - 1] as number) + 1)
    },
    /** Copies them, each up to its last complete line, to another data directory. */
    copyTo(dataDir: string): void {
      const to = journalDirectory(dataDir)
      mkdirSync(to, { mode: 0o700 })
      const owner = journalOwner(directory)
      if (owner !== null) ownJournal(to, owner)
      for (const [no, from] of held) {
        copy(from, segmentFile(to, no))
        cutTornTail(segmentFile(to, no))
      }
    },
    close(): void {
      for (const descriptor of held.values()) closeSync(descriptor)
      held.clear()
    },
  }
}

function copy(from: number, file: string): void {
  const to = openSync(file, 'wx', 0o600)
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  try {
    for (let at = 0; ; ) {
      const bytes = readSync(from, block, 0, BLOCK_BYTES, at)
      if (bytes === 0) return
      for (let done = 0; done < bytes; ) done += writeSync(to, block, done, bytes - done)
      at += bytes
    }
  } finally {
    closeSync(to)
  }
}
