import {
  type ClickLimits,
  type CounterStore,
  createPostgresCounters,
  type FollowingCounters,
  fillCounters,
  followCounters,
  mustFill,
  openSqliteCounters,
  readCounted,
} from '../../clicks/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Secret } from '../../lib/base/secret.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { type Node, readNode } from '../../platform/cluster/node.ts'
import type { Config, ScaledConfig } from '../../platform/config/index.ts'
import { databaseFiles, openFollowing } from '../../platform/storage/index.ts'
import type { NodeStoreOptions } from '../../statistics/engine/shared/node.ts'
import type { Store } from '../../statistics/engine/types.ts'
import { clicksLock, openShared, postgresOptions } from './databases.ts'

type Settings = Pick<Config, 'dataDir' | 'scaled'> & {
  /** See `clickLimitsOf`: if there are any, the statistics process stores only counted clicks. */
  limits: ClickLimits
}

/** Connections of a worker, or of one that answers reports. */
const CONNECTIONS = 2
const REPORTING_CONNECTIONS = 16
/** PostgreSQL's memory for a report, before it uses the disk. */
const reportMemoryMb = 32
/** A batch of clicks is one statement of some thousand rows. */
const statementTimeoutMs = 60_000
/**
 * An unavailable server refuses quickly, so it is retried often, to resume soon. Opening a damaged
 * or locked file costs more.
 */
const RETRY_MS = { embedded: 5_000, scaled: 500 }

/** How long the click worker waits for the statistics process, which is started with it. */
const PROCESS_WITHIN_MS = 10_000

/** Opens the counters for a machine's click worker. @throws OperatorError */
export async function openCounters({
  dataDir,
  scaled,
  limits,
}: Settings): Promise<CounterStore | FollowingCounters> {
  if (scaled === null) {
    return followCounters(dataDir, async () => {
      if (mustFill(dataDir)) await fillFromStored(dataDir)
      return openSqliteCounters(dataDir, limits)
    })
  }
  const { no: nodeNo } = nodeOf(dataDir)
  const storage = await openShared(scaled, { poolSize: CONNECTIONS, statementTimeoutMs })
  return createPostgresCounters({ storage, nodeNo, limits })
}

/** Fills new counters from the stored clicks. */
async function fillFromStored(dataDir: string): Promise<void> {
  const { storedCounters } = await import('../../statistics/process/stored-counters.ts')
  // A command has no statistics process beside it that is about to start.
  const processWithinMs = process.send === undefined ? 0 : PROCESS_WITHIN_MS
  await fillCounters(dataDir, storedCounters(dataDir, processWithinMs), systemClock.now())
}

/** Opens the store of a machine's statistics process, and closes what it shares. */
interface StoreOpener {
  /**
   * @param began is called before its tables are migrated
   * @throws the reason why the store can't be opened
   */
  open(began?: () => void): Promise<Store>
  /** Longest time between two attempts, in milliseconds. */
  retryMs: number
  close(): void | Promise<void>
}

type StoreSettings = Settings & { enrich: NodeStoreOptions['enrich']; logger: Logger }

/** The only place that chooses an engine for statistics. @throws OperatorError */
export function storeOpener(options: StoreSettings): Promise<StoreOpener> {
  const { scaled } = options
  return scaled === null ? embeddedOpener(options) : scaledOpener(options, scaled)
}

async function embeddedOpener({
  dataDir,
  enrich,
  logger,
  limits,
}: StoreSettings): Promise<StoreOpener> {
  const { openOwnStore } = await import('../../statistics/engine/duckdb/store.ts')
  const { createLinkFacts } = await import('../../statistics/store.ts')
  const files = databaseFiles(dataDir)
  const counters = isLimited(limits) ? openFollowing(files.counters) : null
  const facts = createLinkFacts(files.main)
  const counted = counters !== null && { counted: () => readCounted(counters.current(), 0) }
  return {
    open: (began) => {
      const migration = { began }
      const options = { clock: systemClock, enrich, facts, logger, migration, ...counted }
      return openOwnStore(dataDir, options)
    },
    retryMs: RETRY_MS.embedded,
    close() {
      counters?.close()
      facts.close()
    },
  }
}

/** Connects when a store is opened; the servers may start later. */
async function scaledOpener(
  { dataDir, enrich, logger, limits }: StoreSettings,
  scaled: ScaledConfig,
): Promise<StoreOpener> {
  const node = nodeOf(dataDir)
  const engine =
    scaled.clickhouse === null
      ? await inPostgres(scaled)
      : await inClickHouse(scaled, scaled.clickhouse)
  const storage = await openShared(scaled, { statementTimeoutMs, ...engine.connections })
  const counted = isLimited(limits) && { counted: () => readCounted(storage.read, node.no) }
  const options = { dataDir, node, storage, logger, enrich, clock: systemClock, ...counted }
  return {
    open: (began) => engine.openStore(options, began),
    retryMs: RETRY_MS.scaled,
    async close() {
      await Promise.all([engine.close(), storage.close()])
    },
  }
}

async function inClickHouse(scaled: ScaledConfig, url: Secret) {
  const { openClickHouse } = await import('../../statistics/engine/clickhouse/client.ts')
  const { openClickHouseStore } = await import('../../statistics/engine/clickhouse/store.ts')
  const clickHouse = openClickHouse(url.reveal())
  const exclusively = clicksLock(scaled)
  return {
    connections: { poolSize: CONNECTIONS },
    openStore: (options: NodeStoreOptions, began?: () => void) =>
      openClickHouseStore({ ...options, clickHouse, migration: { exclusively, began } }),
    close: clickHouse.close,
  }
}

/** Reports query the replica, if there is one. */
async function inPostgres(scaled: ScaledConfig) {
  const { openPostgresStore } = await import('../../statistics/engine/postgres/store.ts')
  const { replicaUrl } = postgresOptions(scaled)
  const connections = { replicaUrl, poolSize: REPORTING_CONNECTIONS, reportMemoryMb }
  return { connections, openStore: openPostgresStore, async close() {} }
}

function isLimited(limits: ClickLimits): boolean {
  return Object.keys(limits).length > 0
}

function nodeOf(dataDir: string): Node {
  const node = readNode(dataDir)
  if (node === null) {
    throw new OperatorError('NOT_A_NODE', `${dataDir} is not the data directory of a node`)
  }
  return node
}
