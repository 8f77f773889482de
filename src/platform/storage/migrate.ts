import { existsSync } from 'node:fs'
import type { Migration } from 'kysely'
import { instanceIn } from './instance.ts'
import { applyMigrations } from './migrations/apply.ts'
import { COUNTERS_MIGRATIONS, MAIN_MIGRATIONS } from './migrations/index.ts'
import { type MigrationState, statesOf } from './migrations/states.ts'
import { openSqlite, type SqliteConnection } from './sqlite/connection.ts'
import {
  draftCounters,
  faultOfCounters,
  isCorrupt,
  replaceCounters,
} from './sqlite/counters-file.ts'
import { databaseFiles } from './sqlite/index.ts'

/** The main database comes first: a new one would reuse the numbers, and clicks, of lost links. */
const SETS: Readonly<Record<'main' | 'counters', Readonly<Record<string, Migration>>>> = {
  main: MAIN_MIGRATIONS,
  counters: COUNTERS_MIGRATIONS,
}

/**
 * Migrates a data directory, under a lock. Counters that are lost or damaged are made anew, to be
 * filled from the stored clicks. Returns what was applied. @throws OperatorError
 */
export async function migrate(dataDir: string): Promise<MigrationState[]> {
  const files = databaseFiles(dataDir)
  // Throws before anything is changed.
  const states = await migrationStates(dataDir)
  const isFirst = states.every(({ applied_at }) => applied_at === null)
  const applied = await migrateOne('main', files.main, (connection) => {
    // Makes the new tables durable before anything relies on them.
    connection.raw.run('PRAGMA wal_checkpoint(PASSIVE)')
  })
  const counters = () =>
    migrateOne('counters', files.counters, (connection) => nameOwner(connection, files.main))
  if (isFirst) return [...applied, ...(await counters())]
  if (faultOfCounters(files.counters, null) === null) {
    try {
      return [...applied, ...(await counters())]
    } catch (error) {
      if (!isCorrupt(error)) throw error
    }
  }
  const instance = (await instanceIn(files.main))?.id ?? null
  replaceCounters(files.counters, await draftCounters(files.counters, instance))
  return applied
}

async function migrateOne(
  database: 'main' | 'counters',
  file: string,
  then: (connection: SqliteConnection) => void,
): Promise<MigrationState[]> {
  const connection = openSqlite(file)
  try {
    const names = await applyMigrations(connection, SETS[database])
    then(connection)
    return appliedNow(database, names)
  } finally {
    connection.close()
  }
}

/** Writes into counters which instance they belong to, unless they say it already. */
function nameOwner({ raw }: Pick<SqliteConnection, 'raw'>, main: string): void {
  // Only read, usually: the click worker may be writing.
  if (raw.query('SELECT 1 FROM journal_watermark WHERE instance IS NULL').get() === null) return
  raw.run('ATTACH ? AS links_file', [main])
  raw.run("UPDATE journal_watermark SET instance = (SELECT value FROM instance WHERE name = 'id')")
}

/** The same for PostgreSQL. @throws StorageUnavailable, OperatorError */
export async function migrateScaled(url: string): Promise<MigrationState[]> {
  const { migratePostgres } = await import('./postgres/migrate.ts')
  return appliedNow('postgres', await migratePostgres(url))
}

/** The same as {@link migrationStates} for PostgreSQL. */
export async function scaledMigrationStates(url: string): Promise<MigrationState[]> {
  return (await import('./postgres/migrate.ts')).postgresMigrationStates(url)
}

/** All migrations, including newer ones, and whether they are applied. @throws OperatorError */
export async function migrationStates(dataDir: string): Promise<MigrationState[]> {
  const files = databaseFiles(dataDir)
  const states = (database: 'main' | 'counters', applied: ReadonlyMap<string, string>) =>
    statesOf(database, SETS[database], applied)
  return [
    ...states('main', appliedIn(files.main)),
    ...states('counters', appliedUnlessDamaged(files.counters)),
  ]
}

/** None, if they can't be read: they are made anew. */
function appliedUnlessDamaged(file: string): Map<string, string> {
  try {
    return appliedIn(file)
  } catch (error) {
    if (isCorrupt(error)) return new Map()
    throw error
  }
}

function appliedNow(
  database: MigrationState['database'],
  names: readonly string[],
): MigrationState[] {
  const applied_at = new Date().toISOString()
  return names.map((name) => ({ database, name, applied_at, newer: false }))
}

/** Names with times, from Kysely's table. Its migrator doesn't list unknown ones. */
function appliedIn(file: string): Map<string, string> {
  // Opening would create the file.
  if (!existsSync(file)) return new Map()
  const { raw, close } = openSqlite(file)
  try {
    const table = raw.query("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get()
    if (table === null) return new Map()
    return new Map(
      raw.query('SELECT name, timestamp FROM kysely_migration').values() as [string, string][],
    )
  } finally {
    close()
  }
}
