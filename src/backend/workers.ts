import type { Clock } from '../base/clock.ts'
import type { Hidden } from '../base/hidden.ts'
import type { Logger } from '../base/logger.ts'
import { type CounterStore, createPostgresCounters, openSqliteCounters } from '../clicks/index.ts'
import { type Node, readNode } from '../cluster/node.ts'
import type { Config, ScaledConfig } from '../config/index.ts'
import type { NodeStoreOptions } from '../statistics/engine/shared/node.ts'
import type { Store } from '../statistics/engine/types.ts'
import type { Storage } from '../storage/index.ts'

type Settings = Pick<Config, 'dataDir' | 'scaled'>
type Enrich = NodeStoreOptions['enrich']

/** Connections of a worker; of one that answers reports over them. */
const CONNECTIONS = 2
const REPORTING_CONNECTIONS = 16
/** PostgreSQL's memory for one report, before it uses the disk. */
const REPORT_MEMORY_MB = 32
/** A batch of clicks is one statement of some thousand rows. */
const STATEMENT_MS = 60_000
/**
 * A server that is away refuses quickly and is asked often, so that its clicks don't wait when it
 * is back. Opening a damaged or locked file costs more.
 */
const RETRY_MS = { embedded: 5_000, scaled: 500 }

/** The data directory isn't a node's. */
export class NotANode extends Error {
  override name = 'NotANode'
}

/** Opens where a machine's click worker counts. @throws NotANode */
export async function openCounters({ dataDir, scaled }: Settings): Promise<CounterStore> {
  if (scaled === null) return openSqliteCounters(dataDir)
  const { no: nodeNo } = nodeOf(dataDir)
  return createPostgresCounters({ storage: await openStorage(scaled), nodeNo })
}

/** Where a machine's statistics process stores clicks, and how what it shares is closed. */
export interface StoreOpener {
  /** @throws whatever is wrong with the store */
  open(clock: Clock): Promise<Store>
  /** Longest time between two tries, in milliseconds. */
  retryMs: number
  close(): void | Promise<void>
}

/** The only place that chooses an engine for statistics. @throws NotANode */
export async function storeOpener(
  options: Settings & { enrich: Enrich; logger: Logger },
): Promise<StoreOpener> {
  const { dataDir, scaled, enrich, logger } = options
  return scaled === null
    ? await embeddedOpener(dataDir, enrich)
    : await scaledOpener({ dataDir, scaled, enrich, logger })
}

async function embeddedOpener(dataDir: string, enrich: Enrich): Promise<StoreOpener> {
  const { openOwnStore } = await import('../statistics/engine/duckdb/store.ts')
  const { createLinkFacts } = await import('../statistics/link-facts.ts')
  const { databaseFiles } = await import('../storage/index.ts')
  const facts = createLinkFacts(databaseFiles(dataDir).main)
  return {
    open: (clock) => openOwnStore(dataDir, { clock, enrich, facts }),
    retryMs: RETRY_MS.embedded,
    close: facts.close,
  }
}

/** Connects when a store is opened; the servers need not be there yet. */
async function scaledOpener(options: {
  dataDir: string
  scaled: ScaledConfig
  enrich: Enrich
  logger: Logger
}): Promise<StoreOpener> {
  const { dataDir, scaled, enrich, logger } = options
  const node = nodeOf(dataDir)
  const { storage, openStore, close } =
    scaled.clickhouse === null
      ? await inPostgres(scaled)
      : await inClickHouse(scaled, scaled.clickhouse)
  return {
    open: (clock) => openStore({ dataDir, node, storage, clock, logger, enrich }),
    retryMs: RETRY_MS.scaled,
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
    storage: await openStorage(scaled),
    openStore: (options: NodeStoreOptions) => openClickHouseStore({ ...options, clickHouse }),
    close: clickHouse.close,
  }
}

/** Reports ask the replica, if there is one. */
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

async function openStorage(scaled: ScaledConfig): Promise<Storage> {
  const { openPostgres } = await import('../storage/index.ts')
  return openPostgres({
    url: scaled.database.reveal(),
    poolSize: CONNECTIONS,
    statementTimeoutMs: STATEMENT_MS,
  })
}

function nodeOf(dataDir: string): Node {
  const node = readNode(dataDir)
  if (node === null) throw new NotANode(`${dataDir} is not the data directory of a node`)
  return node
}
