import type { ClickRecord } from '../../clicks/record.ts'
import { readJournal } from '../../clicks/segment-reader.ts'
import type { Batch } from '../store/batch.ts'
import type { ClickWriter, Origin } from '../store/write.ts'
import type { Click } from '../types.ts'

/** A block of the journal (1 MiB) holds fewer records than this, the shortest that there are. */
const RECORDS_OF_A_BLOCK = 32_768

/** What one pass came to. */
export interface Pass {
  /** Clicks stored. */
  records: number
  /** Damaged lines passed over. */
  skipped: number
  /** False: more is waiting. */
  complete: boolean
  /** Time of the newest click stored; 0 when none was. */
  upTo: number
}

/** What {@link ingest} works with. */
export interface IngestOptions {
  /** The journal's. */
  directory: string
  writer: ClickWriter
  /** Empty; used again by the next pass. */
  batch: Batch
  enrich(record: ClickRecord): Click
  /** Called with the batch when it is stored, before it is cleared. */
  stored?: (batch: Batch) => void
}

/**
 * Stores what has gathered in the journal, up to a batch. The event loop turns between its blocks.
 * When it rejects nothing of the batch is stored, and the next pass begins where this one did.
 */
export async function ingest(options: IngestOptions): Promise<Pass> {
  const { directory, writer, batch, enrich, stored } = options
  batch.clear()
  const from = writer.watermark
  let end = from
  let skipped = 0
  let complete = false
  let origin: Origin | undefined
  let gapBefore = 0
  let firstTime = 0
  const take = (record: ClickRecord) => {
    if (firstTime === 0) firstTime = record[1]
    batch.add(enrich(record))
  }
  do {
    let first = true
    const oneBlock = () => {
      const goesOn = first
      first = false
      return goesOn
    }
    firstTime = 0
    const reading = readJournal(directory, end, oneBlock, take)
    if (reading.gapBefore > 0) gapBefore = reading.gapBefore
    if (gapBefore > 0 && reading.records > 0) {
      origin = { segment: gapBefore, since: firstTime }
      gapBefore = 0
    }
    skipped += reading.skipped
    end = reading.end
    complete = reading.complete
    await new Promise<void>((turn) => setImmediate(turn))
  } while (!complete && batch.size + RECORDS_OF_A_BLOCK <= batch.capacity)
  const records = batch.size
  const upTo = batch.latest
  if (end.segment !== from.segment || end.offset !== from.offset) {
    // Whatever comes behind an empty segment comes later than now.
    if (gapBefore > 0) origin = { segment: gapBefore, since: Date.now() }
    await writer.write(batch, end, origin)
    stored?.(batch)
  }
  batch.clear()
  return { records, skipped, complete, upTo }
}
