import { setPriority } from 'node:os'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { databaseFiles, openSqlite, type SqliteConnection } from '../storage/index.ts'
import { createCounters } from './counters.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { readJournal } from './segment-reader.ts'
import { journalDirectory, type Position } from './segments.ts'
import { createTally } from './tally.ts'

/** What the click worker runs with. Times in milliseconds. */
export interface ClickWorkerOptions {
  dataDir: string
  /** How far it gives way to the serving process: see setpriority(2). */
  niceness?: number
  clock?: Clock
  logger?: Pick<Logger, 'warn' | 'error'>
  /** Ends by itself after this long without anything to do. */
  idleMs?: number
  /** Opens what counts; by default the counters of the data directory. */
  open?: () => Promise<ClickWork>
}

/** One batch: links and visitors in memory, and bytes of the journal, at most. */
const BATCH = { size: 200_000, bytes: 268_435_456 }
const ADMITTED_PER_PASS = 20_000
const SWEPT_PER_PASS = 2_000
const PURGED_PER_PASS = 5_000
/** A WAL is checkpointed when so many pages wait. */
const WAL_PAGES = 1_000
/**
 * Under load, passes are rare and large: clicks of one link are then written together. At 400
 * clicks a second or less they are 100 ms apart, from 20,000 on five seconds.
 */
const GAP_MS = { least: 100, most: 5_000, perClickPerSecond: 0.25 }
const AFTER_ERROR_MS = 1_000

/** What one pass came to. */
export interface ClickPass {
  records: number
  more: boolean
  watermark: Position
  countedUpTo: number
}

/** One worker's work, apart from when it is done. */
export interface ClickWork {
  /** Counts what has gathered, up to a batch. */
  pass(): ClickPass | Promise<ClickPass>
  /** Links that were deleted: their counters go with the next pass. */
  forget(seqs: readonly number[]): void
  /** Damaged lines so far. */
  readonly skipped: number
  close(): void | Promise<void>
}

/** Work that is done at once, as the embedded one is. */
export interface EmbeddedClickWork extends ClickWork {
  pass(): ClickPass
  close(): void
}

/** Opens both databases: the counters to write them, the links to read and to checkpoint them. */
export function openClickWork(dataDir: string, clock: Clock): EmbeddedClickWork {
  const files = databaseFiles(dataDir)
  const directory = journalDirectory(dataDir)
  const main = openSqlite(files.main, { cacheBytes: 2_097_152 })
  const own = openSqlite(files.counters, { cacheBytes: 16_777_216 })
  const counters = createCounters(own.raw, main.raw)
  let watermark = counters.watermark()
  let countedUpTo = 0
  let skipped = 0
  let gone: number[] = []
  let admittedAt = -1
  let sweptAt = -1
  let sweeping = -1

  function count(): { records: number; complete: boolean } {
    const tally = createTally()
    const goesOn = ({ bytes }: { bytes: number }) => tally.size < BATCH.size && bytes < BATCH.bytes
    const reading = readJournal(directory, watermark, goesOn, (record) => {
      tally.add(record)
      if (record[1] > countedUpTo) countedUpTo = record[1]
    })
    const { end, records, complete } = reading
    if (end.segment === watermark.segment && end.offset === watermark.offset) {
      return { records: 0, complete }
    }
    if (!counters.apply(tally, watermark, end)) {
      watermark = counters.watermark()
      return { records: 0, complete: false }
    }
    skipped += reading.skipped
    // Segments are deleted once we say that they are counted: then the counts must survive a power
    // cut, which a checkpoint sees to (it syncs the WAL first).
    if (end.segment > watermark.segment) checkpoint(own, 0)
    watermark = end
    return { records, complete }
  }

  /** New links get their rows, deleted ones lose theirs. True: there are more. */
  function followLinks(): boolean {
    counters.forget(gone)
    gone = []
    const version = counters.linksVersion()
    let more = false
    if (version !== admittedAt) {
      more = counters.admit(ADMITTED_PER_PASS) === ADMITTED_PER_PASS
      if (!more) admittedAt = version
    }
    // A round of all rows after the links have changed, for deletions that nobody told us of.
    if (version !== sweptAt || sweeping >= 0) {
      if (sweeping < 0) sweeping = version
      if (counters.sweep(SWEPT_PER_PASS)) {
        sweptAt = sweeping
        sweeping = -1
      }
    }
    return more
  }

  return {
    pass() {
      const { records, complete } = count()
      const more = followLinks()
      counters.purge(clock.now(), PURGED_PER_PASS)
      checkpoint(main, WAL_PAGES)
      checkpoint(own, WAL_PAGES)
      return { records, more: more || !complete, watermark, countedUpTo }
    },
    forget: (seqs) => void gone.push(...seqs),
    get skipped() {
      return skipped
    },
    close() {
      checkpoint(main, 0)
      checkpoint(own, 0)
      main.close()
      own.close()
    },
  }
}

