import type { Click } from '../../clicks/enrich/click.ts'
import type { CountedClicks } from '../../clicks/months.ts'
import { CLICK_FLAGS, type ClickRecord } from '../../clicks/record.ts'
import { readJournal } from '../../clicks/segment-reader.ts'
import type { Position } from '../../clicks/segments.ts'
import type { SyncedEnd } from '../../clicks/synced-end.ts'
import type { StoredClick } from '../types.ts'

/**
 * Clicks after which no further block is read; a block of 1 MiB has up to 32,768 more. Behind a backlog the
 * process peaks some 60 MB lower than with 50,000, at the same CPU a click.
 */
const BATCH_CLICKS = 20_000
export interface GatherOptions {
  /** The directory of the journal. */
  directory: string
  enrich(record: ClickRecord): Click
  syncedEnd: SyncedEnd
  /** Which clicks are counted, and so synced: no others are read. Absent: all are. */
  counted?: (() => Promise<CountedClicks>) | undefined
  from: Position
  /** Where to end, if an earlier attempt has recorded it; else when the batch is full. */
  until?: Position | null
  /** For tests: clicks after which no further block is read. */
  limit?: number | undefined
}

/** A batch read from the journal. */
interface Gathered {
  /** In journal order; `n` is 0 until the engine numbers them. */
  clicks: StoredClick[]
  /** The journal is read up to here. */
  end: Position
  /** Damaged lines that were skipped. */
  skipped: number
  /** False: there is more to read. */
  complete: boolean
  /** Set when segments before the batch are missing: the time of the first click after the gap. */
  since?: number
}

/**
 * Reads a node's journal from `from` until the batch is full, the journal ends, or `until` is
 * reached. It yields to the event loop after each block.
 */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const { directory, enrich, from, until = null, limit = BATCH_CLICKS } = options
  const counted = await options.counted?.()
  // The rest is read once it is counted, or synced.
  const readable = until ?? counted?.until ?? (await options.syncedEnd(from))
  const clicks: StoredClick[] = []
  const take = (record: ClickRecord, at: Position) => {
    if ((record[3] & CLICK_FLAGS.countOnly) !== 0 || counted?.includes(record, at) === false) return
    clicks.push(Object.assign(enrich(record), { n: 0 }))
  }
  let end = from
  let skipped = 0
  let complete = false
  let gapBefore = 0
  let since: number | undefined
  for (;;) {
    let blocks = 0
    const oneBlock = () => blocks++ === 0
    const before = clicks.length
    const reading = readJournal(directory, end, oneBlock, take, readable)
    if (reading.gapBefore > 0) gapBefore = reading.gapBefore
    const oldest = clicks[before]
    if (gapBefore > 0 && oldest !== undefined) {
      since = oldest.time
      gapBefore = 0
    }
    const hasMoved = !isSame(reading.end, end)
    end = reading.end
    skipped += reading.skipped
    complete = reading.complete
    await new Promise<void>((resolve) => setImmediate(resolve))
    // A power failure may have taken a part of a batch that was begun: it is not waited for.
    if (complete || !hasMoved || (until !== null && isSame(end, until))) break
    if (until === null && clicks.length >= limit) break
  }
  // All clicks after an empty segment are newer than now.
  if (gapBefore > 0) since = Date.now()
  return {
    clicks,
    end: until ?? end,
    skipped,
    complete,
    ...(since !== undefined && { since }),
  }
}

/** Whether two positions in a journal are the same. */
export function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset
}
