import { oldData } from '../../../lib/errors/index.ts'
import { type ClickMigration, missingMigrations, runMigrations } from '../shared/migrations.ts'
import { DUCKDB_MIGRATIONS } from './schema.ts'
import type { Connection, DuckDb } from './types.ts'

type Migrations = readonly ClickMigration<Connection>[]

/**
 * Migrates a statistics file to this version's schema: only the process that stores clicks has it open
 * for writing. A part of a migration and its number are committed together, so after an interruption
 * the next start goes on.
 * @param options `began` is called before the first change
 * @throws OperatorError if its schema is newer or too old
 */
export async function migrateDuckDb(
  database: DuckDb,
  {
    migrations = DUCKDB_MIGRATIONS,
    began,
  }: { migrations?: Migrations | undefined; began?: (() => void) | undefined } = {},
): Promise<void> {
  const connection = await database.connect()
  try {
    const applied = await schemaOf(connection)
    const missing = missingMigrations(database.file, migrations, { applied })
    if (missing.length === 0) return
    began?.()
    await run(connection, missing)
    // The log of a changed table is read with every start.
    await connection.run('CHECKPOINT')
  } finally {
    connection.close()
  }
}

/** Makes the tables of a new file. */
export function createTables(connection: Connection): Promise<void> {
  return run(connection, DUCKDB_MIGRATIONS)
}

/** @throws OperatorError if a file's schema is newer or too old */
export async function assertKnownSchema(connection: Connection, file: string): Promise<void> {
  missingMigrations(file, DUCKDB_MIGRATIONS, { applied: await schemaOf(connection) })
}

function run(connection: Connection, migrations: Migrations): Promise<void> {
  return runMigrations(migrations, ({ version, up }) =>
    connection.transaction(async () => {
      if ((await up(connection)) === true) return true
      await connection.run(`UPDATE state SET version = ${version}`)
      return false
    }),
  )
}

async function schemaOf(connection: Connection): Promise<number> {
  const [table] = await connection.run(
    "SELECT 1 FROM duckdb_columns() WHERE table_name = 'state' AND column_name = 'version'",
  )
  const [state] = table === undefined ? [] : await connection.run('SELECT version FROM state')
  if (state === undefined) throw oldData()
  return Number(state[0])
}
