import { setTimeout } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { newerData, OperatorError } from '../../../lib/errors/index.ts'
import { POSTGRES_MIGRATIONS, type PostgresMigration } from '../migrations/index.ts'
import { assertCurrentFormat, type MigrationState, statesOf } from '../migrations/states.ts'
import { asPostgresError, isOfPostgres } from './errors.ts'

/** Older versions of PostgreSQL aren't tested. */
const OLDEST_VERSION = 15
/** The lock of migrations: "slugline" in ASCII. */
const LOCK = 0x73_6c_75_67_6c_69_6e_65n
/**
 * How long a migration waits for a table in use. Requests for the table wait behind it, and would
 * fail if it took longer. It is less than `deadlock_timeout`, a second, so that in a deadlock with
 * a request the migration is rolled back.
 */
const LOCK_TIMEOUT = '500ms'
/** After this many attempts the table counts as permanently in use, for an operator to check. */
const TRIES = 60
/** SQLSTATEs of a lock timeout and a deadlock. */
const IN_USE = /^(?:55P03|40P01)$/

type Migrations = Readonly<Record<string, PostgresMigration>>

interface AppliedRow {
  name: string
  /** Milliseconds since the epoch. */
  at: string
  oldest_node: string | null
}

/**
 * Migrates the tables. Each migration is a transaction under a lock shared by all nodes. The lock
 * needs no session, so it works through PgBouncer, and others wait for at most one migration.
 * Returns the names of the applied migrations.
 * @throws StorageUnavailable, OperatorError
 */
export function migratePostgres(
  url: string,
  migrations: Migrations = POSTGRES_MIGRATIONS,
): Promise<string[]> {
  return withDatabase(url, async (db) => {
    await assertFit(db)
    const done: string[] = []
    // Most starts find nothing to do, and needn't wait for the lock.
    if (nextOf(migrations, await appliedIn(db)) === undefined) return done
    for (;;) {
      const step = await whileInUse(() => db.transaction().execute((tx) => apply(tx, migrations)))
      if (step === null) return done
      if (step.isDone) done.push(step.name)
    }
  })
}

/** All migrations, including newer ones, and whether they are applied. @throws OperatorError */
export function postgresMigrationStates(
  url: string,
  migrations: Migrations = POSTGRES_MIGRATIONS,
): Promise<MigrationState[]> {
  return withDatabase(url, async (db) => {
    const times = (await appliedIn(db)).map(
      ({ name, at }) => [name, new Date(Number(at)).toISOString()] as const,
    )
    return statesOf('postgres', migrations, new Map(times))
  })
}

/** Applies one migration, or one batch of it; null: all are applied. */
async function apply(
  tx: Transaction<never>,
  migrations: Migrations,
): Promise<{ name: string; isDone: boolean } | null> {
  // A role may have its own timeouts, but waiting for another node's migration is normal.
  await sql`SET LOCAL statement_timeout = 0`.execute(tx)
  await sql`SET LOCAL lock_timeout = 0`.execute(tx)
  await sql`SELECT pg_advisory_xact_lock(${LOCK.toString()})`.execute(tx)
  await sql`CREATE TABLE IF NOT EXISTS migrations (
    name TEXT COLLATE "C" PRIMARY KEY,
    at BIGINT NOT NULL,
    oldest_node TEXT COLLATE "C"
  )`.execute(tx)
  const name = nextOf(migrations, await appliedIn(tx))
  if (name === undefined) return null
  await sql`SET LOCAL lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(tx)
  const migration = migrations[name] as PostgresMigration
  if ('batch' in migration) {
    if (await migration.batch(tx)) {
      return { name, isDone: false }
    }
  } else {
    await migration.up(tx)
  }
  await sql`INSERT INTO migrations (name, at, oldest_node)
    VALUES (${name}, ${Date.now()}, ${migration.oldestNode ?? null})`.execute(tx)
  return { name, isDone: true }
}

/** The first migration that isn't applied. @throws OperatorError */
function nextOf(migrations: Migrations, applied: readonly AppliedRow[]): string | undefined {
  assertCurrentFormat(
    migrations,
    applied.map(({ name }) => name),
  )
  const names = Object.keys(migrations).sort()
  const newest = names.at(-1) ?? ''
  const breaking = applied.find(
    ({ name, oldest_node }) =>
      !(name in migrations) && oldest_node !== null && oldest_node > newest,
  )
  if (breaking !== undefined) throw newerData(breaking.name)
  const done = new Set(applied.map(({ name }) => name))
  return names.find((name) => !done.has(name))
}

async function appliedIn(db: Kysely<never>): Promise<AppliedRow[]> {
  const { rows: found } = await sql<{ there: boolean }>`
    SELECT to_regclass('migrations') IS NOT NULL AS there`.execute(db)
  if (!found[0]?.there) return []
  return (await sql<AppliedRow>`SELECT name, at, oldest_node FROM migrations`.execute(db)).rows
}

/** Retries while a table is in use; in between, requests get it. */
async function whileInUse<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (tries === TRIES || typeof code !== 'string' || !IN_USE.test(code)) throw error
      await setTimeout(Math.min(2_000, 100 * tries))
    }
  }
}

async function withDatabase<T>(url: string, work: (db: Kysely<never>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5_000,
    application_name: 'slugline migrate',
  })
  pool.on('error', () => {})
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(db)
  } catch (error) {
    // Our own errors contain no data; those of the server and the driver are reduced to a code.
    throw error instanceof OperatorError || !isOfPostgres(error) ? error : asPostgresError(error)
  } finally {
    await db.destroy()
  }
}

async function assertFit(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('server_encoding') AS encoding`.execute(db)
  const [found] = rows
  if ((found?.version ?? 0) < OLDEST_VERSION) {
    throw unfit(`PostgreSQL ${found?.version} is too old: ${OLDEST_VERSION} or newer is required`)
  }
  if (found?.encoding !== 'UTF8') {
    throw unfit(`The database's encoding is ${found?.encoding}: UTF8 is required`)
  }
}

function unfit(reason: string): OperatorError {
  return new OperatorError('CONFIGURATION', reason, { status: 2 })
}
