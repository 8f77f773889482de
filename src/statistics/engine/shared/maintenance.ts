import { sql } from 'kysely'
import type { Clock } from '../../../base/clock.ts'
import { takeOn } from '../../../clicks/shared/chores.ts'
import type { Storage } from '../../../storage/index.ts'
import type { Maintenance } from '../types.ts'

/** Days for which the clicks of workspaces are kept. */
export type Retention = readonly (readonly [workspaceNo: number, days: number])[]

/** A round runs every hour, on one node. */
const INTERVAL_MS = 3_600_000
const LEASE_MS = 1_800_000
/** No step begins near the end of the lease. */
const LAST_STEP_MS = 1_200_000
const LINKS_PER_STEP = 5_000

/** What {@link createMaintenance} works with. Every step can be repeated, on any node. */
export interface MaintenanceOptions {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  /** Deletes clicks and totals of deleted links. True: there is more to delete. */
  deleteLinks(seqs: readonly number[]): Promise<boolean>
  /** Replaces clicks older than the retention by daily totals. True: there is more to replace. */
  purgeExpired(retention: Retention, now: number): Promise<boolean>
}

/** Purges the clicks of deleted links and those past their retention, on one node at a time. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { storage, clock, deleteLinks, purgeExpired } = options
  let retention: Retention = []
  let known = ''
  /** Until then steps may begin (`performance.now()`); null: no round is running here. */
  let stepsUntil: number | null = null
  let finishedAt = Number.NEGATIVE_INFINITY

  function finish(): void {
    stepsUntil = null
    finishedAt = clock.now()
  }

  return {
    get due() {
      return stepsUntil !== null || Math.abs(clock.now() - finishedAt) >= INTERVAL_MS
    },
    async step() {
      try {
        if (stepsUntil === null) {
          // Another node's round counts for this one, too.
          if (!(await takeOn(storage, 'clicks', LEASE_MS))) return finish()
          stepsUntil = performance.now() + LAST_STEP_MS
        }
        const isMore =
          performance.now() < stepsUntil &&
          ((await purgeLinks(storage, deleteLinks)) || (await purgeExpired(retention, clock.now())))
        if (!isMore) finish()
      } catch (error) {
        // The next round tries again: storing clicks comes first.
        finish()
        throw error
      }
    },
    setRetention(all) {
      const next = JSON.stringify(all)
      if (next === known) return
      known = next
      retention = all.filter((entry): entry is readonly [number, number] => entry[1] !== null)
      finishedAt = Number.NEGATIVE_INFINITY
    },
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
