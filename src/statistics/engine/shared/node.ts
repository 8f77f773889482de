import { sql } from 'kysely'
import type { Clock } from '../../../lib/base/clock.ts'
import type { Logger } from '../../../lib/base/logger.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { GatherOptions } from '../../ingest/gather.ts'
import type { AskableReports } from '../../types.ts'
import type { LinkNumbers, Store } from '../types.ts'
import { createMaintenance, type PurgeSteps } from './maintenance.ts'
import type { Shipping } from './shipping.ts'

/** How often a node writes to the database how far its journal is stored. */
const TELL_EVERY_MS = 1_000

/** What the stores of many nodes' clicks are opened with. */
export interface NodeStoreOptions extends Pick<GatherOptions, 'enrich' | 'counted'> {
  dataDir: string
  node: { id: string; no: number }
  storage: Pick<Storage, 'read' | 'reports' | 'write'>
  clock: Clock
  logger?: Pick<Logger, 'warn'>
}

/** The clicks of all nodes, as one node's statistics process uses them. */
export function createNodeStore(
  { node, storage, clock, logger }: NodeStoreOptions,
  engine: {
    reports: AskableReports
    shipping: Shipping
    /** Deletes clicks and totals of a link, and gives what is left. */
    forget(link: number, before: number): AsyncIterable<LinkNumbers>
  } & PurgeSteps,
): Store {
  const { reports, shipping } = engine
  let toldAt = Number.NEGATIVE_INFINITY

  /** For the recount of other nodes; the clicks are stored whether this succeeds or not. */
  async function publishProgress(): Promise<void> {
    const { segment, offset } = shipping.watermark
    await sql`UPDATE node_watermarks SET shipped_segment = ${segment}, shipped_offset = ${offset}
      WHERE node_no = ${node.no}`
      .execute(storage.read.db)
      .catch(() => {})
  }

  return {
    reportsUntil: reports.until,
    async forget(link, before) {
      const head = { ...shipping.watermark, since: 0 }
      for await (const [, human, bot, unique] of engine.forget(link, before)) {
        return { ...head, human, bot, unique }
      }
      return { ...head, human: 0, bot: 0, unique: 0 }
    },
    maintenance: createMaintenance({ ...engine, storage, clock, logger }),
    /** Clicks are stored from the beginning of each journal. */
    since: 0,
    get watermark() {
      return shipping.watermark
    },
    async pass() {
      const pass = await shipping.pass()
      const now = performance.now()
      if (pass.complete || now - toldAt >= TELL_EVERY_MS) {
        toldAt = now
        void publishProgress()
      }
      return pass
    },
    // The databases hold the memory.
    async rest() {},
    close: shipping.close,
  }
}
