export { type MigrationState, migrate, migrationStates } from './migrate.ts'
export * from './schema.ts'
export { openSqlite, type SqliteConnection } from './sqlite/connection.ts'
export { databaseFiles, type EmbeddedStorage, openEmbedded } from './sqlite/index.ts'
export {
  type Prepared,
  prepare,
  type Sql,
  type Storage,
  StorageUnavailable,
  type Transaction,
  type WriteOptions,
} from './storage.ts'
