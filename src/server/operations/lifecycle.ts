import type { Clock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { withTimeout } from '../../lib/base/with-timeout.ts'

/** A step of stopping. Steps run one after another, in order. */
export interface ShutdownStep {
  name: string
  /** The timeout in milliseconds, after which the next step begins. */
  withinMs: number
  run(): Promise<unknown> | unknown
}

/** A second signal within this time is the same Ctrl-C, sent by the terminal and again by npm. */
const SAME_SIGNAL_MS = 250
const LATE = Symbol('late')

/**
 * Stops a serving process: in order, with status 1 if a step failed. A second signal ends it
 * immediately.
 * @param options.steps called when stopping begins, because an unfinished start has less to close.
 *   The sum of their timeouts is the longest duration of stopping: at most 10 seconds.
 */
export function createLifecycle(options: {
  steps: () => readonly ShutdownStep[]
  logger: Logger
  clock: Clock
  exit: (status: number) => void
}) {
  const { steps, logger, clock, exit } = options
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
    try {
      if ((await withTimeout(withinMs, run, LATE)) !== LATE) return true
      logger.warn({ step: name, within_ms: withinMs }, 'Stopping took too long, continuing')
    } catch (err) {
      logger.error({ err, step: name }, 'Stopping failed, continuing')
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
      logger.warn({ reason }, 'Stopping immediately')
      exit(1)
    }
  }

  return {
    /** Stops on SIGTERM and SIGINT, and on an uncaught exception. */
    listen(process: Pick<NodeJS.EventEmitter, 'on'>, unhandled?: () => void) {
      for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(signal))
      // A closed terminal, or a tool that asks to reload: there is nothing to reload.
      process.on('SIGHUP', () => logger.info({}, 'SIGHUP is ignored'))
      // A forgotten promise leaves no broken state; an exception may.
      process.on('unhandledRejection', (err: unknown) => {
        unhandled?.()
        logger.error({ err }, 'Unhandled promise rejection')
      })
      process.on('uncaughtException', (err: unknown) => {
        unhandled?.()
        logger.error({ err }, 'Uncaught exception')
        stop('uncaughtException', 1)
      })
    },
  }
}
