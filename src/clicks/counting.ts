import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import { MAINTAIN_EVERY_MS } from './counters.ts'
import type { FollowingCounters } from './following-counters.ts'
import { readJournal } from './segment-reader.ts'
import { createSyncedEnd, type SyncedEnd } from './synced-end.ts'
import { createTally } from './tally.ts'
import type { CounterStore, MaintenanceLeft } from './types.ts'

/** How far a click may be ahead of the clock; a later time comes from a wrong clock. */
const CLOCK_TOLERANCE_MS = 300_000
/** The largest batch, which bounds memory and time. */
const BATCH = { size: 100_000, bytes: 67_108_864 }

/** Links that were purged, or whose imported clicks changed: a message to the click worker. */
export interface ChangedLinks {
  changedLinks: readonly number[]
}

/** What the click worker reports with each pass. */
export interface CountingReport {
  /** The counters can't be used until the serving process has made them anew. */
  damaged: boolean
}

interface ClickCounterOptions {
  /** The journal's directory. */
  directory: string
  store: CounterStore & Partial<Pick<FollowingCounters, 'damaged'>>
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
  let left: MaintenanceLeft = 'none'
  let maintainedAt = 0

  async function maintain(): Promise<void> {
    const links = [...changed]
    maintainedAt = performance.now()
    left = await store.maintain(links, clock.now())
    // Only now: if it fails, the next pass has them.
    changed = changed.slice(links.length)
  }

  const report = (): CountingReport => ({ damaged: store.damaged?.() === true })
  return {
    /** Counts new clicks of the journal, up to a batch. */
    async pass() {
      const counted = await countBatch(options, syncedEnd)
      upTo = Math.max(upTo, counted.newest)
      skipped += counted.skipped
      await maintain()
      const { records, complete, watermark } = counted
      return { records, more: left === 'some' || !complete, progress: { watermark, upTo, skipped } }
    },
    /** For links that were made just after a pass, when no other pass follows. */
    maintenance: {
      get due() {
        return (
          left === 'some' ||
          (left === 'later' && performance.now() - maintainedAt >= MAINTAIN_EVERY_MS)
        )
      },
      step: maintain,
    },
    notice: ({ changedLinks }: ChangedLinks) => void changed.push(...changedLinks),
    failed(err: unknown, isFirst: boolean) {
      // Logged once per outage, because a database may be down for an hour. The serving process,
      // which mends damaged counters, logs that.
      if (isFirst && !report().damaged)
        logger?.warn({ err }, 'Clicks can not be counted; trying again')
    },
    report,
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
