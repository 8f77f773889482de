import { sql } from 'kysely'
import { acquireLease } from '../../../clicks/leases.ts'
import type { Clock } from '../../../lib/base/clock.ts'
import type { Logger } from '../../../lib/base/logger.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { Maintenance } from '../types.ts'
import { createRounds, type MaintenanceTask, type Retention } from './rounds.ts'

const LEASE_MS = 1_800_000
/** No step begins near the end of the lease. */
const LAST_STEP_MS = 1_200_000
const LINKS_PER_STEP = 5_000

/** An engine's steps, each of which can be repeated, on any node. */
export interface PurgeSteps {
  /** Deletes clicks and totals of deleted links. True: there is more to delete. */
  deleteLinks(seqs: readonly number[]): Promise<boolean>
  /** Replaces clicks older than the retention by daily totals. True: there is more to replace. */
  purgeExpired(retention: Retention, now: number): Promise<boolean>
  /** Sums finished days; see `createSumming`. */
  sumDays: MaintenanceTask
}
interface MaintenanceOptions extends PurgeSteps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  logger?: Pick<Logger, 'warn'> | undefined
}

/** Purges the clicks of deleted links and those past their retention, and sums days, on one node at a time. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { storage, clock, logger, deleteLinks, purgeExpired, sumDays } = options
  /** Until then steps may begin (`performance.now()`). */
  let stepsUntil = 0
  const tasks: MaintenanceTask[] = [
    () => purgeLinks(storage, deleteLinks),
    (now, retention) => purgeExpired(retention, now),
    sumDays,
  ]
  const rounds = createRounds({
    clock,
    tasks: tasks.map(
      (task) =>
        async (...given) =>
          performance.now() < stepsUntil && task(...given),
    ),
    // Another node's round counts for this one, too.
    async begin() {
      stepsUntil = performance.now() + LAST_STEP_MS
      return await acquireLease(storage, 'clicks', LEASE_MS)
    },
  })
  return {
    get due() {
      return rounds.due
    },
    setRetention: rounds.setRetention,
    // An error here must not stop the storing of clicks: the next round tries again.
    step: () =>
      rounds.step().catch((err) => logger?.warn({ err }, 'Old clicks can not be deleted')),
  }
}

/** Purges some deleted links. True: there are more. */
async function purgeLinks(
  storage: MaintenanceOptions['storage'],
  deleteLinks: MaintenanceOptions['deleteLinks'],
): Promise<boolean> {
  const { rows } = await sql<{ link_seq: number }>`SELECT link_seq FROM gone_links
    ORDER BY link_seq LIMIT ${LINKS_PER_STEP}`.execute(storage.read.db)
  if (rows.length === 0) return false
  const seqs = rows.map(({ link_seq }) => link_seq)
  if (await deleteLinks(seqs)) return true
  await storage.write(async (tx) => {
    await sql`DELETE FROM gone_links
      WHERE link_seq = ANY(${`{${seqs.join(',')}}`}::bigint[])`.execute(tx.db)
  })
  return rows.length === LINKS_PER_STEP
}
