import { systemClock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { ScaledConfig } from '../config/index.ts'

const TRY_AGAIN_MS = 500

/** What became of a journal. */
export interface Drained {
  /** All of it is in the counters. */
  counted: boolean
  /** All of it is stored: in ClickHouse, or in PostgreSQL. */
  stored: boolean
}

/**
 * Counts and stores all that is left in a node's journal, within `withinMs`, in this process. No
 * server may run on the data directory: hold its lock. Databases that are away are tried again.
 */
export async function drainJournal(options: {
  dataDir: string
  scaled: ScaledConfig
  geoipDatabase: string | null
  logger: Logger
  withinMs: number
}): Promise<Drained> {
  const { dataDir, scaled, geoipDatabase, logger, withinMs } = options
  const { openSharedClickWork } = await import('../clicks/index.ts')
  const { createEnricher } = await import('../statistics/enrich/index.ts')
  const { nodeOf, openSharedClicks, openSharedStorage } = await import('./shared-clicks.ts')
  const { no: nodeNo } = await nodeOf(dataDir)
  const until = performance.now() + withinMs

  /** Until `pass` has come to the journal's end: true; or the time is up: false. */
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
    const storage = await openSharedStorage(scaled)
    const work = await openSharedClickWork({ dataDir, nodeNo, storage, clock: systemClock })
    try {
      return await repeat(async () => {
        const { records, more } = await work.pass()
        return records === 0 && !more
      })
    } finally {
      await work.close()
    }
  }

  async function store(): Promise<boolean> {
    const enricher = createEnricher({ geoipDatabase, logger })
    const shared = await openSharedClicks({ dataDir, scaled, enrich: enricher.enrich, logger })
    try {
      return await repeat(async () => {
        const opened = await shared.openStore(systemClock)
        try {
          while (performance.now() < until) if ((await opened.pass()).complete) return true
          return false
        } finally {
          opened.close()
        }
      })
    } finally {
      await shared.close()
      enricher.close()
    }
  }

  const [counted, stored] = await Promise.all([count(), store()])
  return { counted, stored }
}
