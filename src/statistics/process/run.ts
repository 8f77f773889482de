import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { runWorker, sendToParent, type Worker } from '../../clicks/workers/index.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Retention, Store } from '../engine/types.ts'
import { damagedLog, statisticsFile, statisticsLog } from './files.ts'
import { keepStore } from './kept-store.ts'
import { listen } from './server.ts'
import { socketPath } from './socket.ts'
import type { StoreState } from './store-state.ts'

/** A message to the statistics process. */
export interface RetentionNotice {
  retention: Retention
}

/** What the statistics process reports of itself with each pass. */
export interface StoreReport {
  state: StoreState
  /** Time from which all clicks are stored; 0: all that there ever were. */
  since: number
  /** Clicks stored since the start. */
  stored: number
  fileBytes: number
  /** The end of DuckDB's log was cut off once, and the original is still there. */
  logCut: boolean
}

/** What the statistics process runs with. Times in milliseconds. */
interface StatisticsOptions {
  dataDir: string
  /**
   * Opens the store, again after an error. @param began is called before its tables are migrated
   * @throws the reason why it can't be opened
   */
  open(began: () => void): Promise<Store>
  /** Longest time until it is opened again after an error. */
  retryMs?: number
  /** See setpriority(2). */
  niceness?: number
  logger?: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The process ends after so long without work and questions. */
  idleMs?: number
}

/** So that a click is seen in reports soon. */
const LEAST_GAP_MS = 400

/**
 * The statistics process: a worker that stores clicks, and answers questions over a socket. See
 * {@link runWorker}. A batch is stored as a whole or not at all.
 */
export async function runStatistics(options: StatisticsOptions): Promise<void> {
  const { niceness, open, logger, idleMs = 60_000, retryMs = 5_000 } = options
  const dataDir = resolve(options.dataDir)
  const file = statisticsFile(dataDir)
  const changed = () =>
    sendToParent({
      kind: 'pass',
      progress: null,
      report: worker.report(),
      memoryBytes: process.memoryUsage.rss(),
    })
  const kept = keepStore({ file, open, logger, changed })
  const socket = socketPath(dataDir)
  const listening = listen({ socket, logger, answers: kept.answers })
  let upTo = 0
  let stored = 0
  let skipped = 0
  const worker: Worker<RetentionNotice, StoreReport> = {
    async pass() {
      const store = await kept.open()
      const before = store.since
      const pass = await store.pass()
      if (store.since !== before) {
        const since = new Date(store.since).toISOString()
        logger?.warn({ file, since }, 'The statistics file lacks clicks before this time')
      }
      stored += pass.records
      skipped += pass.skipped
      upTo = Math.max(upTo, pass.upTo)
      const progress = { watermark: store.watermark, upTo, skipped }
      return { records: pass.records, more: !pass.complete, progress }
    },
    failed: kept.fail,
    notice: ({ retention }) => kept.setRetention(retention),
    report: () => ({
      state: kept.state,
      since: kept.current?.since ?? 0,
      stored,
      fileBytes: bytesOf(file) + bytesOf(statisticsLog(file)),
      logCut: existsSync(damagedLog(file)),
    }),
    maintenance: {
      get due() {
        return kept.current?.maintenance.due === true
      },
      step: async () => void (await kept.current?.maintenance.step()),
    },
    idleMs: () => listening.idleMs,
    async rest() {
      await kept.current?.rest()
      Bun.gc(true)
    },
    close() {
      listening.stop()
      kept.close()
    },
  }
  sendToParent({ kind: 'ready', socket })
  await runWorker(worker, { niceness, idleMs, retryMs, leastGapMs: LEAST_GAP_MS })
}

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
