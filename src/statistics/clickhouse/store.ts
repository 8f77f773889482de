import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { ClickRecord } from '../../clicks/record.ts'
import { journalDirectory } from '../../clicks/segments.ts'
import { acquireLease } from '../../clicks/leases.ts'
import type { Storage } from '../../storage/index.ts'
import type { Store } from '../process/run.ts'
import type { ClickBus } from '../shared/live.ts'
import { createSharedFacts } from '../shared/names.ts'
import { createSharedStore } from '../shared/node.ts'
import type { Click } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { linkNumbersOf } from './recount.ts'
import { createClickHouseReports } from './reports.ts'
import { migrateClickHouse } from './schema.ts'
import { createShipping } from './shipping.ts'
import { createClickHouseUpkeep } from './upkeep.ts'

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

/** ClickHouse, as the statistics process uses it. */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<Store> {
  const { dataDir, node, clickHouse, storage, bus, clock, logger, enrich } = options
  await migrateClickHouse(clickHouse)
  return createSharedStore({
    nodeNo: node.no,
    storage,
    bus,
    logger,
    reports: createClickHouseReports(clickHouse, { facts: createSharedFacts(storage) }),
    upkeep: createClickHouseUpkeep({
      clickHouse,
      storage,
      clock,
      takeOn: (forMs) => acquireLease(storage, 'clicks', forMs),
    }),
    recount: (range) => linkNumbersOf(clickHouse, range),
    openShipping: (stored) =>
      createShipping({
        clickHouse,
        dataDir,
        directory: journalDirectory(dataDir),
        node,
        enrich,
        stored,
      }),
  })
}
