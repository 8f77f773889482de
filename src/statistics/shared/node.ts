import { sql } from 'kysely'
import type { Logger } from '../../base/logger.ts'
import type { Position } from '../../clicks/segments.ts'
import type { Storage } from '../../storage/index.ts'
import type { Pass } from '../process/ingest.ts'
import type { Store } from '../process/run.ts'
import type { Batch } from '../store/batch.ts'
import type { Maintenance } from '../store/maintenance.ts'
import type { AskableReports } from '../types.ts'
import { clicksAfterIn } from '../watching.ts'
import { createSharedLive } from './live.ts'
import type { ClickBus } from './live-channels.ts'

/** How often others are told how far this node's journal is stored. */
const TELL_EVERY_MS = 1_000

/** A batch is stored: its clicks, and their numbers. */
export type Stored = (batch: Batch, numbers: Float64Array) => void

/** Sends a node's journal to where all nodes' clicks are, each click once. */
export interface Shipping {
  readonly watermark: Position
  /** Sends what has gathered, up to a batch. When it rejects, the shipping is opened anew. */
  pass(): Promise<Pass>
  /** Gives back the memory of a batch. */
  rest(): void
  /** Lets another process ship the journal. */
  close(): void
}

/** What {@link createSharedStore} works with. It closes none of them. */
export interface SharedStoreOptions {
  nodeNo: number
  storage: Pick<Storage, 'read'>
  bus: ClickBus
  logger?: Pick<Logger, 'warn'> | undefined
  reports: AskableReports
  upkeep: Maintenance
  recount: Store['recount']
  openShipping(stored: Stored): Shipping | Promise<Shipping>
}

/** The clicks of all nodes, as one node's statistics process uses them: in the place of its own file. */
export async function createSharedStore(options: SharedStoreOptions): Promise<Store> {
  const { nodeNo, storage, bus, logger, reports, upkeep, recount } = options
  const live = createSharedLive({
    bus,
    clicksAfter: clicksAfterIn(reports),
  })
  const shipping = await Promise.resolve(options.openShipping(live.stored)).catch((error) => {
    live.close()
    throw error
  })
  let toldAt = Number.NEGATIVE_INFINITY
  let isTelling = false

  /** For the recount alone: clicks are stored, whether this arrives or not. */
  async function tell(): Promise<void> {
    if (isTelling) return
    isTelling = true
    const { segment, offset } = shipping.watermark
    await sql`UPDATE node_watermarks SET shipped_segment = ${segment}, shipped_offset = ${offset}
      WHERE node_no = ${nodeNo}`
      .execute(storage.read.db)
      .catch(() => {})
    isTelling = false
  }

  return {
    reportsUntil: reports.until,
    live,
    maintenance: {
      get due() {
        return upkeep.due
      },
      setRetention: upkeep.setRetention,
      // A database may be away: clicks are stored all the same, and it is tried later.
      step: () =>
        upkeep.step().catch((err) => logger?.warn({ err }, 'Old clicks can not be deleted')),
    },
    recount,
    /** All clicks that there ever were are stored, or will be. */
    since: 0,
    get watermark() {
      return shipping.watermark
    },
    async pass() {
      const pass = await shipping.pass()
      const now = performance.now()
      if (pass.complete || now - toldAt >= TELL_EVERY_MS) {
        toldAt = now
        void tell()
      }
      return pass
    },
    // What it holds is the databases'.
    async rest() {
      shipping.rest()
    },
    close() {
      live.close()
      shipping.close()
    },
  }
}
