import { join } from 'node:path'
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
import { numbersStream } from '../shared/streams.ts'
import type { Click } from '../types.ts'
import { linkNumbers } from './recount.ts'
import { createPostgresReports } from './reports.ts'
import { openShipping } from './shipping.ts'
import { createPostgresUpkeep } from './upkeep.ts'

/** What {@link openPostgresStore} works with. It closes none of them. */
export interface PostgresStoreOptions {
  dataDir: string
  node: { no: number }
  storage: Pick<Storage, 'read' | 'reports' | 'write'>
  bus: ClickBus
  clock: Clock
  logger?: Pick<Logger, 'warn'>
  enrich(record: ClickRecord): Click
}

/** The clicks in PostgreSQL, as the statistics process uses them. */
export function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { dataDir, node, storage, bus, clock, logger, enrich } = options
  return createSharedStore({
    nodeNo: node.no,
    storage,
    bus,
    logger,
    reports: createPostgresReports({
      storage,
      directory: join(dataDir, 'exports'),
      facts: createSharedFacts(storage),
    }),
    upkeep: createPostgresUpkeep({
      storage,
      clock,
      takeOn: (forMs) => acquireLease(storage, 'clicks', forMs),
    }),
    recount: (range) => numbersStream((signal) => linkNumbers(storage, range, signal)),
    openShipping: (stored) =>
      openShipping({
        storage,
        directory: journalDirectory(dataDir),
        nodeNo: node.no,
        enrich,
        stored,
      }),
  })
}
