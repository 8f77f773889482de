import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { ClickRecord } from '../../clicks/record.ts'
import { journalDirectory } from '../../clicks/segments.ts'
import { takeOn } from '../../clicks/shared/chores.ts'
import type { Storage } from '../../storage/index.ts'
import type { Store } from '../process/run.ts'
import type { Click } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { type ClickBus, createSharedLive } from './live.ts'
import { createSharedFacts } from './names.ts'
import { linkNumbersOf } from './recount.ts'
import { createClickHouseReports } from './reports.ts'
import { migrateClickHouse } from './schema.ts'
import { createShipping } from './shipping.ts'
import { createUpkeep } from './upkeep.ts'

/** How often others are told how far this node's journal is in ClickHouse. */
const TELL_EVERY_MS = 1_000

/** What {@link openClickHouseStore} works with. It closes none of them. */
export interface ClickHouseStoreOptions {
  dataDir: string
  node: { id: string; no: number }
  clickHouse: ClickHouse
  storage: Pick<Storage, 'read' | 'reports' | 'write'>
  bus: ClickBus
  clock: Clock
  logger?: Pick<Logger, 'warn'>
  enrich(record: ClickRecord): Click
}

/** ClickHouse, as the statistics process uses it: in the place of a node's own file. */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<Store> {
  const { dataDir, node, clickHouse, storage, bus, clock, logger, enrich } = options
  await migrateClickHouse(clickHouse)
  const reports = createClickHouseReports(clickHouse, { facts: createSharedFacts(storage) })
  const live = createSharedLive({
    bus,
    clicksAfter: (workspaceNo, after, limit) =>
      reports.clicks(
        {
          workspaceNo,
          linkSeq: null,
          linkSeqs: null,
          from: after.time,
          to: Number.MAX_SAFE_INTEGER,
          filters: [],
          bots: 'include',
          offsets: [{ from: after.time, offsetMs: 0 }],
        },
        { after, limit },
      ),
  })
  const shipping = createShipping({
    clickHouse,
    dataDir,
    directory: journalDirectory(dataDir),
    node,
    enrich,
    stored: live.stored,
  })
  const upkeep = createUpkeep({
    clickHouse,
    storage,
    clock,
    takeOn: (forMs) => takeOn(storage, 'clicks', forMs),
  })
  let toldAt = Number.NEGATIVE_INFINITY

  let isTelling = false

  /** For the recount alone: clicks are stored, whether PostgreSQL is there or not. */
  async function tell(): Promise<void> {
    if (isTelling) return
    isTelling = true
    const { segment, offset } = shipping.watermark
    await sql`UPDATE node_watermarks SET shipped_segment = ${segment}, shipped_offset = ${offset}
      WHERE node_no = ${node.no}`
      .execute(storage.read.db)
      .catch(() => {})
    isTelling = false
  }

  const store = {
    reportsUntil: reports.until,
    live: { ...liveOf(live), publish() {} },
    maintenance: {
      get due() {
        return upkeep.due
      },
      setRetention: upkeep.setRetention,
      // PostgreSQL or ClickHouse may be away: clicks are stored all the same, and it is tried later.
      step: () =>
        upkeep.step().catch((err) => logger?.warn({ err }, 'Old clicks can not be deleted')),
    },
    recount: (range: readonly [first: number, end: number]) => linkNumbersOf(clickHouse, range),
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
    // What it holds is ClickHouse's.
    async releaseMemory() {},
    async rest() {
      shipping.rest()
    },
    close() {
      live.close()
      shipping.close()
    },
  }
  return store
}

function liveOf(live: ReturnType<typeof createSharedLive>) {
  return {
    get watchers() {
      return live.watchers
    },
    watch: live.watch,
    close: live.close,
  }
}
