import type { Clock } from '../../base/clock.ts'
import { type Compaction, type CompactionSizes, createCompaction } from './compaction.ts'
import type { StatisticsDatabase } from './duckdb.ts'
import { createOrdering, type OrderingSizes } from './ordering.ts'
import { createLinkPurge } from './purge-links.ts'
import { createRetentionPurge } from './purge-old.ts'
import { createRollingUp, type RollUpSizes } from './rolling-up.ts'

const EVERY_MS = 3_600_000

/** One kind of work, done in steps of a second at most on a common machine. */
export interface Chore {
  /** Does a step. False: there is nothing left to do. */
  step(now: number): Promise<boolean>
}

/** What keeps the file in order: nobody waits for it. */
export interface Maintenance {
  /** True: a round has begun and isn't finished, or is due. */
  readonly due: boolean
  /** One step, in a transaction of its own. */
  step(): Promise<void>
  /** Days for which each workspace's clicks are kept; null: without end. */
  setRetention(retention: readonly (readonly [number, number | null])[]): void
}

/** The same, of a file that can be made smaller: at the end of a round, when much of it is free. */
export interface FileMaintenance extends Maintenance {
  readonly compaction: Pick<Compaction, 'ready' | 'replace'>
}

/** What it works with. */
export interface MaintenanceOptions {
  database: StatisticsDatabase
  /** The main database, to see which links there are; only read. */
  mainFile: string
  clock: Clock
  /** Stored clicks have changed. */
  changed(): void
  /** For a test: when to put in order, and how much to do in a step. */
  sizes?: OrderingSizes & Partial<RollUpSizes>
  compaction?: Partial<CompactionSizes>
}

/** A round every hour, and one at the start. */
export async function createMaintenance(options: MaintenanceOptions): Promise<FileMaintenance> {
  const { database, mainFile, clock, changed, sizes } = options
  const connection = await database.connect()
  const retention = createRetentionPurge(connection)
  const chores: Chore[] = [
    createLinkPurge(connection, mainFile, changed, sizes?.perStep),
    retention,
    createOrdering(connection, sizes),
    createRollingUp(connection, sizes),
  ]
  const compaction = await createCompaction(database, options.compaction)
  let current = 0
  let dirty = false
  /** What is asked for while a round goes on needs another one. */
  let again = false
  let doneAt = Number.NEGATIVE_INFINITY

  return {
    get due() {
      return current > 0 || Math.abs(clock.now() - doneAt) >= EVERY_MS
    },
    compaction,
    async step() {
      // Of a round before, which nobody could put in its place yet.
      if (current === 0) await compaction.abandon()
      const chore = chores[current]
      if (chore !== undefined) {
        const more = await chore.step(clock.now())
        if (more) dirty = true
        else current++
        return
      }
      if (dirty) {
        dirty = false
        // Gives the space of what was deleted back; a reader in between makes it wait for the next.
        await connection.run('CHECKPOINT').catch(() => {})
      }
      if (await compaction.step()) return
      current = 0
      doneAt = again ? Number.NEGATIVE_INFINITY : clock.now()
      again = false
    },
    setRetention(list) {
      if (!retention.set(list)) return
      if (current > 0) again = true
      else doneAt = Number.NEGATIVE_INFINITY
    },
  }
}
