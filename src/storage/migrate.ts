import { existsSync } from 'node:fs'
import { type Migration, Migrator } from 'kysely'
import { COUNTERS_MIGRATIONS, MAIN_MIGRATIONS } from './migrations/index.ts'
import { openSqlite } from './sqlite/connection.ts'
import { databaseFiles } from './sqlite/index.ts'

/** One migration and whether it has been applied. */
export interface MigrationState {
  database: 'main' | 'counters' | 'postgres'
  name: string
  /** RFC 3339, or null while it waits. */
  applied_at: string | null
}

const SETS: ['main' | 'counters', Record<string, Migration>][] = [
  ['main', MAIN_MIGRATIONS],
  ['counters', COUNTERS_MIGRATIONS],
]

/** Brings the tables up to date, under a lock. Returns what was applied now. */
export async function migrate(dataDir: string): Promise<MigrationState[]> {
  const applied: MigrationState[] = []
  for (const [database, migrations] of SETS) {
    const connection = openSqlite(databaseFiles(dataDir)[database])
    try {
      const migrator = migratorOf(connection.db, migrations)
      const { error, results } = await migrator.migrateToLatest()
      if (error) throw error
      for (const { migrationName } of results ?? []) {
        applied.push({ database, name: migrationName, applied_at: new Date().toISOString() })
      }
      if (database === 'main') {
        // The checkpoint makes the new tables survive a power cut before anything relies on them.
        connection.raw.run('PRAGMA wal_checkpoint(PASSIVE)')
      }
    } finally {
      connection.close()
    }
  }
  return applied
}

/** The same for PostgreSQL. */
export async function migrateScaled(url: string): Promise<MigrationState[]> {
  const { migratePostgres } = await import('./postgres/migrate.ts')
  return (await migratePostgres(url)).map((name) => ({
    database: 'postgres',
    name,
    applied_at: new Date().toISOString(),
  }))
}

/** The same as {@link migrationStates} for PostgreSQL. */
export async function scaledMigrationStates(url: string): Promise<MigrationState[]> {
  const { postgresMigrationStates } = await import('./postgres/migrate.ts')
  return (await postgresMigrationStates(url)).map(({ name, executedAt }) => ({
    database: 'postgres',
    name,
    applied_at: executedAt?.toISOString() ?? null,
  }))
}

/** All migrations and which of them are applied. */
export async function migrationStates(dataDir: string): Promise<MigrationState[]> {
  const states: MigrationState[] = []
  for (const [database, migrations] of SETS) {
    const file = databaseFiles(dataDir)[database]
    if (!existsSync(file)) {
      // Asking must not make the file.
      states.push(...Object.keys(migrations).map((name) => ({ database, name, applied_at: null })))
      continue
    }
    const connection = openSqlite(file)
    try {
      for (const { name, executedAt } of await migratorOf(
        connection.db,
        migrations,
      ).getMigrations()) {
        states.push({ database, name, applied_at: executedAt?.toISOString() ?? null })
      }
    } finally {
      connection.close()
    }
  }
  return states
}

function migratorOf(
  db: ConstructorParameters<typeof Migrator>[0]['db'],
  migrations: Record<string, Migration>,
) {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}
