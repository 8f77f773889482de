import { existsSync } from 'node:fs'
import { nodeFile } from '../../platform/cluster/node.ts'
import { type Config, ConfigError, type ScaledConfig } from '../../platform/config/index.ts'
import {
  type MigrationState,
  migrateScaled,
  migrationStates,
  openEmbedded,
  openPostgres,
  type PostgresOptions,
  type Storage,
  scaledMigrationStates,
  withClicksLock,
} from '../../platform/storage/index.ts'
import { migrateInstance } from '../operations/instance.ts'

type Settings = Pick<Config, 'dataDir' | 'scaled'>

/** Connections of a command. */
const CONNECTIONS = 4
/** How long a command waits for Redis, which it uses to notify the nodes of changed links. */
const REDIS_WITHIN_MS = 1_000

/**
 * Checks that a data directory isn't a node's: without `DATABASE_URL` a node would start as a new,
 * empty instance. @throws ConfigError
 */
export function assertNoNode(dataDir: string): void {
  if (!existsSync(nodeFile(dataDir))) return
  throw new ConfigError([
    {
      variable: 'DATABASE_URL',
      problem: `is not set, but ${dataDir} belongs to a node, whose data is in PostgreSQL`,
      example: 'the value that the other nodes have; or another SLUGLINE_DATA_DIR for one machine',
    },
  ])
}

/**
 * Migrates the configured database. Returns the migrations that were applied.
 * @throws ConfigError see {@link assertNoNode}; OperatorError see {@link migrateInstance}
 */
export async function migrateDatabase({ dataDir, scaled }: Settings): Promise<MigrationState[]> {
  if (scaled !== null) return migrateScaled(scaled.database.reveal())
  assertNoNode(dataDir)
  return migrateInstance(dataDir)
}

/** See `withClicksLock`: the lock of nodes that share ClickHouse. */
export function clicksLock(scaled: ScaledConfig) {
  const { url } = postgresOptions(scaled)
  return (work: Parameters<typeof withClicksLock>[1]) => withClicksLock(url, work)
}

/** All migrations, and whether they are applied. */
export function databaseStates({ dataDir, scaled }: Settings): Promise<MigrationState[]> {
  return scaled === null
    ? migrationStates(dataDir)
    : scaledMigrationStates(scaled.database.reveal())
}

/** Opens the database for a command, which notifies all nodes of links it changes. */
export async function openDatabase({ dataDir, scaled }: Settings): Promise<Storage> {
  if (scaled === null) return openEmbedded(dataDir)
  const { announcingLinks, openCluster } = await import('../../platform/cluster/index.ts')
  const database = await openShared(scaled)
  const logger = { info() {}, warn() {} }
  const cluster = openCluster({ url: scaled.redis, logger, nodeId: 'command', member: false })
  const { announce } = cluster.linkInvalidation()
  await cluster.settled(REDIS_WITHIN_MS)
  return {
    ...announcingLinks(database, announce),
    async close() {
      await database.close()
      await cluster.close()
    },
  }
}

/** The settings of PostgreSQL. */
export function postgresOptions(scaled: ScaledConfig): PostgresOptions {
  const { database, replica, poolSize, replicaPoolSize, statementTimeoutMs } = scaled
  return {
    url: database.reveal(),
    replicaUrl: replica?.reveal() ?? null,
    poolSize,
    replicaPoolSize,
    statementTimeoutMs,
  }
}

/** Opens PostgreSQL with few connections, for commands; `options` override that. */
export function openShared(
  scaled: ScaledConfig,
  options?: Partial<PostgresOptions>,
): Promise<Storage> {
  const few = { poolSize: CONNECTIONS, replicaUrl: null }
  return openPostgres({ ...postgresOptions(scaled), ...few, ...options })
}
