import type { Clock } from '../base/clock.ts'
import type { Hidden } from '../base/hidden.ts'
import type { Logger } from '../base/logger.ts'
import type { ClickRecord } from '../clicks/record.ts'
import type { ScaledConfig } from '../config/index.ts'
import type { NodeStoreOptions } from '../statistics/engine/shared/node.ts'
import type { Store } from '../statistics/process/run.ts'
import type { Click } from '../statistics/types.ts'
import type { Storage } from '../storage/index.ts'
import { CommandError } from './context.ts'

/** Connections of a process beside the serving one; of one that answers reports by them. */
const CONNECTIONS = 2
const REPORTING_CONNECTIONS = 16
/** So much of PostgreSQL's memory a report may take for its visitors, before it takes the disk. */
const REPORT_MEMORY_MB = 32
/** A batch of clicks is one statement of some thousand rows. */
const STATEMENT_MS = 60_000

/** PostgreSQL and perhaps ClickHouse, as the statistics process of a node uses them. */
export interface SharedClicks {
  openStore(clock: Clock): Promise<Store>
  close(): Promise<void>
}

/** Opens the storage of a process that works beside the serving one. */
export async function openSharedStorage(scaled: ScaledConfig): Promise<Storage> {
  const { openPostgres } = await import('../storage/index.ts')
  return openPostgres({
    url: scaled.database.reveal(),
    poolSize: CONNECTIONS,
    statementTimeoutMs: STATEMENT_MS,
  })
}

/** Which node a data directory is. @throws CommandError when it isn't one */
export async function nodeOf(dataDir: string) {
  const { readNode } = await import('../cluster/node.ts')
  const node = readNode(dataDir)
  if (node === null) {
    throw new CommandError(`${dataDir} is not the data directory of a node`, 1, 'NOT_A_NODE')
  }
  return node
}

/** Connects when the first of them is asked; they need not be there. */
export async function openSharedClicks(options: {
  dataDir: string
  scaled: ScaledConfig
  enrich(record: ClickRecord): Click
  logger: Logger
}): Promise<SharedClicks> {
  const { dataDir, scaled, enrich, logger } = options
  const node = await nodeOf(dataDir)
  const { storage, openStore, close } =
    scaled.clickhouse === null
      ? await inPostgres(scaled)
      : await inClickHouse(scaled, scaled.clickhouse)
  return {
    openStore: (clock) => openStore({ dataDir, node, storage, clock, logger, enrich }),
    async close() {
      await Promise.all([close(), storage.close()])
    },
  }
}

async function inClickHouse(scaled: ScaledConfig, url: Hidden) {
  const { openClickHouse } = await import('../statistics/engine/clickhouse/client.ts')
  const { openClickHouseStore } = await import('../statistics/engine/clickhouse/store.ts')
  const clickHouse = openClickHouse(url.reveal())
  return {
    storage: await openSharedStorage(scaled),
    openStore: (options: NodeStoreOptions) => openClickHouseStore({ ...options, clickHouse }),
    close: clickHouse.close,
  }
}

/** Reports ask the copy of the database, if there is one. */
async function inPostgres(scaled: ScaledConfig) {
  const { openPostgres } = await import('../storage/index.ts')
  const { openPostgresStore } = await import('../statistics/engine/postgres/store.ts')
  return {
    storage: await openPostgres({
      url: scaled.database.reveal(),
      replicaUrl: scaled.replica?.reveal() ?? null,
      poolSize: REPORTING_CONNECTIONS,
      replicaPoolSize: scaled.replicaPoolSize,
      statementTimeoutMs: STATEMENT_MS,
      reportMemoryMb: REPORT_MEMORY_MB,
    }),
    openStore: openPostgresStore,
    async close() {},
  }
}
