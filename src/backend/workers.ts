import type { Clock } from '../base/clock.ts'
import type { Hidden } from '../base/hidden.ts'
import type { Logger } from '../base/logger.ts'
import {
  type ClickLimits,
  type CounterStore,
  createPostgresCounters,
  openSqliteCounters,
  readCounted,
} from '../clicks/index.ts'
import { type Node, readNode } from '../cluster/node.ts'
import type { Config, ScaledConfig } from '../config/index.ts'
import type { NodeStoreOptions } from '../statistics/engine/shared/node.ts'
import type { Store } from '../statistics/engine/types.ts'
import type { PostgresOptions, Storage } from '../storage/index.ts'

type Settings = Pick<Config, 'dataDir' | 'scaled'> & {
  /** See `clickLimitsOf`: with any, the statistics process stores what the counters count. */
  limits: ClickLimits
}
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
export async function openCounters({ dataDir, scaled, limits }: Settings): Promise<CounterStore> {
  if (scaled === null) return openSqliteCounters(dataDir, limits)
  const { no: nodeNo } = nodeOf(dataDir)
  return createPostgresCounters({ storage: await openStorage(scaled), nodeNo, limits })
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
  const { dataDir, scaled, enrich, limits } = options
  const isLimited = Object.keys(limits).length > 0
  return scaled === null
    ? await embeddedOpener(dataDir, enrich, isLimited)
    : await scaledOpener({ ...options, scaled, isLimited })
}

async function embeddedOpener(
  dataDir: string,
  enrich: Enrich,
  isLimited: boolean,
): Promise<StoreOpener> {
  const { openOwnStore } = await import('../statistics/engine/duckdb/store.ts')
  const { createLinkFacts } = await import('../statistics/link-facts.ts')
  const { databaseFiles, openSqlite } = await import('../storage/index.ts')
  const counters = isLimited
    ? openSqlite(databaseFiles(dataDir).counters, { readonly: true })
    : null
  const facts = createLinkFacts(databaseFiles(dataDir).main)
  return {
    open: (clock) =>
      openOwnStore(dataDir, {
        clock,
        enrich,
        facts,
        ...(counters !== null && { counted: () => readCounted(counters, 0) }),
      }),
    retryMs: RETRY_MS.embedded,
    close() {
      counters?.close()
      facts.close()
    },
  }
}

/** Connects when a store is opened; the servers need not be there yet. */
async function scaledOpener(options: {
  dataDir: string
  scaled: ScaledConfig
  enrich: Enrich
  logger: Logger
  isLimited: boolean
}): Promise<StoreOpener> {
  const { dataDir, scaled, enrich, logger, isLimited } = options
  const node = nodeOf(dataDir)
  // Connects when a store is opened; the servers need not be there yet.
  const { storage, openStore, close } =
    scaled.clickhouse === null
      ? await inPostgres(scaled)
      : await inClickHouse(scaled, scaled.clickhouse)
  return {
    open: (clock) =>
      openStore({
        dataDir,
        node,
        storage,
        clock,
        logger,
        enrich,
        ...(isLimited && { counted: () => readCounted(storage.read, node.no) }),
      }),
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
  const { openPostgresStore } = await import('../statistics/engine/postgres/store.ts')
  const storage = await openStorage(scaled, {
    replicaUrl: scaled.replica?.reveal() ?? null,
    poolSize: REPORTING_CONNECTIONS,
    replicaPoolSize: scaled.replicaPoolSize,
    reportMemoryMb: REPORT_MEMORY_MB,
  })
  return { storage, openStore: openPostgresStore, async close() {} }
}

async function openStorage(
  { database }: ScaledConfig,
  options?: Partial<PostgresOptions>,
): Promise<Storage> {
  const { openPostgres } = await import('../storage/index.ts')
  const url = database.reveal()
  return openPostgres({
    url,
    poolSize: CONNECTIONS,
    statementTimeoutMs: STATEMENT_MS,
    ...options,
  })
}

function nodeOf(dataDir: string): Node {
  const node = readNode(dataDir)
  if (node === null) throw new NotANode(`${dataDir} is not the data directory of a node`)
  return node
}