/** Copies the WAL into the file as far as readers allow, when more than `pages` wait. */
function checkpoint({ raw }: SqliteConnection, pages: number): void {
  const wal = raw.query('PRAGMA wal_checkpoint(NOOP)').get() as {
    log: number
    checkpointed: number
  }
  if (wal.log - wal.checkpointed > pages) raw.run('PRAGMA wal_checkpoint(PASSIVE)')
}

/**
 * The click worker: a child of the serving process, which pokes it over IPC when there is
 * something to count. Resolves when it was told to finish, when nothing came for a while, or when
 * the parent is gone. It may be killed at any point: a batch is counted wholly or not at all.
 */
export async function runClickWorker(options: ClickWorkerOptions): Promise<void> {
  const { dataDir, niceness = 0, clock = systemClock, logger, idleMs = 15_000 } = options
  const work = (await options.open?.()) ?? openClickWork(dataDir, clock)
  try {
    setPriority(niceness)
  } catch {
    // Not allowed here: then both are equal.
  }
  let poked = true
  let finishing = false
  let orphaned = false
  let failing = false
  let wake = () => {}
  let lastPassAt = performance.now() - GAP_MS.most

  const onMessage = (message: ToWorker) => {
    if (message.kind === 'finish') finishing = true
    else if (message.gone !== undefined) work.forget(message.gone)
    poked = true
    wake()
  }
  const onDisconnect = () => {
    orphaned = true
    wake()
  }
  // Ctrl-C reaches the whole group: the serving process decides when we end.
  const onInterrupt = () => {}
  const onTerminate = () => {
    finishing = true
    wake()
  }
  process.on('message', onMessage)
  process.on('disconnect', onDisconnect)
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)

  /** Resolves after `ms`, or earlier when `early` says so at a message. */
  function sleep(ms: number, early: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        wake = () => {}
        resolve()
      }
      const timer = setTimeout(done, ms)
      wake = () => {
        if (early()) done()
      }
    })
  }

  async function runPass(): Promise<{ gapMs: number; more: boolean; failed: boolean }> {
    try {
      const { records, more, watermark, countedUpTo } = await work.pass()
      const { skipped } = work
      process.send?.({ kind: 'counted', watermark, countedUpTo, skipped } satisfies FromWorker)
      failing = false
      const now = performance.now()
      const perSecond = (records * 1_000) / (now - lastPassAt)
      lastPassAt = now
      const wanted = perSecond * GAP_MS.perClickPerSecond
      const gapMs = Math.min(GAP_MS.most, Math.max(GAP_MS.least, wanted))
      return { gapMs, more, failed: false }
    } catch (error) {
      // Once, however long it lasts: a database may be away for an hour.
      if (!failing) logger?.warn({ err: error }, 'Clicks can not be counted; trying again')
      failing = true
      return { gapMs: AFTER_ERROR_MS, more: false, failed: true }
    }
  }

  try {
    while (!orphaned) {
      poked = false
      const { gapMs, more, failed } = await runPass()
      if (more) {
        // Lets messages in between batches.
        await new Promise<void>((turn) => setImmediate(turn))
        continue
      }
      if (finishing && (failed || !poked)) break
      if (!finishing) await sleep(gapMs, () => finishing || orphaned)
      if (failed || poked || finishing || orphaned) continue
      await sleep(idleMs, () => true)
      if (!poked && !finishing) break
    }
  } finally {
    process.off('message', onMessage)
    process.off('disconnect', onDisconnect)
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onTerminate)
    try {
      await work.close()
    } catch (error) {
      logger?.warn({ err: error }, 'The last checkpoint failed')
    }
    // The channel would keep the process alive.
    if (process.connected) process.disconnect?.()
  }
}
