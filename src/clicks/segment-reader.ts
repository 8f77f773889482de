import { closeSync, openSync, readSync } from 'node:fs'
import { type ClickRecord, decodeRecord } from './record.ts'
import { listSegments, type Position, segmentFile } from './segments.ts'

const BLOCK_BYTES = 1_048_576
const END: Position = { segment: Number.MAX_SAFE_INTEGER, offset: Number.MAX_SAFE_INTEGER }

/** What one reading of the journal came to. */
interface Reading {
  /** Behind the last record that was read. */
  end: Position
  records: number
  bytes: number
  /** Lines that no crash of ours explains: damaged, or of another version. */
  skipped: number
  /** False: it was told to stop before the journal's end. */
  complete: boolean
  /** Segments before this one are gone that weren't read up to here; 0: none. */
  gapBefore: number
}

/** Whether a reading goes on; asked before each block. */
type GoesOn = (reading: Readonly<Reading>) => boolean

/** Gets each record, and where it begins. */
type TakeRecord = (record: ClickRecord, at: Position) => void

/**
 * Reads the journal from a position on and hands every whole record to `take`. A line counts only
 * with its newline: what follows the last one of the newest segment is still being written, and
 * in an older segment it is what a crash left. `until`: a place behind a record, to stop at.
 */
export function readJournal(
  directory: string,
  from: Position,
  goesOn: GoesOn,
  take: TakeRecord,
  until: Position = END,
): Reading {
  const reading: Reading = {
    end: { ...from },
    records: 0,
    bytes: 0,
    skipped: 0,
    complete: false,
    gapBefore: 0,
  }
  /** Reads on in one segment up to `limit`; false when it was told to stop. */
  function readSegment(limit: number): boolean {
    const { end } = reading
    const descriptor = openSync(segmentFile(directory, end.segment), 'r')
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    try {
      for (;;) {
        if (!goesOn(reading)) return false
        const wanted = Math.min(BLOCK_BYTES, limit - end.offset)
        if (wanted <= 0) return false
        const bytes = readSync(descriptor, block, 0, wanted, end.offset)
        const length = block.subarray(0, bytes).lastIndexOf(0x0a) + 1
        if (length === 0) {
          if (bytes < BLOCK_BYTES) return true
          // No record is so long: garbage.
          end.offset += bytes
          reading.skipped++
          continue
        }
        reading.bytes += length
        for (const line of block.toString('latin1', 0, length - 1).split('\n')) {
          const record = decodeRecord(line)
          if (record === null) {
            reading.skipped++
          } else {
            reading.records++
            take(record, { ...end })
          }
          end.offset += line.length + 1
        }
      }
    } finally {
      closeSync(descriptor)
    }
  }

  // Listed before anything is read: then all but the last were finished before they are read.
  const segments = listSegments(directory)
  const newest = segments.at(-1)
  for (const segment of segments) {
    if (segment < from.segment) continue
    if (segment > until.segment) return reading
    if (segment > reading.end.segment) {
      // The next one is what follows a segment that was deleted because it was done with.
      if (segment > reading.end.segment + 1) reading.gapBefore = segment
      reading.end = { segment, offset: 0 }
    }
    const limit = segment === until.segment ? until.offset : END.offset
    if (!readSegment(limit)) return reading
    if (segment !== newest) reading.end = { segment: segment + 1, offset: 0 }
  }
  reading.complete = true
  return reading
}
