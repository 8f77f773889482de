import { existsSync } from 'node:fs'
import { type Migration, Migrator } from 'kysely'
import { COUNTERS_MIGRATIONS, MAIN_MIGRATIONS } from './migrations/index.ts'
import { type MigrationState, statesOf } from './migrations/states.ts'
import { openSqlite, type SqliteConnection } from './sqlite/connection.ts'
import { databaseFiles } from './sqlite/index.ts'

/** A data directory has counters but no links: its main database was lost. */
export class MainDatabaseLost extends Error {
  override name = 'MainDatabaseLost'
}

/** The main database comes first: a new one would reuse the numbers, and clicks, of lost links. */
const SETS: readonly ['main' | 'counters', Readonly<Record<string, Migration>>][] = [
  ['main', MAIN_MIGRATIONS],
  ['counters', COUNTERS_MIGRATIONS],
]

/**
 * Migrates a data directory, under a lock. Returns what was applied. @throws MainDatabaseLost,
 * OldFormat
 */
export async function migrate(dataDir: string): Promise<MigrationState[]> {
  const { main, counters } = databaseFiles(dataDir)
  if (existsSync(counters) && !existsSync(main)) throw new MainDatabaseLost(main)
  // Throws before anything is changed.
  await migrationStates(dataDir)
  const applied: MigrationState[] = []
  for (const [database, migrations] of SETS) {
    const connection = openSqlite(databaseFiles(dataDir)[database])
    try {
      const migrator = new Migrator({
        db: connection.db,
        provider: { getMigrations: async () => migrations },
      })
      const { error, results = [] } = await migrator.migrateToLatest()
      if (error) throw error
      const names = results.map(({ migrationName }) => migrationName)
      applied.push(...appliedNow(database, names))
      // The checkpoint makes the new tables durable before anything relies on them.
      if (database === 'main') connection.raw.run('PRAGMA wal_checkpoint(PASSIVE)')
    } finally {
      connection.close()
    }
  }
  return applied
}

/** The same for PostgreSQL. @throws StorageUnavailable, UnfitDatabase, NewerDatabase, OldFormat */
export async function migrateScaled(url: string): Promise<MigrationState[]> {
  const { migratePostgres } = await import('./postgres/migrate.ts')
  return appliedNow('postgres', await migratePostgres(url))
}

/** The same as {@link migrationStates} for PostgreSQL. */
export async function scaledMigrationStates(url: string): Promise<MigrationState[]> {
  return (await import('./postgres/migrate.ts')).postgresMigrationStates(url)
}

/** All migrations, including newer ones, and whether they are applied. @throws OldFormat */
export async function migrationStates(dataDir: string): Promise<MigrationState[]> {
  return SETS.flatMap(([database, migrations]) => {
    const file = databaseFiles(dataDir)[database]
    // Opening would create the file.
    if (!existsSync(file)) return statesOf(database, migrations, new Map())
    const connection = openSqlite(file)
    try {
      return statesOf(database, migrations, appliedIn(connection))
    } finally {
      connection.close()
    }
  })
}

function appliedNow(
  database: MigrationState['database'],
  names: readonly string[],
): MigrationState[] {
  const applied_at = new Date().toISOString()
  return names.map((name) => ({ database, name, applied_at, newer: false }))
}

/** Names with times, from Kysely's table. Its migrator doesn't list unknown ones. */
function appliedIn({ raw }: Pick<SqliteConnection, 'raw'>): Map<string, string> {
  const table = raw.query("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get()
  if (table === null) return new Map()
  return new Map(
    raw.query('SELECT name, timestamp FROM kysely_migration').values() as [string, string][],
  )
}
