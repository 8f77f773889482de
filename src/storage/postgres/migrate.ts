import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { POSTGRES_MIGRATIONS } from '../migrations/index.ts'
import { StorageUnavailable } from '../storage.ts'
import { asPostgresError } from './errors.ts'

/** PostgreSQL before this one is not tried with. */
const OLDEST_VERSION = 15

/** A database that can't be used as it is: what is wrong with it. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase'
}

/**
 * Brings the tables up to date, under a lock that all nodes share. Gives the names of what was
 * applied now. @throws StorageUnavailable, UnfitDatabase
 */
export function migratePostgres(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator, db) => {
    await assertFit(db)
    const { error, results } = await migrator.migrateToLatest()
    if (error) throw error
    return (results ?? []).map(({ migrationName }) => migrationName)
  })
}

/** All migrations, and when each was applied. @throws StorageUnavailable */
export function postgresMigrationStates(
  url: string,
): Promise<{ name: string; executedAt?: Date | undefined }[]> {
  return withMigrator(url, async (migrator) => [...(await migrator.getMigrations())])
}

async function withMigrator<T>(
  url: string,
  work: (migrator: Migrator, db: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5_000,
    application_name: 'slugline migrate',
  })
  pool.on('error', () => {})
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const provider = { getMigrations: async () => POSTGRES_MIGRATIONS }
  try {
    return await work(new Migrator({ db, provider }), db)
  } catch (error) {
    if (error instanceof UnfitDatabase || error instanceof StorageUnavailable) throw error
    // The migrator's own words hold no data; those of the server are reduced to their code.
    const isOwn = error instanceof Error && !('code' in error)
    // The driver's, about the way to the server, have no code either.
    if (isOwn && !/connection|timeout/i.test(error.message)) throw error
    throw asPostgresError(error)
  } finally {
    await db.destroy()
  }
}

async function assertFit(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('server_encoding') AS encoding`.execute(db)
  const [found] = rows
  if ((found?.version ?? 0) < OLDEST_VERSION) {
    throw new UnfitDatabase(
      `PostgreSQL ${found?.version} is too old: ${OLDEST_VERSION} or newer is needed`,
    )
  }
  if (found?.encoding !== 'UTF8') {
    throw new UnfitDatabase(`The database's encoding is ${found?.encoding}: UTF8 is needed`)
  }
}
