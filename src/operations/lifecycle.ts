import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'

/** One part of stopping. Steps run one after another, in order. */
export interface ShutdownStep {
  name: string
  /** After so many milliseconds the next step begins, whether this one is done or not. */
  withinMs: number
  run(): Promise<unknown> | unknown
}

/** What {@link createLifecycle} needs. */
export interface LifecycleOptions {
  /**
   * Asked when stopping begins: a start that isn't finished has less to close. Their times together
   * are the longest that stopping takes: at most 10 seconds.
   */
  steps: () => readonly ShutdownStep[]
  logger: Logger
  clock: Clock
  exit: (status: number) => void
}

/** How a serving process ends. */
export interface Lifecycle {
  /**
   * Stops in order, then exits: with `status`, or with 1 when a step failed. Called again, it
   * exits at once, except within a quarter of a second: a Ctrl-C reaches us from the terminal and
   * once more from npm.
   */
  stop(reason: string, status?: number): void
  /** Stops on SIGTERM and SIGINT, and on an exception that nobody caught. */
  listen(process: ProcessEvents, unhandled?: () => void): void
}

/** The part of `process` that {@link Lifecycle.listen} uses. */
export interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown
}

const SAME_SIGNAL_MS = 250

/** Prepares the end. */
export function createLifecycle({ steps, logger, clock, exit }: LifecycleOptions): Lifecycle {
  let stoppingSince: number | undefined

  async function runAll(status: number): Promise<void> {
    let outcome = status
    for (const step of steps()) {
      if (!(await runStep(step))) outcome = outcome || 1
    }
    logger.info({ status: outcome }, 'Stopped')
    exit(outcome)
  }

  async function runStep({ name, withinMs, run }: ShutdownStep): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), withinMs)
    })
    try {
      const result = await Promise.race([(async () => run())(), late])
      if (result !== 'late') return true
      logger.warn({ step: name, within_ms: withinMs }, 'Stopping took too long, going on')
    } catch (err) {
      logger.error({ err, step: name }, 'Stopping failed, going on')
    } finally {
      clearTimeout(timer)
    }
    return false
  }

  function stop(reason: string, status = 0): void {
    const now = clock.now()
    if (stoppingSince === undefined) {
      stoppingSince = now
      logger.info({ reason }, 'Stopping')
      void runAll(status)
    } else if (Math.abs(now - stoppingSince) >= SAME_SIGNAL_MS) {
      logger.warn({ reason }, 'Stopping at once')
      exit(1)
    }
  }

  return {
    stop,
    listen(process, unhandled) {
      for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(signal))
      // A promise that was let go of leaves nothing half done; an exception may have.
      process.on('unhandledRejection', (err) => {
        unhandled?.()
        logger.error({ err }, 'A promise was rejected and nobody looked')
      })
      process.on('uncaughtException', (err) => {
        unhandled?.()
        logger.error({ err }, 'An exception was thrown and nobody caught it')
        stop('uncaughtException', 1)
      })
    },
  }
}
