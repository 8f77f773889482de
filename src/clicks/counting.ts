import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { readJournal } from './segment-reader.ts'
import type { Position } from './segments.ts'
import { createTally, type Tally } from './tally.ts'

/** A click may be so far ahead of the clock; a later time is a clock that was wrong. */
const CLOCK_TOLERANCE_MS = 300_000

/**
 * Where the links' counters are kept: `counters.db`, or PostgreSQL for all nodes. Each method
 * throws when the store can't be used.
 */
export interface CounterStore {
  /** The largest batch: links and visitors in memory, and bytes of the journal. */
  readonly batch: { size: number; bytes: number }
  /** How far the journal of this data directory is counted. */
  watermark(): Position | Promise<Position>
  /**
   * Writes a batch together with the watermark, or nothing: false when the watermark isn't at
   * `from`, because another process has counted the same clicks. When the batch ends in another
   * segment than it began, it is on the disk before this returns.
   *
   * @param latest newest time that `last_clicked_at` may have; later ones come from a wrong clock
   */
  apply(
    tally: Tally,
    range: { from: Position; to: Position },
    latest: number,
  ): boolean | Promise<boolean>
  /**
   * Adds rows for new links, removes those of deleted links (`deleted`, and others that it finds)
   * and the visitors of past days; a bounded part of each. True: new links are left.
   */
  maintain(deleted: readonly number[], now: number): boolean | Promise<boolean>
  close(): void | Promise<void>
}

/** Links that were deleted for good: a notice to the click worker. */
export interface DeletedLinks {
  deletedLinks: readonly number[]
}

/** The click worker's task; see `Worker` in `workers/run.ts`. */
export interface ClickCounter {
  /** Counts what has gathered in the journal, up to a batch. */
  pass(): Promise<{
    records: number
    more: boolean
    progress: { watermark: Position; upTo: number; skipped: number }
  }>
  notice(notice: DeletedLinks): void
  failed(error: unknown, isFirst: boolean): void
  report(): null
  close(): Promise<void>
}

/** What a click counter works with. `directory`: the journal's. */
export interface ClickCounterOptions {
  directory: string
  store: CounterStore
  clock: Clock
  logger?: Pick<Logger, 'warn'> | undefined
}

/** Counts a journal into a store, which it closes at its end. */
export function createClickCounter(options: ClickCounterOptions): ClickCounter {
  const { store, clock, logger } = options
  let upTo = 0
  let skipped = 0
  let deleted: number[] = []
  return {
    async pass() {
      const counted = await countBatch(options)
      upTo = Math.max(upTo, counted.newest)
      skipped += counted.skipped
      const gone = deleted
      deleted = []
      const isLeft = await store.maintain(gone, clock.now())
      const { records, complete, watermark } = counted
      return { records, more: isLeft || !complete, progress: { watermark, upTo, skipped } }
    },
    notice: ({ deletedLinks }) => void deleted.push(...deletedLinks),
    failed(err, isFirst) {
      // Once, however long it lasts: a database may be away for an hour.
      if (isFirst) logger?.warn({ err }, 'Clicks can not be counted; trying again')
    },
    report: () => null,
    async close() {
      try {
        await store.close()
      } catch (err) {
        logger?.warn({ err }, 'The counters do not close')
      }
    },
  }
}

/** Counts one batch. The watermark is read anew each time: only the store knows what it holds. */
async function countBatch({ directory, store, clock }: ClickCounterOptions) {
  const from = await store.watermark()
  const { size, bytes } = store.batch
  const tally = createTally()
  let newest = 0
  const reading = readJournal(
    directory,
    from,
    (so) => tally.size < size && so.bytes < bytes,
    (record) => {
      tally.add(record)
      if (record[1] > newest) newest = record[1]
    },
  )
  const { end, records, complete, skipped } = reading
  if (end.segment === from.segment && end.offset === from.offset) {
    return { records: 0, complete, skipped: 0, newest: 0, watermark: from }
  }
  const range = { from, to: end }
  if (await store.apply(tally, range, clock.now() + CLOCK_TOLERANCE_MS)) {
    return { records, complete, skipped, newest, watermark: end }
  }
  return { records: 0, complete: false, skipped: 0, newest: 0, watermark: await store.watermark() }
}
