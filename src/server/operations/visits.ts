import type { Logger } from '../../lib/base/logger.ts'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import type { Redirect } from '../../redirect/index.ts'
import type { Histogram } from './metrics.ts'

/** One of this many visits is measured (a power of 2): two readings of the clock cost 0.1 µs. */
const SAMPLE = 16

/** The redirect's `fetch`, with the durations of a sample of its visits. */
export function sampleDurations(redirect: Redirect, durations: Histogram): Redirect['fetch'] {
  let visits = 0
  return (request, peer) => {
    if ((visits++ & (SAMPLE - 1)) !== 0) return redirect.fetch(request, peer)
    const begin = performance.now()
    const answer = redirect.fetch(request, peer)
    const observe = (response: Response) => {
      durations.observe((performance.now() - begin) / 1_000)
      return response
    }
    return answer instanceof Promise ? answer.then(observe) : observe(answer)
  }
}

const EVERY_MS = 1_000

/**
 * A logger for visits: failures because the database is unavailable become one line a second, with
 * their number. Other errors are logged one by one.
 */
export function summarizeRefusals(logger: Pick<Logger, 'error'>): Pick<Logger, 'error'> {
  let visits = 0
  let timer: Timer | undefined

  function log(reason: string): void {
    logger.error({ visits, reason }, 'Visits were refused: the database is down')
    visits = 0
    timer = setTimeout(() => {
      timer = undefined
      if (visits > 0) log(reason)
    }, EVERY_MS).unref()
  }

  return {
    error(fields, message) {
      const { err } = fields as { err?: unknown }
      if (!(err instanceof StorageUnavailable)) return logger.error(fields, message)
      visits++
      if (timer === undefined) log(err.message)
    },
  }
}
