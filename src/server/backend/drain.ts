import { createEnricher } from '../../clicks/enrich/index.ts'
import { createClickCounter, journalDirectory } from '../../clicks/index.ts'
import { loadPlans } from '../../features/plans/load.ts'
import { clickLimitsOf } from '../../features/plans/service.ts'
import { systemClock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Config } from '../../platform/config/index.ts'
import { openCounters, storeOpener } from './workers.ts'

const RETRY_MS = 500

/**
 * Counts and stores the remaining clicks of a journal, in this process. No server may run on the
 * data directory: the caller holds its lock. Within `withinMs` failures are logged and retried;
 * without it they are thrown. Returns whether all clicks are counted and stored.
 * @throws OperatorError
 */
export async function drainJournal(
  options: Pick<Config, 'dataDir' | 'scaled' | 'geoipDatabase' | 'plansFile'> & {
    logger: Logger
    withinMs?: number
  },
) {
  const { dataDir, logger, withinMs } = options
  const limits = clickLimitsOf(await loadPlans(options.plansFile))
  const until = performance.now() + (withinMs ?? Number.POSITIVE_INFINITY)

  /** Repeats `pass` until it returns true. False: timeout. */
  async function repeat(pass: () => Promise<boolean>): Promise<boolean> {
    while (performance.now() < until) {
      try {
        if (await pass()) return true
      } catch (err) {
        if (withinMs === undefined) throw err
        logger.warn({ err }, 'The journal can not be drained; trying again')
        await Bun.sleep(RETRY_MS)
      }
    }
    return false
  }

  async function count(): Promise<boolean> {
    const counter = createClickCounter({
      directory: journalDirectory(dataDir),
      store: await openCounters({ ...options, limits }),
      clock: systemClock,
    })
    try {
      return await repeat(async () => {
        const { records, more } = await counter.pass()
        return records === 0 && !more
      })
    } finally {
      await counter.close()
    }
  }

  async function store(): Promise<boolean> {
    const { enrich, close } = createEnricher(options)
    const opener = await storeOpener({ ...options, limits, enrich })
    try {
      return await repeat(async () => {
        const opened = await opener.open()
        try {
          while (performance.now() < until) if ((await opened.pass()).complete) return true
          return false
        } finally {
          opened.close()
        }
      })
    } finally {
      await opener.close()
      close()
    }
  }

  // With limits of plans only counted clicks are stored.
  const counted = await count()
  return { counted, stored: await store() }
}
