import type { ClickRecord } from '../../clicks/record.ts'
import { readJournal } from '../../clicks/segment-reader.ts'
import type { Position } from '../../clicks/segments.ts'
import type { Click } from '../types.ts'

/** Upper bound of the records in one block of the journal (1 MiB): the shortest take 32 bytes. */
const RECORDS_PER_BLOCK = 32_768
/** Clicks of a batch at most, about 20 MB of memory. */
export const BATCH_CAPACITY = 65_536

/** Where the stored clicks begin when older segments of the journal are missing. */
export interface Origin {
  segment: number
  /** Milliseconds since the Unix epoch. */
  since: number
}

/** Clicks that are stored together, in the order of the journal. */
export interface Batch {
  clicks: Click[]
  /** Where the next batch begins. */
  end: Position
  /** Damaged lines that were skipped. */
  skipped: number
  /** False: the journal holds more. */
  complete: boolean
  /** Time of the newest click; 0: none. */
  upTo: number
  /** Set when segments that were not read are gone. */
  origin: Origin | undefined
}

/** What one pass stored. */
export interface Pass {
  /** Clicks stored. */
  records: number
  /** Damaged lines that were skipped. */
  skipped: number
  /** False: the journal holds more. */
  complete: boolean
  /** Time of the newest click stored; 0: none. */
  upTo: number
}

/** What {@link readBatch} reads. */
export interface BatchOptions {
  /** The journal's. */
  directory: string
  from: Position
  /** Where the batch ends, if that was decided before; otherwise it ends when it is full. */
  until?: Position | null
  enrich(record: ClickRecord): Click
  /** Clicks at most, 32,768 or more. */
  capacity?: number
}

/**
 * Reads the journal from `from` until the batch is full, the journal ends or `until` is reached.
 * Yields to the event loop between blocks.
 */
export async function readBatch(options: BatchOptions): Promise<Batch> {
  const { directory, from, until = null, enrich, capacity = BATCH_CAPACITY } = options
  const batch: Batch = {
    clicks: [],
    end: from,
    skipped: 0,
    complete: false,
    upTo: 0,
    origin: undefined,
  }
  let gapBefore = 0
  let firstTime = 0
  const take = (record: ClickRecord) => {
    const click = enrich(record)
    if (firstTime === 0) firstTime = click.time
    if (click.time > batch.upTo) batch.upTo = click.time
    batch.clicks.push(click)
  }
  for (;;) {
    let blocks = 0
    firstTime = 0
    const reading = readJournal(
      directory,
      batch.end,
      () => blocks++ === 0,
      take,
      until ?? undefined,
    )
    const hasMoved = !isSame(reading.end, batch.end)
    batch.end = reading.end
    batch.skipped += reading.skipped
    batch.complete = reading.complete
    if (reading.gapBefore > 0) gapBefore = reading.gapBefore
    if (gapBefore > 0 && reading.records > 0) {
      batch.origin = { segment: gapBefore, since: firstTime }
      gapBefore = 0
    }
    await new Promise<void>((turn) => setImmediate(turn))
    // A power cut may have removed the end of a batch that was begun: it is not waited for.
    if (batch.complete || !hasMoved || (until !== null && isSame(batch.end, until))) break
    if (until === null && batch.clicks.length + RECORDS_PER_BLOCK > capacity) break
  }
  if (until !== null) batch.end = until
  // Clicks after an empty segment come later than now.
  if (gapBefore > 0) batch.origin = { segment: gapBefore, since: Date.now() }
  return batch
}

/** Whether two positions in a journal are equal. */
export function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset
}
