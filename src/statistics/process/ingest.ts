import type { ClickRecord } from '../../clicks/record.ts'
import type { ClickWriter } from '../engine/types.ts'
import { type GatherOptions, gather, isSame } from '../ingest/gather.ts'
import type { Click } from '../types.ts'

/** The result of one pass over the journal. */
export interface Pass {
  /** Clicks stored. */
  records: number
  /** Damaged lines skipped. */
  skipped: number
  /** False: there is more to store. */
  complete: boolean
  /** Time of the newest click stored; 0 when there was none. */
  upTo: number
}

/** What {@link ingest} works with. */
export interface IngestOptions {
  /** The directory of the journal. */
  directory: string
  writer: ClickWriter
  enrich(record: ClickRecord): Click
  /** See `gather`. */
  counted?: GatherOptions['counted']
}

/**
 * Stores a batch from the journal. When it rejects, nothing of the batch is stored, and the next pass
 * begins at the same place.
 */
export async function ingest({ writer, ...options }: IngestOptions): Promise<Pass> {
  const from = writer.watermark
  const { clicks, end, skipped, complete, origin } = await gather({ ...options, from })
  if (!isSame(end, from)) await writer.write(clicks, end, origin)
  const upTo = clicks.reduce((latest, { time }) => Math.max(latest, time), 0)
  return { records: clicks.length, skipped, complete, upTo }
}
