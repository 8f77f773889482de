import type { ClickRecord } from '../../clicks/record.ts'
import { readJournal } from '../../clicks/segment-reader.ts'
import type { Position } from '../../clicks/segments.ts'
import type { Batch } from '../store/batch.ts'
import type { ClickWriter } from '../store/write.ts'
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
  let begun: Position | undefined
  const take = (record: ClickRecord) => batch.add(enrich(record))
  do {
    let first = true
    const oneBlock = () => {
      const goesOn = first
      first = false
      return goesOn
    }
    const reading = readJournal(directory, end, oneBlock, take)
    // Behind { 0, 0 } the journal begins where its oldest segment does.
    if (reading.records > 0) begun ??= { segment: reading.end.segment, offset: 0 }
    skipped += reading.skipped
    end = reading.end
    complete = reading.complete
    await new Promise<void>((turn) => setImmediate(turn))
  } while (!complete && batch.size + RECORDS_OF_A_BLOCK <= batch.capacity)
  const records = batch.size
  const upTo = batch.latest
  if (end.segment !== from.segment || end.offset !== from.offset) {
    await writer.write(batch, end, begun ?? from)
    stored?.(batch)
  }
  batch.clear()
  return { records, skipped, complete, upTo }
}
