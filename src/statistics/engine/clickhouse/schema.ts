import { oldData } from '../../../lib/errors/index.ts'
import { CLICK_COLUMNS, DAILY_COLUMNS, TEXT_COLUMNS } from '../../columns.ts'
import type { ClickMigration } from '../shared/migrations.ts'
import type { ClickHouse } from './client.ts'
import { NOW } from './summing.ts'

/** What is inserted survives a power cut: the journal no longer has it. */
const SYNCED = 'fsync_after_insert = 1, fsync_part_directory = 1'

/**
 * One row a click; see `CLICK_COLUMNS`. Text and visitors are null where a click has none. Tokens of
 * the last inserts are remembered, so that an insert whose answer was lost can be sent again while
 * it may still run; see `shipping.ts`.
 */
const CLICKS = `CREATE TABLE IF NOT EXISTS clicks (
  workspace Int32 CODEC(ZSTD(1)),
  link Int64 CODEC(ZSTD(1)),
  time Int64 CODEC(Delta, ZSTD(1)),
  n Int64 CODEC(T64, ZSTD(1)),
  visitor Nullable(Int64) CODEC(LZ4),
  kind UInt8 CODEC(ZSTD(1)),
  qr Bool CODEC(ZSTD(1)),
  domain Int32 CODEC(ZSTD(1)),
  ${TEXT_COLUMNS.map((name) => `${name} LowCardinality(Nullable(String)) CODEC(ZSTD(1))`).join(',\n  ')},
  INDEX times time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (workspace, link, time)
SETTINGS non_replicated_deduplication_window = 10000, ${SYNCED}`

/**
 * Totals of purged UTC days: clicks, visitors of the link (\`uniques\`), and visitors of the workspace
 * (\`workspace_uniques\`, to be summed over its links). A row that is written again replaces the
 * earlier one.
 */
const DAILY = `CREATE TABLE IF NOT EXISTS daily (
  workspace Int32,
  link Int64,
  day Int64,
  kind UInt8,
  clicks UInt64,
  uniques UInt64,
  workspace_uniques UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY (workspace, link, day, kind)
SETTINGS ${SYNCED}`

/** Sums of finished UTC days; the rows of a day that count are those of its last version. */
const CLICK_SUMS = `CREATE TABLE IF NOT EXISTS click_sums (
  workspace Int32,
  day Int64,
  dimension UInt8,
  number Int64,
  value LowCardinality(Nullable(String)),
  humans UInt64,
  others UInt64,
  human_visitors UInt64,
  other_visitors UInt64,
  visitors UInt64,
  version Int64
)
ENGINE = MergeTree
ORDER BY (workspace, dimension, day)
SETTINGS ${SYNCED}`

/** How many clicks were summed of a day, in its last row; -1: they have changed since. */
const SUMMED_DAYS = `CREATE TABLE IF NOT EXISTS summed_days (
  workspace Int32,
  day Int64,
  clicks Int64,
  version Int64
)
ENGINE = MergeTree
ORDER BY (workspace, day)
SETTINGS ${SYNCED}`

/** Sums by the hours of all zones were added: until days are summed again, they are read from the clicks. */
const SUM_AGAIN = `INSERT INTO summed_days (workspace, day, clicks, version)
  SELECT workspace, day, -1, ${NOW} FROM summed_days GROUP BY workspace, day`

/**
 * The UTC day before which a workspace's clicks are counted by \`daily\` alone; later ones by
 * \`clicks\` alone. It only grows: an insert here switches days over at one moment.
 */
const PURGED = `CREATE TABLE IF NOT EXISTS purged (
  workspace Int32,
  before SimpleAggregateFunction(max, Int64)
)
ENGINE = AggregatingMergeTree
ORDER BY workspace
SETTINGS ${SYNCED}`

/** The id of the instance that the clicks belong to; see `owner.ts`. */
const INSTANCE = 'CREATE TABLE IF NOT EXISTS instance (id String) ENGINE = MergeTree ORDER BY id'

/** A migration of ClickHouse, which has no transactions: after an interruption all of it is repeated. */
export interface ClickHouseMigration extends ClickMigration<ClickHouse> {
  /** The oldest schema that a node must know to work with the tables; default: this one. */
  readonly oldest?: number
}

/** All migrations. Tables that were created by hand (see docs/clickhouse.md) are left alone. */
export const CLICKHOUSE_MIGRATIONS: readonly ClickHouseMigration[] = [
  {
    version: 1,
    async up(clickHouse) {
      await runAll(clickHouse, [CLICKS, DAILY, PURGED, INSTANCE])
      await assertColumns(clickHouse)
    },
  },
  { version: 2, oldest: 1, up: (clickHouse) => runAll(clickHouse, [CLICK_SUMS, SUMMED_DAYS]) },
  { version: 3, oldest: 1, up: (clickHouse) => runAll(clickHouse, [SUM_AGAIN]) },
]

async function runAll(clickHouse: ClickHouse, statements: readonly string[]): Promise<undefined> {
  for (const statement of statements) await clickHouse.command(statement)
}

/** Tables of an unreleased version have the same names. @throws OperatorError */
async function assertColumns(clickHouse: ClickHouse): Promise<undefined> {
  const columns = await clickHouse.rows(
    `SELECT table, name, type FROM system.columns
     WHERE database = currentDatabase() AND table IN ('clicks', 'daily')
     ORDER BY table, position`,
  )
  const found = columns.map(([table, name]) => `${table}.${name}`)
  const expected = [
    ...CLICK_COLUMNS.map((name) => `clicks.${name}`),
    ...DAILY_COLUMNS.map((name) => `daily.${name}`),
  ]
  const [, , visitor] = columns.find(([, name]) => name === 'visitor') ?? []
  // Columns that an administrator has added are harmless.
  const isCurrent =
    expected.every((name) => found.includes(name)) && String(visitor).startsWith('Nullable')
  if (!isCurrent) throw oldData()
}
