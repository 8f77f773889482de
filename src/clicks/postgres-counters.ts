import type { Storage } from '../platform/storage/index.ts'
import { type CounterDatabase, createCounters } from './counters.ts'
import { acquireLease } from './leases.ts'
import type { ClickLimits } from './months.ts'
import type { CounterStore } from './types.ts'

/**
 * Opens the counters shared by all nodes. Takes ownership of the storage.
 * @param options `nodeNo`: this node's row in `node_watermarks`
 */
export function createPostgresCounters(options: {
  storage: Pick<Storage, 'read' | 'write' | 'close'>
  nodeNo: number
  limits?: ClickLimits
}): CounterStore {
  const { storage, nodeNo, limits = {} } = options
  const database: CounterDatabase = {
    dialect: 'postgres',
    db: storage.read.db,
    nodeNo,
    write: (work) => storage.write(({ db }) => work({ dialect: 'postgres', db })),
    lease: (forMs) => acquireLease(storage, 'counters', forMs),
    written() {},
    close: () => storage.close(),
  }
  return createCounters(database, limits)
}
