import { resolve } from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { letGoOfCode } from './code-pages.ts'
import { fileBytesOf, statisticsFile } from './files.ts'
import type { FromStatistics, Retention, StoreState, ToStatistics } from './messages.ts'
import { listen } from './server.ts'
import { createSleeper } from './sleeper.ts'
import { socketPath } from './socket.ts'
import type { Store } from './store.ts'
import { stateOf } from './store-state.ts'
import { keepYielding } from './yielding.ts'

export type { Store } from './store.ts'

/** What the statistics process runs with. Times in milliseconds. */
export interface StatisticsOptions {
  dataDir: string
  /** Opens where the clicks are kept; anew after an error. @throws whatever is wrong with it */
  open(clock: Clock): Promise<Store>
  clock?: Clock
  logger?: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Ends by itself after this long without anything to do. */
  idleMs?: number
}

/**
 * Between two batches: half a second at little load, so that a click is seen soon; up to five
 * seconds at 20,000 clicks a second, so that batches are large.
 */
const GAP_MS = { least: 400, most: 5_000, perClickPerSecond: 0.25 }
const AFTER_ERROR_MS = { first: 250, most: 5_000 }
/** A question that comes while the file is being opened waits for it this long. */
const OPEN_WITHIN_MS = 5_000
/** Without questions for this long, memory is given back. */
const REST_AFTER_MS = 5_000

/**
 * The statistics process: a child of the serving process, which pokes it over IPC when there is
 * something to store, and asks it over a socket. Resolves when it was told to finish, when nothing
 * came for a while, or when the parent is gone. It may be killed at any point: a batch is stored
 * wholly or not at all.
 */
