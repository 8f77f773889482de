import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Quota } from './months.ts'
import { readJournal } from './segment-reader.ts'
import type { Position } from './segments.ts'
import { createTally, type Tally } from './tally.ts'

/** A click may be so far ahead of the clock; a later time is a clock that was wrong. */
const CLOCK_TOLERANCE_MS = 300_000
/** The largest batch: links and visitors in memory, and bytes of the journal. It takes no seconds. */
const BATCH = { size: 100_000, bytes: 67_108_864 }

/** The clicks between two positions of a journal, added up. */
export interface Batch {
  tally: Tally
  /** What the tally keeps to. */
  quotas: ReadonlyMap<number, Quota>
  from: Position
  to: Position
  /** Newest time that `last_clicked_at` may have; later ones come from a wrong clock. */
  latest: number
}

/**
 * Where the links' counters are kept: `counters.db`, or PostgreSQL for all nodes. Each method
 * throws when the store can't be used.
 */
export interface CounterStore {
  /** How far the journal of this data directory is counted. */
  watermark(): Promise<Position>
  /** The quotas of workspaces and months whose plan has one, by their keys in a tally. */
  quotas(months: readonly number[]): Promise<ReadonlyMap<number, Quota>>
  /**
   * Writes a batch together with the watermark, or nothing: false when the watermark isn't at
   * `from`, because another process has counted the same clicks, or when other nodes have used up
   * a quota that the tally keeps to. When the batch ends in another
   * segment than it began, it is on the disk before this returns.
   */
  apply(batch: Batch): Promise<boolean>
  /**
   * Adds rows for new links, removes those of deleted links (`deleted`, and others that it finds)
   * and the visitors of past days; a bounded part of each. True: new links are left.
   */
  maintain(deleted: readonly number[], now: number): Promise<boolean>
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
  let tally = createTally()
  let newest = 0
  const { end, records, complete, skipped } = readJournal(
    directory,
    from,
    (so) => tally.size < BATCH.size && so.bytes < BATCH.bytes,
    (record, at) => {
      tally.add(record, at)
      if (record[1] > newest) newest = record[1]
    },
  )
  if (end.segment === from.segment && end.offset === from.offset) {
    return { records: 0, complete, skipped: 0, newest: 0, watermark: from }
  }
  const quotas = await store.quotas([...tally.months.keys()])
  if ([...quotas].some(([key, { limit, used }]) => used + (tally.months.get(key) ?? 0) > limit)) {
    // Read again: only now is it known which clicks are too many.
    tally = createTally(quotas)
    readJournal(directory, from, () => true, tally.add, end)
  }
  const batch = { tally, quotas, from, to: end, latest: clock.now() + CLOCK_TOLERANCE_MS }
  if (await store.apply(batch)) {
    return { records, complete, skipped, newest, watermark: end }
  }
  return { records: 0, complete: false, skipped: 0, newest: 0, watermark: await store.watermark() }
}
