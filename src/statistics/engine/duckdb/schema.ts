import { CLICK_COLUMNS, TEXT_COLUMNS } from '../../columns.ts'
import type { ClickMigration } from '../shared/migrations.ts'
import type { Connection } from './types.ts'

/** Types of `clicks`, by column. */
export const CLICK_TYPES: Readonly<Record<(typeof CLICK_COLUMNS)[number], string>> = {
  workspace: 'INTEGER',
  link: 'BIGINT',
  time: 'BIGINT',
  n: 'BIGINT',
  visitor: 'UBIGINT',
  kind: 'UTINYINT',
  qr: 'BOOLEAN',
  domain: 'INTEGER',
  ...(Object.fromEntries(TEXT_COLUMNS.map((name) => [name, 'VARCHAR'])) as Record<
    (typeof TEXT_COLUMNS)[number],
    string
  >),
}

/** The first schema: earlier ones were never released. */
const FIRST = 3

/**
 * The tables of that schema. `closed_months` has the starts of months whose clicks are sorted; `state`
 * has one row: the schema, how far the journal is stored, see `ShippingState`, and the instance's id,
 * see `owner.ts`.
 */
export const BASELINE = [
  `CREATE TABLE clicks (${CLICK_COLUMNS.map((name) => `${name} ${CLICK_TYPES[name]}`).join(', ')})`,
  `CREATE TABLE daily (workspace INTEGER, link BIGINT, day BIGINT, kind UTINYINT, clicks BIGINT,
    uniques BIGINT, workspace_uniques BIGINT)`,
  'CREATE TABLE closed_months (month BIGINT)',
  'CREATE TABLE state (version INTEGER, segment BIGINT, "offset" BIGINT, batches BIGINT, newest BIGINT, since BIGINT, instance VARCHAR)',
  `INSERT INTO state VALUES (${FIRST}, 0, 0, 0, 0, 0, NULL)`,
] as const

/** The sums of finished days. Files of the first schema may have them already. */
const SUM_TABLES = [
  `CREATE TABLE IF NOT EXISTS click_sums (workspace INTEGER, day BIGINT, dimension UTINYINT,
    number BIGINT, value VARCHAR, humans BIGINT, others BIGINT, human_visitors BIGINT,
    other_visitors BIGINT, visitors BIGINT)`,
  'CREATE TABLE IF NOT EXISTS summed_days (workspace INTEGER, day BIGINT, clicks BIGINT)',
]

/** All migrations of a statistics file. Each call of `up` is a transaction. */
export const DUCKDB_MIGRATIONS: readonly ClickMigration<Connection>[] = [
  { version: FIRST, up: (connection) => runAll(connection, BASELINE) },
  { version: 4, up: (connection) => runAll(connection, SUM_TABLES) },
  // Sums by the hours of all zones were added: until days are summed again, they are read from the clicks.
  { version: 5, up: (connection) => runAll(connection, ['UPDATE summed_days SET clicks = -1']) },
]

async function runAll(connection: Connection, statements: readonly string[]): Promise<undefined> {
  for (const statement of statements) await connection.run(statement)
}
