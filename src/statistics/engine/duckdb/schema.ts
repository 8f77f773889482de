import { CLICK_COLUMNS, TEXT_COLUMNS } from '../../columns.ts'

/** Changes with the tables: a file of another version is refused. */
export const SCHEMA_VERSION = 3

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

/** Tables that may be missing in a file of an earlier version; they follow from the clicks. */
export const SUM_TABLES = [
  `CREATE TABLE IF NOT EXISTS click_sums (workspace INTEGER, day BIGINT, dimension UTINYINT,
    number BIGINT, value VARCHAR, humans BIGINT, others BIGINT, human_visitors BIGINT,
    other_visitors BIGINT, visitors BIGINT)`,
  'CREATE TABLE IF NOT EXISTS summed_days (workspace INTEGER, day BIGINT, clicks BIGINT)',
] as const

/**
 * The tables of a new file, without those. `closed_months` has the starts of months whose clicks are sorted; `state` has one row:
 * how far the journal is stored, see `ShippingState`, and the instance's id, see `owner.ts`.
 */
export const BASELINE = [
  `CREATE TABLE clicks (${CLICK_COLUMNS.map((name) => `${name} ${CLICK_TYPES[name]}`).join(', ')})`,
  `CREATE TABLE daily (workspace INTEGER, link BIGINT, day BIGINT, kind UTINYINT, clicks BIGINT,
    uniques BIGINT, workspace_uniques BIGINT)`,
  'CREATE TABLE closed_months (month BIGINT)',
  'CREATE TABLE state (version INTEGER, segment BIGINT, "offset" BIGINT, batches BIGINT, newest BIGINT, since BIGINT, instance VARCHAR)',
  `INSERT INTO state VALUES (${SCHEMA_VERSION}, 0, 0, 0, 0, 0, NULL)`,
] as const
