import { lowerPriority } from '../../lib/base/niceness.ts'
import type { Progress } from './messages.ts'
import { listenToParent, type Parent, sendToParent } from './parent.ts'

/** The tasks of a worker; {@link runWorker} schedules them. `N`, `R`: see `messages.ts`. */
export interface Worker<N = never, R = null> {
  /** Processes new clicks of the journal, up to one batch. */
  pass(): Pass | Promise<Pass>
  /** A pass or a maintenance step failed. `isFirst`: the previous one succeeded. */
  failed(error: unknown, isFirst: boolean): void
  /** A notice from the serving process. */
  notice?(notice: N): void
  /** The worker's report, sent with each pass. */
  report(): R
  /** Work for pauses between passes. */
  readonly maintenance?: { readonly due: boolean; step(): Promise<void> }
  /** Milliseconds since the last answered request; the worker doesn't end before `idleMs`. */
  idleMs?(): number
  /** Releases memory; called when the worker is idle. */
  rest?(): Promise<void>
  /** Called once, at the end. */
  close(): void | Promise<void>
}

/** The result of a pass. */
export interface Pass {
  /** Processed clicks. */
  records: number
  /** True: there is more already. */
  more: boolean
  progress: Progress
}

/** Times are milliseconds. */
export interface WorkerOptions {
  /** See setpriority(2). */
  niceness?: number | undefined
  /** Shortest time between two passes. */
  leastGapMs: number
  /** Longest wait between attempts after errors. */
  retryMs: number
  /** How long the worker waits for work before it ends. */
  idleMs: number
}

/**
 * Under load, passes are rare and large, so that the clicks of a link are written together: every
 * five seconds from 20,000 clicks per second on.
 */
const GAP_MS = { most: 5_000, perClickPerSecond: 0.25 }
const FIRST_RETRY_MS = 250
const REST_AFTER_MS = 5_000

/**
 * Runs a worker: a child of the serving process that reads the journal. Resolves when it was told
 * to finish, was idle for long enough, or the serving process has ended. It may be killed at any
 * point.
 */
export async function runWorker<N, R>(worker: Worker<N, R>, options: WorkerOptions): Promise<void> {
  lowerPriority(options.niceness ?? 0)
  const parent = listenToParent<N>((notice) => worker.notice?.(notice))
  try {
    await loop(worker, options, parent)
  } finally {
    try {
      await worker.close()
    } finally {
      parent.disconnect()
    }
  }
}

/** Alternates passes, maintenance and pauses, until there is a reason to end. */
async function loop<N, R>(worker: Worker<N, R>, options: WorkerOptions, parent: Parent) {
  let passedAt = performance.now() - GAP_MS.most
  let retryMs = FIRST_RETRY_MS
  let isFailing = false
  const isEnding = () => parent.finishing || parent.gone

  function report(progress: Progress | null): void {
    const memoryBytes = process.memoryUsage.rss()
    sendToParent({ kind: 'pass', progress, report: worker.report(), memoryBytes })
  }

  function fail(error: unknown): void {
    worker.failed(error, !isFailing)
    isFailing = true
    report(null)
  }

  async function pass(): Promise<{ gapMs: number; more: boolean; failed: boolean }> {
    try {
      const { records, more, progress } = await worker.pass()
      isFailing = false
      retryMs = FIRST_RETRY_MS
      report(progress)
      const now = performance.now()
      const perSecond = (records * 1_000) / (now - passedAt)
      passedAt = now
      const wanted = Math.max(options.leastGapMs, perSecond * GAP_MS.perClickPerSecond)
      return { gapMs: Math.min(GAP_MS.most, wanted), more, failed: false }
    } catch (error) {
      fail(error)
      const gapMs = retryMs
      retryMs = Math.min(gapMs * 2, options.retryMs)
      return { gapMs, more: false, failed: true }
    }
  }

  const maintain = () => worker.maintenance?.step().catch(fail)

  /** Waits for work. False: there was none for so long that the worker ends. */
  async function idle(workedAt: number): Promise<boolean> {
    let isResting = false
    while (!parent.woken && !isEnding()) {
      if (worker.maintenance?.due) {
        await maintain()
        if (isFailing) return true
        continue
      }
      const idleMs = Math.min(performance.now() - workedAt, worker.idleMs?.() ?? Infinity)
      if (idleMs >= options.idleMs) return false
      if (idleMs < REST_AFTER_MS) isResting = false
      else if (!isResting) {
        isResting = true
        await worker.rest?.()
      }
      const wait = Math.min(REST_AFTER_MS, options.idleMs - idleMs)
      await parent.sleep(wait, () => parent.woken || isEnding())
    }
    return true
  }

  while (!parent.gone) {
    parent.woken = false
    const { gapMs, more, failed } = await pass()
    if (more) {
      // Lets messages arrive between two batches.
      await new Promise<void>((turn) => setImmediate(turn))
      continue
    }
    if (parent.finishing && (failed || !parent.woken)) return
    const workedAt = performance.now()
    if (!isEnding()) await parent.sleep(gapMs, isEnding)
    if (failed) continue
    // A step between two batches, however many clicks arrive.
    if (parent.woken && !isEnding() && worker.maintenance?.due) await maintain()
    if (!(await idle(workedAt))) return
  }
}
