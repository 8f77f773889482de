import { existsSync } from 'node:fs'
import { type Migration, Migrator } from 'kysely'
import { COUNTERS_MIGRATIONS, MAIN_MIGRATIONS } from './migrations/index.ts'
import { type MigrationState, statesOf } from './migrations/states.ts'
import { openSqlite, type SqliteConnection } from './sqlite/connection.ts'
import { databaseFiles } from './sqlite/index.ts'

/** The main database comes first: a new one would reuse the numbers, and clicks, of lost links. */
const SETS: readonly ['main' | 'counters', Readonly<Record<string, Migration>>][] = [
  ['main', MAIN_MIGRATIONS],
  ['counters', COUNTERS_MIGRATIONS],
]

/** Migrates a data directory, under a lock. Returns what was applied. @throws OldFormat */
export async function migrate(dataDir: string): Promise<MigrationState[]> {
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
      else nameOwner(connection, databaseFiles(dataDir).main)
    } finally {
      connection.close()
    }
  }
  return applied
}

/** Writes into counters which instance they belong to, unless they say it already. */
function nameOwner({ raw }: Pick<SqliteConnection, 'raw'>, main: string): void {
  // Only read, usually: the click worker may be writing.
  if (raw.query('SELECT 1 FROM journal_watermark WHERE instance IS NULL').get() === null) return
  raw.run('ATTACH ? AS links_file', [main])
  raw.run("UPDATE journal_watermark SET instance = (SELECT value FROM instance WHERE name = 'id')")
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
