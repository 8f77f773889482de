import { resolve } from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { letGoOfCode } from './code-pages.ts'
import { statisticsFile } from './files.ts'
import { keepStore } from './kept-store.ts'
import { hearParent } from './parent.ts'
import { createPasses } from './passes.ts'
import { listen } from './server.ts'
import { createSleeper } from './sleeper.ts'
import { socketPath } from './socket.ts'
import type { Store } from './store.ts'
import { type GoingOn, keepYielding } from './yielding.ts'

export type { Store } from './store.ts'

/** What the statistics process runs with. Times in milliseconds. */
export interface StatisticsOptions {
  dataDir: string
  /** Opens where the clicks are kept; anew after an error. @throws whatever is wrong with it */
  open(clock: Clock): Promise<Store>
  /** After an error it is opened again so much later at most. */
  retryMs?: number
  /** See {@link keepYielding}. */
  niceness?: number
  clock?: Clock
  logger?: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Ends by itself after this long without anything to do. */
  idleMs?: number
}

/** Without questions for this long, memory is given back. */
const REST_AFTER_MS = 5_000

/**
 * The statistics process: a child of the serving process, which pokes it over IPC when there is
 * something to store, and asks it over a socket. Resolves when it was told to finish, when nothing
 * came for a while, or when the parent is gone. It may be killed at any point: a batch is stored
 * wholly or not at all.
 */
export async function runStatistics(options: StatisticsOptions): Promise<void> {
  const { niceness = 0, clock = systemClock, logger, idleMs = 60_000, retryMs = 5_000 } = options
  const yielding = keepYielding(niceness)
  const dataDir = resolve(options.dataDir)
  const file = statisticsFile(dataDir)
  const { sleep, wake } = createSleeper()
  const kept = keepStore({
    file,
    open: () => options.open(clock),
    failed: () => passes.report(),
    logger,
  })
  const parent = hearParent({
    heard: wake,
    finish: yielding.hurry,
    retention: kept.setRetention,
  })
  const passes = createPasses({ file, kept, tell: parent.tell, retryMs, logger })
  let askedAt = performance.now()
  let rested = true
  let maintaining = false

  const socket = socketPath(dataDir)
  const listening = listen({
    socket,
    logger,
    asked() {
      askedAt = performance.now()
      if (!rested) return
      rested = false
      // Who sleeps until something comes is to rest once more.
      wake()
    },
    answers: kept.answers,
  })

  async function maintain(): Promise<void> {
    maintaining = true
    try {
      await kept.now?.maintenance.step()
    } catch (error) {
      kept.fail(error)
    } finally {
      maintaining = false
    }
  }

  async function rest(): Promise<void> {
    rested = true
    await kept.now?.rest()
    Bun.gc(true)
    letGoOfCode()
  }

  const isDue = () => kept.now?.maintenance.due === true
  const ending = () => parent.finishing || parent.gone
  const goingOn = (): GoingOn => ({
    bulk: maintaining || listening.exporting ? 'now' : isDue() ? 'due' : 'none',
    since: { question: listening.oldest, clicks: passes.since },
  })
  const idleFor = () => (listening.open > 0 ? 0 : performance.now() - askedAt)
  let workedAt = performance.now()

  try {
    parent.tell({ kind: 'ready', socket })
    while (!parent.gone) {
      parent.poked = false
      const { gapMs, more, failed } = await passes.run()
      // Whoever has just clicked and looks needn't wait for a start that gives way to a busy machine: it is short.
      yielding.watch(goingOn)
      if (more && !failed) continue
      if (parent.finishing && (failed || !parent.poked)) break
      workedAt = performance.now()
      if (!ending()) await sleep(gapMs, ending)
      // Order is kept between batches, a step at a time, however many clicks come.
      if (parent.poked && !ending() && isDue()) await maintain()
      while (!parent.poked && !ending() && !failed) {
        if (isDue()) {
          await maintain()
          continue
        }
        const idle = Math.min(idleFor(), performance.now() - workedAt)
        if (idle >= idleMs) break
        if (!rested && idleFor() >= REST_AFTER_MS) await rest()
        const restIn = rested ? Infinity : REST_AFTER_MS - idleFor()
        const sleepsRested = rested
        const early = () => parent.poked || ending() || rested !== sleepsRested
        await sleep(Math.min(idleMs - idle, restIn), early)
      }
      if (!parent.poked && !ending() && !failed) break
    }
  } finally {
    yielding.stop()
    listening.stop()
    kept.close()
    parent.leave()
  }
}