export async function runStatistics(options: StatisticsOptions): Promise<void> {
  // First of all: threads that are started from here on take it over.
  const yielding = keepYielding()
  const { clock = systemClock, logger, idleMs = 60_000 } = options
  const dataDir = resolve(options.dataDir)
  const file = statisticsFile(dataDir)
  let store: Store | undefined
  let state: StoreState = 'opening'
  let retention: Retention | undefined
  let errorGapMs = AFTER_ERROR_MS.first
  let upTo = 0
  let stored = 0
  let skipped = 0
  let poked = true
  let finishing = false
  let orphaned = false
  let askedAt = performance.now()
  let rested = true
  let maintaining = false
  let lastPassAt = performance.now() - GAP_MS.most
  /** When the pass began that hasn't come to the journal's end; null: none is under way. */
  let passingSince: number | null = null
  const { sleep, wake } = createSleeper()
  let opened = Promise.withResolvers<void>()
  /** While the file is being replaced: questions wait. */
  let held: Promise<void> | null = null

  const finish = () => {
    finishing = true
    yielding.hurry()
  }
  const onMessage = (message: ToStatistics) => {
    if (message.kind === 'finish') finish()
    else if (message.kind === 'retention') {
      retention = message.retention
      store?.maintenance.setRetention(retention)
    } else poked = true
    wake()
  }
  const onDisconnect = () => {
    orphaned = true
    wake()
  }
  // Ctrl-C reaches the whole group: the serving process decides when we end.
  const onInterrupt = () => {}
  const onTerminate = () => {
    finish()
    wake()
  }
  process.on('message', onMessage)
  process.on('disconnect', onDisconnect)
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)

  const send = (message: FromStatistics) => void process.send?.(message)
  const socket = socketPath(dataDir)
  const listening = listen({
    socket,
    logger,
    asked() {
      askedAt = performance.now()
      rested = false
    },
    async answers() {
      if (held !== null) await held
      if (store === undefined && state === 'opening') {
        const timer = setTimeout(opened.resolve, OPEN_WITHIN_MS)
        await opened.promise
        clearTimeout(timer)
      }
      return store ?? null
    },
  })

  function tell(): void {
    send({
      kind: 'stored',
      state,
      watermark: store?.watermark ?? { segment: 0, offset: 0 },
      since: store?.since ?? 0,
      upTo,
      stored,
      skipped,
      fileBytes: fileBytesOf(file),
    })
  }

  async function open(): Promise<Store> {
    const made = await options.open(clock)
    if (retention !== undefined) made.maintenance.setRetention(retention)
    if (state !== 'opening') logger?.info({ file }, 'The statistics file is open again')
    state = 'ok'
    return made
  }

  /** After an error of DuckDB the open file can't be trusted: it is opened anew. */
  function fail(error: unknown): void {
    const now = stateOf(error)
    if (now !== state) logger?.warn({ err: error, state: now, file }, 'Clicks can not be stored')
    state = now
    try {
      store?.close()
    } catch (closing) {
      logger?.warn({ err: closing }, 'The statistics file does not close')
    }
    store = undefined
    opened.resolve()
    opened = Promise.withResolvers<void>()
    tell()
  }

  async function runPass(): Promise<{ gapMs: number; more: boolean; failed: boolean }> {
    passingSince ??= performance.now()
    try {
      if (store === undefined) {
        store = await open()
        opened.resolve()
      }
      const before = store.since
      const pass = await store.pass()
      if (pass.complete) passingSince = null
      if (store.since !== before) {
        const since = new Date(store.since).toISOString()
        logger?.warn({ file, since }, 'Clicks before this time are missing in the statistics file')
      }
      stored += pass.records
      skipped += pass.skipped
      upTo = Math.max(upTo, pass.upTo)
      errorGapMs = AFTER_ERROR_MS.first
      tell()
      const now = performance.now()
      const perSecond = (pass.records * 1_000) / (now - lastPassAt)
      lastPassAt = now
      const wanted = perSecond * GAP_MS.perClickPerSecond
      const gapMs = Math.min(GAP_MS.most, Math.max(GAP_MS.least, wanted))
      return { gapMs, more: !pass.complete, failed: false }
    } catch (error) {
      fail(error)
      const gapMs = errorGapMs
      errorGapMs = Math.min(errorGapMs * 2, AFTER_ERROR_MS.most)
      return { gapMs, more: false, failed: true }
    }
  }

  async function maintain(): Promise<void> {
    maintaining = true
    try {
      await store?.maintenance.step()
      // A step reads and writes much that nobody else asks for soon.
      if (listening.open === 0) await store?.releaseMemory()
    } catch (error) {
      fail(error)
    } finally {
      maintaining = false
    }
  }

  /**
   * Puts a smaller copy of the file in its place when there is one and nobody asks. True: this process
   * must end. Questions that come meanwhile are kept waiting; their connections break off with its
   * end, and they are asked again of the next one. So do live clicks, which resume.
   */
  async function isReplaced(): Promise<boolean> {
    const compaction = store?.compaction
    if (compaction?.ready !== true || listening.open > compaction.watchers) return false
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    if (await compaction.replace()) {
      logger?.info({ file, fileBytes: fileBytesOf(file) }, 'The statistics file was made smaller')
      return true
    }
    held = null
    resolve()
    return false
  }

  const ending = () => finishing || orphaned
  yielding.watch(() => {
    const bulk = maintaining || listening.exporting
    const since = Math.min(listening.oldest ?? Infinity, passingSince ?? Infinity)
    return {
      bulk: bulk ? 'now' : store?.maintenance.due ? 'due' : 'none',
      waitingSince: Number.isFinite(since) ? since : null,
    }
  })
  const idleFor = () => (listening.open > 0 ? 0 : performance.now() - askedAt)
  let workedAt = performance.now()

  try {
    send({ kind: 'ready', socket })
    while (!orphaned) {
      poked = false
      const { gapMs, more, failed } = await runPass()
      if (more && !failed) continue
      if (finishing && (failed || !poked)) break
      workedAt = performance.now()
      if (!ending()) await sleep(gapMs, ending)
      // Order is kept between batches, a step at a time, however many clicks come.
      if (poked && !ending() && store?.maintenance.due) await maintain()
      if (await isReplaced()) break
      while (!poked && !ending() && !failed) {
        if (store?.maintenance.due) {
          await maintain()
          continue
        }
        if (await isReplaced()) return
        const idle = Math.min(idleFor(), performance.now() - workedAt)
        if (idle >= idleMs) break
        if (!rested && idleFor() >= REST_AFTER_MS) {
          rested = true
          await store?.rest()
          Bun.gc(true)
          letGoOfCode()
        }
        const restIn = rested ? Infinity : REST_AFTER_MS - idleFor()
        await sleep(Math.min(idleMs - idle, restIn), () => poked || ending())
      }
      if (!poked && !ending() && !failed) break
    }
  } finally {
    yielding.stop()
    process.off('message', onMessage)
    process.off('disconnect', onDisconnect)
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onTerminate)
    listening.stop()
    try {
      store?.close()
    } catch (error) {
      logger?.warn({ err: error }, 'The statistics file does not close')
    }
    // The channel would keep the process alive.
    if (process.connected) process.disconnect?.()
  }
}
