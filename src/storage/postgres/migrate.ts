import { setTimeout } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { POSTGRES_MIGRATIONS, type PostgresMigration } from '../migrations/index.ts'
import { assertCurrentFormat, type MigrationState, statesOf } from '../migrations/states.ts'
import { asPostgresError } from './errors.ts'

/** The tests run on no older version of PostgreSQL. */
const OLDEST_VERSION = 15
/** The lock that a migration holds: "slugline" in ASCII. */
const LOCK = 0x73_6c_75_67_6c_69_6e_65n
/**
 * How long a migration waits for a table that is in use. Requests that need the table wait behind
 * it, and would fail if it took longer. It is less than `deadlock_timeout`, a second: of a migration
 * and a request that wait for each other's tables the migration is rolled back.
 */
const LOCK_TIMEOUT = '500ms'
/** After so many tries the table is taken to be in use for good, which an operator has to look at. */
const TRIES = 60
/** SQLSTATEs of a lock timeout and a deadlock. */
const IN_USE = /^(?:55P03|40P01)$/

/** A database that can't be used as it is. The message says what is wrong with it. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase'
}

/** A newer version has changed the tables, and this one can't use them any more. */
export class NewerDatabase extends Error {
  override name = 'NewerDatabase'
  constructor(readonly migration: string) {
    super(`The tables were changed by a newer version: ${migration}`)
  }
}

type Migrations = Readonly<Record<string, PostgresMigration>>

interface AppliedRow {
  name: string
  /** Milliseconds since the epoch. */
  at: string
  oldest_node: string | null
}

/**
 * Brings the tables up to date. Each migration is a transaction under a lock that all nodes share.
 * The lock needs no session, so PgBouncer may stand between, and others wait for one migration at
 * most. Returns the names of what was applied here.
 * @throws StorageUnavailable, UnfitDatabase, NewerDatabase, OldFormat
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

/** All migrations, those of a newer version included, and which of them are applied. @throws OldFormat */
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

/** One migration, or one batch of one; null: all are applied. */
async function apply(
  tx: Transaction<never>,
  migrations: Migrations,
): Promise<{ name: string; isDone: boolean } | null> {
  // A role may have timeouts of its own; waiting for another node's migration is normal.
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

/** The first one that isn't applied. @throws NewerDatabase, OldFormat */
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
  if (breaking !== undefined) throw new NewerDatabase(breaking.name)
  const done = new Set(applied.map(({ name }) => name))
  return names.find((name) => !done.has(name))
}

async function appliedIn(db: Kysely<never>): Promise<AppliedRow[]> {
  const { rows: found } = await sql<{ there: boolean }>`
    SELECT to_regclass('migrations') IS NOT NULL AS there`.execute(db)
  if (!found[0]?.there) return []
  return (await sql<AppliedRow>`SELECT name, at, oldest_node FROM migrations`.execute(db)).rows
}

/** Tries again while a table is in use; in between, requests get it. */
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
    // Errors of ours hold no data; those of the server and the driver are reduced to a code. The
    // driver's, about the way to the server, may have none.
    const isOwn = error instanceof Error && !('code' in error)
    if (isOwn && !/connection|timeout/i.test(error.message)) throw error
    throw asPostgresError(error)
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
    throw new UnfitDatabase(
      `PostgreSQL ${found?.version} is too old: ${OLDEST_VERSION} or newer is needed`,
    )
  }
  if (found?.encoding !== 'UTF8') {
    throw new UnfitDatabase(`The database's encoding is ${found?.encoding}: UTF8 is needed`)
  }
}
