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
  /** Whether a newer version has applied it: this one doesn't know it. */
  newer: boolean
}

/** A data directory has counters and no links: its main database was lost. */
export class MainDatabaseLost extends Error {
  override name = 'MainDatabaseLost'
}

const SETS: ['main' | 'counters', Record<string, Migration>][] = [
  ['main', MAIN_MIGRATIONS],
  ['counters', COUNTERS_MIGRATIONS],
]

/**
 * Brings the tables up to date, under a lock. Returns what was applied now.
 * @throws MainDatabaseLost
 */
export async function migrate(dataDir: string): Promise<MigrationState[]> {
  const { main, counters } = databaseFiles(dataDir)
  // The main one is made first. A new one would give new links the numbers of lost ones, and so
  // their clicks.
  if (existsSync(counters) && !existsSync(main)) throw new MainDatabaseLost(main)
  const applied: MigrationState[] = []
  for (const [database, migrations] of SETS) {
    const connection = openSqlite(databaseFiles(dataDir)[database])
    try {
      const migrator = migratorOf(connection.db, migrations)
      const { error, results } = await migrator.migrateToLatest()
      if (error) throw error
      for (const { migrationName } of results ?? []) {
        applied.push({
          database,
          name: migrationName,
          applied_at: new Date().toISOString(),
          newer: false,
        })
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
    newer: false,
  }))
}

/** The same as {@link migrationStates} for PostgreSQL. */
export async function scaledMigrationStates(url: string): Promise<MigrationState[]> {
  const { postgresMigrationStates } = await import('./postgres/migrate.ts')
  return (await postgresMigrationStates(url)).map(({ name, executedAt, isKnown }) => ({
    database: 'postgres',
    name,
    applied_at: executedAt?.toISOString() ?? null,
    newer: !isKnown,
  }))
}

/** All migrations, those of a newer version included, and which of them are applied. */
export async function migrationStates(dataDir: string): Promise<MigrationState[]> {
  const states: MigrationState[] = []
  for (const [database, migrations] of SETS) {
    const file = databaseFiles(dataDir)[database]
    if (!existsSync(file)) {
      // Asking must not make the file.
      states.push(
        ...Object.keys(migrations).map((name) => ({
          database,
          name,
          applied_at: null,
          newer: false,
        })),
      )
      continue
    }
    const connection = openSqlite(file)
    try {
      const applied = appliedIn(connection.raw)
      for (const name of [...new Set([...Object.keys(migrations), ...applied.keys()])].sort()) {
        const newer = !(name in migrations)
        states.push({ database, name, applied_at: applied.get(name) ?? null, newer })
      }
    } finally {
      connection.close()
    }
  }
  return states
}

/** Names with times, as Kysely's migrator keeps them. It shows none that it doesn't know. */
function appliedIn(raw: ReturnType<typeof openSqlite>['raw']): Map<string, string> {
  const table = raw.query("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get()
  if (table === null) return new Map()
  return new Map(
    raw.query('SELECT name, timestamp FROM kysely_migration').values() as [string, string][],
  )
}

function migratorOf(
  db: ConstructorParameters<typeof Migrator>[0]['db'],
  migrations: Record<string, Migration>,
) {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}
