import { systemClock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { ScaledConfig } from '../config/index.ts'

const TRY_AGAIN_MS = 500

/** What has become of a journal. */
export interface Drained {
  /** All of its clicks are in the counters. */
  counted: boolean
  /** All of its clicks are stored, in ClickHouse or in PostgreSQL. */
  stored: boolean
}

/**
 * Counts and stores all that is left in a node's journal, within `withinMs`, in this process. No
 * server may run on the data directory: the caller holds its lock. Databases that are away are tried
 * again. @throws NotANode
 */
export async function drainJournal(options: {
  dataDir: string
  scaled: ScaledConfig
  geoipDatabase: string | null
  logger: Logger
  withinMs: number
}): Promise<Drained> {
  const { dataDir, scaled, geoipDatabase, logger, withinMs } = options
  const { createClickCounter, journalDirectory } = await import('../clicks/index.ts')
  const { createEnricher } = await import('../statistics/enrich/index.ts')
  const { openCounters, storeOpener } = await import('../backend/workers.ts')
  const until = performance.now() + withinMs

  /** Repeats `pass` until it says that it is done. False: the time is up. */
  async function repeat(pass: () => Promise<boolean>): Promise<boolean> {
    while (performance.now() < until) {
      try {
        if (await pass()) return true
      } catch (err) {
        logger.warn({ err }, 'The journal can not be drained; trying again')
        await Bun.sleep(TRY_AGAIN_MS)
      }
    }
    return false
  }

  async function count(): Promise<boolean> {
    const counter = createClickCounter({
      directory: journalDirectory(dataDir),
      store: await openCounters({ dataDir, scaled }),
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
    const { enrich, close } = createEnricher({ geoipDatabase, logger })
    const opener = await storeOpener({ dataDir, scaled, enrich, logger })
    try {
      return await repeat(async () => {
        const opened = await opener.open(systemClock)
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

  const [counted, stored] = await Promise.all([count(), store()])
  return { counted, stored }
}
