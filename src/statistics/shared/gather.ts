import type { ClickRecord } from '../../clicks/record.ts'
import { readJournal } from '../../clicks/segment-reader.ts'
import type { Position } from '../../clicks/segments.ts'
import type { Batch } from '../store/batch.ts'
import type { Click } from '../types.ts'

/** A block of the journal (1 MiB) holds fewer records than this, the shortest that there are. */
const RECORDS_OF_A_BLOCK = 32_768

/** What {@link gather} works with. */
export interface GatherOptions {
  /** The journal's. */
  directory: string
  enrich(record: ClickRecord): Click
  into: Batch
  from: Position
  /** Where to end, if that was said before; else when the batch is full. */
  until?: Position | null
}

/**
 * Reads a node's journal on from `from` until the batch is full, the journal ends, or `until` is
 * reached. The event loop turns between its blocks.
 */
export async function gather(options: GatherOptions) {
  const { directory, enrich, into, from, until = null } = options
  const take = (record: ClickRecord) => into.add(enrich(record))
  let end = from
  let skipped = 0
  let complete = false
  for (;;) {
    let first = true
    const oneBlock = () => {
      const goesOn = first
      first = false
      return goesOn
    }
    const reading = readJournal(directory, end, oneBlock, take, until ?? undefined)
    const hasMoved = !isSame(reading.end, end)
    end = reading.end
    skipped += reading.skipped
    complete = reading.complete
    await new Promise<void>((turn) => setImmediate(turn))
    // What a power cut took of a batch that was begun isn't waited for.
    if (complete || !hasMoved || (until !== null && isSame(end, until))) break
    if (until === null && into.size + RECORDS_OF_A_BLOCK > into.capacity) break
  }
  return { end: until ?? end, skipped, complete }
}

/** Whether two positions in a journal are one. */
export function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset
}
