import { purgeIdempotency } from '../http/index.ts'
import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { Backend } from './backend/types.ts'

/** Changes of blocks and domains by other nodes and commands take effect within a second. */
const REFRESH_EVERY_MS = 500
const PURGE_EVERY_MS = 60_000
/** Starts and ends of links are in the feed of events within a minute. */
const TIMED_EVERY_MS = 10_000
/** How often the statistics process is started at least, to apply the retention of clicks. */
const STATISTICS_EVERY_MS = 21_600_000

/** Recurring work. */
interface Recurring {
  backend: Pick<Backend, 'storage' | 'statistics'>
  clock: Clock
  logger: Pick<Logger, 'warn'>
  blocks: { list: { refresh(): Promise<unknown> } }
  domains: { refresh(): Promise<unknown> }
  excluded: { refresh(): Promise<unknown> }
  ownDomains: { recheck(): Promise<unknown> }
  accounts: Purged
  administration: Purged
  imports: Purged
  misses: Purged & { start(): () => void }
  jobs: Purged
  events: Purged
  timedEvents: { run(): Promise<unknown> }
  usageEvents: { run(): Promise<unknown> }
  webhookSender: Purged
  statistics: { deletions: { run(): Promise<unknown> } }
}

interface Purged {
  purge(): Promise<unknown>
}

/** Starts recurring deletions and refreshes. Returns the function that stops them. */
export function startTimers({
  backend,
  blocks,
  clock,
  domains,
  events,
  excluded,
  logger,
  accounts,
  administration,
  imports,
  jobs,
  misses,
  ownDomains,
  statistics,
  timedEvents,
  usageEvents,
  webhookSender,
}: Recurring) {
  const timers = [
    setInterval(() => {
      purgeIdempotency(backend.storage, clock.now()).catch((err) =>
        logger.warn({ err }, 'Old idempotency records could not be deleted'),
      )
      void administration.purge()
      accounts.purge().catch((err) => logger.warn({ err }, 'Old sessions could not be deleted'))
      jobs.purge().catch((err) => logger.warn({ err }, 'Old jobs could not be deleted'))
      events.purge().catch((err) => logger.warn({ err }, 'Old events could not be deleted'))
      imports.purge().catch((err) => logger.warn({ err }, 'Old imports could not be deleted'))
      misses.purge().catch((err) => logger.warn({ err }, 'Old missed paths could not be deleted'))
      webhookSender
        .purge()
        .catch((err) => logger.warn({ err }, 'Old deliveries of webhooks could not be deleted'))
      usageEvents.run().catch((err) => logger.warn({ err }, 'Usage could not be checked'))
      statistics.deletions.run().catch(() => {})
      ownDomains.recheck().catch((err) => logger.warn({ err }, 'Domains could not be checked'))
    }, PURGE_EVERY_MS),
    setInterval(() => {
      timedEvents
        .run()
        .catch((err) => logger.warn({ err }, 'Starts and ends of links could not be recorded'))
    }, TIMED_EVERY_MS),
    // If the database is down, the known data stays.
    ...[blocks.list, domains, excluded].map((known) =>
      setInterval(() => known.refresh().catch(() => {}), REFRESH_EVERY_MS),
    ),
    setInterval(() => backend.statistics.retentionChanged(), STATISTICS_EVERY_MS),
  ]
  for (const timer of timers) timer.unref()
  const stopMisses = misses.start()
  return () => {
    stopMisses()
    timers.forEach(clearInterval)
  }
}
