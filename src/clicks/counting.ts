import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { CounterStore } from './counters.ts'
import type { Quota } from './months.ts'
import { readJournal } from './segment-reader.ts'
import type { Position } from './segments.ts'
import { createSyncedEnd, type SyncedEnd } from './synced-end.ts'
import { createTally, type Tally } from './tally.ts'

/** How far a click may be ahead of the clock; a later time comes from a wrong clock. */
const CLOCK_TOLERANCE_MS = 300_000
/** The largest batch, which bounds memory and time. */
const BATCH = { size: 100_000, bytes: 67_108_864 }

/** The clicks between two positions of a journal, summed up. */
export interface Batch {
  tally: Tally
  /** The limits of the tally. */
  quotas: ReadonlyMap<number, Quota>
  from: Position
  to: Position
  /** The latest possible `last_clicked_at`; later times come from a wrong clock. */
  latest: number
}

/** Links that were purged, or whose imported clicks changed: a message to the click worker. */
export interface ChangedLinks {
  changedLinks: readonly number[]
}

interface ClickCounterOptions {
  /** The journal's directory. */
  directory: string
  store: CounterStore
  clock: Clock
  logger?: Pick<Logger, 'warn'> | undefined
}

/** The task of the click worker: counts a journal into a store. See `Worker` in clicks/workers/run.ts. */
export function createClickCounter(options: ClickCounterOptions) {
  const { directory, store, clock, logger } = options
  const syncedEnd = createSyncedEnd(directory)
  let upTo = 0
  let skipped = 0
  let changed: number[] = []
  return {
    /** Counts new clicks of the journal, up to a batch. */
    async pass() {
      const counted = await countBatch(options, syncedEnd)
      upTo = Math.max(upTo, counted.newest)
      skipped += counted.skipped
      const links = changed
      changed = []
      const isLeft = await store.maintain(links, clock.now())
      const { records, complete, watermark } = counted
      return { records, more: isLeft || !complete, progress: { watermark, upTo, skipped } }
    },
    notice: ({ changedLinks }: ChangedLinks) => void changed.push(...changedLinks),
    failed(err: unknown, isFirst: boolean) {
      // Logged once per outage, because a database may be down for an hour.
      if (isFirst) logger?.warn({ err }, 'Clicks can not be counted; trying again')
    },
    report: () => null,
    async close() {
      try {
        await store.close()
      } catch (err) {
        logger?.warn({ err }, 'The counters could not be closed')
      }
    },
  }
}

export type ClickCounter = ReturnType<typeof createClickCounter>

/** Counts a batch. The watermark is read each time, because only the store knows it. */
async function countBatch({ directory, store, clock }: ClickCounterOptions, syncedEnd: SyncedEnd) {
  const from = await store.watermark()
  const until = await syncedEnd(from)
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
    until,
  )
  if (end.segment === from.segment && end.offset === from.offset) {
    return { records: 0, complete, skipped: 0, newest: 0, watermark: from }
  }
  const quotas = await store.quotas([...tally.months.keys()])
  if ([...quotas].some(([key, { limit, used }]) => used + (tally.months.get(key) ?? 0) > limit)) {
    // Read again now that the clicks above the quota are known.
    tally = createTally(quotas)
    readJournal(directory, from, () => true, tally.add, end)
  }
  const batch = { tally, quotas, from, to: end, latest: clock.now() + CLOCK_TOLERANCE_MS }
  if (await store.apply(batch)) {
    return { records, complete, skipped, newest, watermark: end }
  }
  return { records: 0, complete: false, skipped: 0, newest: 0, watermark: await store.watermark() }
}
