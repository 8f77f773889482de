export { SQLiteError } from 'bun:sqlite'
export { CLICK_DETAILS } from '../../lib/base/click-columns.ts'
export { migrate, migrateScaled, migrationStates, scaledMigrationStates } from './migrate.ts'

import type { PostgresOptions, PostgresStorage } from './postgres/index.ts'

export { announcingEvents, createEventSignal, type EventSignal } from './event-signal.ts'
export { renewFeed } from './feed.ts'

export {
  assertOwned,
  type Instance,
  instanceIn,
  type Owned,
  PUT_BACK,
  readInstance,
} from './instance.ts'
export { bySql } from './kysely.ts'
export { readDottedKeys } from './migrations/dotted-keys.ts'
export type { MigrationState } from './migrations/states.ts'
export { asPostgresError, RefusedStatement } from './postgres/errors.ts'
export type { PostgresOptions, PostgresStorage } from './postgres/index.ts'
export { containing, countRows } from './queries.ts'
export { createRefresh, raiseRevision } from './revisions.ts'
export { rehearse, savepoint } from './savepoint.ts'
export * from './schema.ts'
export type { AttachedCounters } from './sqlite/attached-counters.ts'
export {
  openFollowing,
  openSqlite,
  openUnchanged,
  type SqliteConnection,
} from './sqlite/connection.ts'
export {
  areUnfilled,
  faultOfCounters,
  inodeOf,
  isCutOff,
  isDamage,
  keptCounters,
  setFilled,
} from './sqlite/counters-file.ts'
export { databaseFiles, type EmbeddedStorage, openEmbedded } from './sqlite/index.ts'
export {
  type Dialect,
  type LinkChange,
  prepare,
  prepareRows,
  prepareSql,
  type Sql,
  type Storage,
  StorageUnavailable,
  type Transaction,
  type WriteOptions,
} from './storage.ts'

/** See `postgres/lock.ts`. */
export async function withClicksLock(
  ...args: Parameters<typeof import('./postgres/lock.ts')['withClicksLock']>
): Promise<boolean> {
  return (await import('./postgres/lock.ts')).withClicksLock(...args)
}

/** Loads the driver on demand: a single machine doesn't need it. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStorage> {
  return (await import('./postgres/index.ts')).openPostgres(options)
}
export { isDeletedSeen, isFolderSeen, isSeen } from './view.ts'
