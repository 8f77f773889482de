import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Storage } from '../../storage/index.ts'
import type { Maintenance } from '../store/maintenance.ts'

/** Days for which workspaces' clicks are kept. */
export type Kept = readonly (readonly [workspaceNo: number, days: number])[]

/** A round every hour, on one node. */
const EVERY_MS = 3_600_000
/** A node that takes a round on has it for so long, and begins no step near its end. */
const LEASE_MS = 1_800_000
const LAST_STEP_MS = 1_200_000
const LINKS_PER_STEP = 5_000

/** What it works with. */
export interface UpkeepOptions {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  /** True: nobody else keeps the clicks in order meanwhile. */
  takeOn(forMs: number): Promise<boolean>
  /** Deletes clicks of these links, and what is left of older ones. True: there are more. */
  deleteLinks(seqs: readonly number[]): Promise<boolean>
  /** One step of turning clicks that aren't kept any more into totals. True: there is more to do. */
  purgeRetained(kept: Kept, now: number): Promise<boolean>
}

/**
 * Deletes, on one node at a time, the clicks of links that are gone for good, and those that plans
 * keep no longer. Each step may be repeated, by whichever node.
 */
export function createUpkeep(options: UpkeepOptions): Maintenance {
  const { storage, clock, takeOn, deleteLinks, purgeRetained } = options
  let kept: Kept = []
  let known = ''
  let working = false
  let takenAt = 0
  let doneAt = Number.NEGATIVE_INFINITY

  /** Clicks of some links that are gone. False: there are none. */
  async function purgeLinks(): Promise<boolean> {
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

  return {
    get due() {
      return working || Math.abs(clock.now() - doneAt) >= EVERY_MS
    },
    async step() {
      if (!working) {
        // Somebody else's round is ours, too.
        if (!(await takeOn(LEASE_MS))) {
          doneAt = clock.now()
          return
        }
        working = true
        takenAt = performance.now()
      }
      if (performance.now() - takenAt > LAST_STEP_MS) {
        // The rest is the next round's, whoever's that is.
        working = false
        doneAt = clock.now()
        return
      }
      try {
        if (await purgeLinks()) return
        if (await purgeRetained(kept, clock.now())) return
      } catch (error) {
        // Whatever it is, it can wait; clicks must not.
        working = false
        doneAt = clock.now()
        throw error
      }
      working = false
      doneAt = clock.now()
    },
    setRetention(retention) {
      const next = JSON.stringify(retention)
      if (next === known) return
      known = next
      kept = retention.filter((entry): entry is readonly [number, number] => entry[1] !== null)
      doneAt = Number.NEGATIVE_INFINITY
    },
  }
}
