import { setPriority } from 'node:os'
import type { Progress } from './messages.ts'
import { listenToParent, type Parent, sendToParent } from './parent.ts'

/** What a worker does; {@link runWorker} decides when. `N`, `R`: see `messages.ts`. */
export interface Worker<N = never, R = null> {
  /** Handles what has gathered in the journal, up to one batch. */
  pass(): Pass | Promise<Pass>
  /** A pass or a maintenance step failed. `isFirst`: the one before it succeeded. */
  failed(error: unknown, isFirst: boolean): void
  /** The serving process has sent something. */
  notice?(notice: N): void
  /** What the worker reports of itself with each pass. */
  report(): R
  /** Work that waits for pauses between passes. */
  readonly maintenance?: { readonly due: boolean; step(): Promise<void> }
  /** Milliseconds since it last answered a request; the worker doesn't end before `idleMs`. */
  idleMs?(): number
  /** Releases memory; called when the worker is idle. */
  rest?(): Promise<void>
  /** Called once, at the end. */
  close(): void | Promise<void>
}

/** What one pass did. */
export interface Pass {
  /** Clicks handled. */
  records: number
  /** True: more is waiting already. */
  more: boolean
  progress: Progress
}

/** Times are milliseconds. */
export interface WorkerOptions {
  /** See setpriority(2). */
  niceness?: number | undefined
  /** Shortest time between two passes. */
  leastGapMs: number
  /** Longest time between two tries after errors. */
  retryMs: number
  /** The worker ends after so long without work. */
  idleMs: number
}

/**
 * Under load, passes are rare and large, so that the clicks of one link are written together:
 * five seconds apart from 20,000 clicks per second on.
 */
const GAP_MS = { most: 5_000, perClickPerSecond: 0.25 }
const FIRST_RETRY_MS = 250
const REST_AFTER_MS = 5_000

/**
 * Runs a worker: a child of the serving process that reads the journal. Resolves when it was told
 * to finish, when it was idle for long enough, or when the serving process is gone. It may be killed
 * at any point.
 */
export async function runWorker<N, R>(worker: Worker<N, R>, options: WorkerOptions): Promise<void> {
  lowerPriority(options.niceness ?? 0)
  const parent = listenToParent<N>((notice) => worker.notice?.(notice))
  try {
    await new Loop(worker, options, parent).run()
  } finally {
    try {
      await worker.close()
    } finally {
      parent.disconnect()
    }
  }
}

function lowerPriority(niceness: number): void {
  try {
    if (niceness > 0) setPriority(niceness)
  } catch {
    // Not allowed here: then it has the priority of the serving process.
  }
}

class Loop<N, R> {
  #passedAt = performance.now() - GAP_MS.most
  #retryMs = FIRST_RETRY_MS
  #isFailing = false

  constructor(
    private readonly worker: Worker<N, R>,
    private readonly options: WorkerOptions,
    private readonly parent: Parent,
  ) {}

  async run(): Promise<void> {
    const parent = this.parent
    while (!parent.gone) {
      parent.woken = false
      const { gapMs, more, failed } = await this.#pass()
      if (more) {
        // Messages arrive between two batches.
        await new Promise<void>((turn) => setImmediate(turn))
        continue
      }
      if (parent.finishing && (failed || !parent.woken)) return
      const workedAt = performance.now()
      if (!this.#isEnding) await parent.sleep(gapMs, () => this.#isEnding)
      if (failed) continue
      // A step between two batches, however many clicks come.
      if (parent.woken && !this.#isEnding && this.worker.maintenance?.due) await this.#maintain()
      if (!(await this.#idle(workedAt))) return
    }
  }

  get #isEnding(): boolean {
    return this.parent.finishing || this.parent.gone
  }

  async #pass(): Promise<{ gapMs: number; more: boolean; failed: boolean }> {
    try {
      const { records, more, progress } = await this.worker.pass()
      this.#isFailing = false
      this.#retryMs = FIRST_RETRY_MS
      this.#report(progress)
      const now = performance.now()
      const perSecond = (records * 1_000) / (now - this.#passedAt)
      this.#passedAt = now
      const wanted = Math.max(this.options.leastGapMs, perSecond * GAP_MS.perClickPerSecond)
      return { gapMs: Math.min(GAP_MS.most, wanted), more, failed: false }
    } catch (error) {
      this.#fail(error)
      const gapMs = this.#retryMs
      this.#retryMs = Math.min(gapMs * 2, this.options.retryMs)
      return { gapMs, more: false, failed: true }
    }
  }

  #fail(error: unknown): void {
    this.worker.failed(error, !this.#isFailing)
    this.#isFailing = true
    this.#report(null)
  }

  #report(progress: Progress | null): void {
    const memoryBytes = process.memoryUsage.rss()
    sendToParent({ kind: 'pass', progress, report: this.worker.report(), memoryBytes })
  }

  async #maintain(): Promise<void> {
    try {
      await this.worker.maintenance?.step()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Waits for work. False: there was none for so long that the worker ends. */
  async #idle(workedAt: number): Promise<boolean> {
    const { idleMs } = this.options
    const worker = this.worker
    let isResting = false
    while (!this.parent.woken && !this.#isEnding) {
      if (worker.maintenance?.due) {
        await this.#maintain()
        if (this.#isFailing) return true
        continue
      }
      const idle = Math.min(performance.now() - workedAt, worker.idleMs?.() ?? Infinity)
      if (idle >= idleMs) return false
      if (idle < REST_AFTER_MS) isResting = false
      else if (!isResting) {
        isResting = true
        await worker.rest?.()
      }
      const wait = Math.min(REST_AFTER_MS, idleMs - idle)
      await this.parent.sleep(wait, () => this.parent.woken || this.#isEnding)
    }
    return true
  }
}
