import { OperatorError } from '../../../lib/errors/index.ts'
import { missingMigrations, runMigrations } from '../shared/migrations.ts'
import type { ClickHouse } from './client.ts'
import { CLICKHOUSE_MIGRATIONS, type ClickHouseMigration } from './schema.ts'

/** ClickHouse's codes for a database and a table that don't exist. */
export const UNKNOWN_DATABASE = 81
const UNKNOWN_TABLE = 60

/** The applied migrations. */
const MIGRATIONS = `CREATE TABLE IF NOT EXISTS migrations (version Int64, oldest Int64, at Int64)
  ENGINE = MergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

/** How ClickHouse is migrated. */
export interface ClickHouseMigrating {
  /**
   * Runs work that only one node at a time may do; false: another one does. `assertHeld` throws when
   * it is no longer certain that no other does. Default: there are no other nodes.
   */
  exclusively?(work: (assertHeld: () => Promise<void>) => Promise<void>): Promise<boolean>
  /** Called before tables are changed. */
  began?: (() => void) | undefined
  migrations?: readonly ClickHouseMigration[]
}

/**
 * Creates the database and its tables, or migrates them.
 * @throws ClickHouseError; OperatorError if they are of a newer version, too old, or migrated by another node
 */
export async function migrateClickHouse(
  clickHouse: ClickHouse,
  { exclusively = alone, began, migrations = CLICKHOUSE_MIGRATIONS }: ClickHouseMigrating = {},
): Promise<void> {
  try {
    await clickHouse.command('SELECT 1')
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_DATABASE) throw error
    await clickHouse.createDatabase()
  }
  // Most starts find nothing to do, and needn't wait for others.
  if ((await missingIn(clickHouse, migrations)).length === 0) return
  began?.()
  const isDone = await exclusively(async (assertHeld) => {
    await clickHouse.command(MIGRATIONS)
    await runMigrations(await missingIn(clickHouse, migrations), async (migration) => {
      await assertHeld()
      if ((await migration.up(clickHouse)) === true) return true
      const { version, oldest = version } = migration
      const row = `${JSON.stringify([version, oldest, Date.now()])}\n`
      const columns = ['version', 'oldest', 'at']
      await clickHouse.insert('migrations', columns, 'JSONCompactEachRow', [row], {
        async_insert: 0,
      })
      return false
    })
  })
  if (!isDone) throw migratedElsewhere()
}

/** The migrations that the tables lack. @throws ClickHouseError; OperatorError if they are of a newer version */
export async function missingIn(
  clickHouse: ClickHouse,
  migrations = CLICKHOUSE_MIGRATIONS,
  signal?: AbortSignal,
): Promise<readonly ClickHouseMigration[]> {
  const query = 'SELECT max(version), max(oldest) FROM migrations'
  const [row] = await clickHouse.rows(query, [], signal).catch((error) => {
    // Databases of the first versions don't have it.
    if (codeOf(error) === UNKNOWN_TABLE || codeOf(error) === UNKNOWN_DATABASE) return []
    throw error
  })
  const [applied = 0, oldest = 0] = (row ?? []).map(Number)
  return missingMigrations('ClickHouse', migrations, { applied, oldest })
}

async function alone(work: (assertHeld: () => Promise<void>) => Promise<void>): Promise<boolean> {
  await work(async () => {})
  return true
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code

function migratedElsewhere(): OperatorError {
  return new OperatorError('STATISTICS_MIGRATING', 'Another node migrates the stored clicks')
}
