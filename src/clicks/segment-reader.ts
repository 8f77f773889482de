import { closeSync, openSync, readSync } from 'node:fs'
import { type ClickRecord, decodeRecord } from './record.ts'
import { listSegments, type Position, segmentFile, segmentSize } from './segments.ts'

const BLOCK_BYTES = 1_048_576
const END: Position = { segment: Number.MAX_SAFE_INTEGER, offset: Number.MAX_SAFE_INTEGER }

/** The result of reading the journal. */
interface Reading {
  /** The position after the last record read. */
  end: Position
  records: number
  bytes: number
  /** Damaged lines, or those of another version, that no crash explains. */
  skipped: number
  /** False: it was stopped before the journal's end, or `until`. */
  complete: boolean
  /** Unread segments before this one are missing; 0: none. */
  gapBefore: number
}

/** Whether to continue; called before each block. */
type GoesOn = (reading: Readonly<Reading>) => boolean

/** Receives each record, and its position. */
type TakeRecord = (record: ClickRecord, at: Position) => void

/**
 * Reads the journal from a position and passes each complete record to `take`. A line needs its
 * newline: what follows the last one is still being written in the newest segment, and is the rest
 * of a crash in an older one. `until`: a position after a record, to stop at.
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
  /** Reads one segment up to `limit`; false if it was stopped. */
  function readSegment(limit: number): boolean {
    const { end } = reading
    const descriptor = openSync(segmentFile(directory, end.segment), 'r')
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    try {
      for (;;) {
        if (!goesOn(reading)) return false
        const wanted = Math.min(BLOCK_BYTES, limit - end.offset)
        if (wanted <= 0) return true
        const bytes = readSync(descriptor, block, 0, wanted, end.offset)
        const length = block.subarray(0, bytes).lastIndexOf(0x0a) + 1
        if (length === 0) {
          if (bytes < BLOCK_BYTES) return true
          // No record is this long: garbage.
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

  // Listed before reading: all but the last were complete before they are read.
  const segments = listSegments(directory)
  const newest = segments.at(-1)
  let isPartRead = from.offset > 0
  for (const segment of segments) {
    if (segment < from.segment) continue
    if (segment > until.segment) break
    if (segment > reading.end.segment) {
      // Segments in between were deleted because all of them had been processed; so was the one that
      // was read in part, unless an empty one follows: see `createTrimmer`.
      const isCutOff = isPartRead && !segments.includes(from.segment)
      if (segment > reading.end.segment + 1 || (isCutOff && segmentSize(directory, segment) > 0)) {
        reading.gapBefore = segment
      }
      isPartRead = false
      reading.end = { segment, offset: 0 }
    }
    const limit = segment === until.segment ? until.offset : END.offset
    if (!readSegment(limit)) return reading
    if (segment === until.segment) break
    if (segment !== newest) reading.end = { segment: segment + 1, offset: 0 }
  }
  reading.complete = true
  return reading
}
