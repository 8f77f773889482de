import { TEXT_COLUMNS } from '../store/schema.ts'
import type { ClickHouse } from './client.ts'

/**
 * One row a click.
 *
 * - `workspace`, `link`: the two halves of `links.seq`.
 * - `time`: milliseconds since the Unix epoch. `n`: tells clicks of one millisecond apart, on
 *   whichever node they came; see `numbering.ts`.
 * - `visitor`: 64 bits of the day's keyed hash, XOR a constant for programs; 0: not told apart.
 * - `kind`: 0 person, 1 bot, 2 preview. Texts are empty where a click has no value.
 *
 * Tokens of the last inserts are remembered, so that an insert whose answer was lost, and which may
 * still be under way, can be sent again; what is older is found by its clicks (see `shipping.ts`).
 */
const CLICKS = `CREATE TABLE IF NOT EXISTS clicks (
  workspace UInt32 CODEC(ZSTD(1)),
  link UInt32 CODEC(ZSTD(1)),
  time Int64 CODEC(Delta, ZSTD(1)),
  n UInt64 CODEC(T64, ZSTD(1)),
  visitor UInt64 CODEC(LZ4),
  kind UInt8 CODEC(ZSTD(1)),
  qr Bool CODEC(ZSTD(1)),
  domain UInt32 CODEC(ZSTD(1)),
  reason LowCardinality(String) CODEC(ZSTD(1)),
  country LowCardinality(String) CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  city LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  referrer LowCardinality(String) CODEC(ZSTD(1)),
  referrer_path LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  browser LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  utm_source LowCardinality(String) CODEC(ZSTD(1)),
  utm_medium LowCardinality(String) CODEC(ZSTD(1)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(1)),
  utm_term LowCardinality(String) CODEC(ZSTD(1)),
  utm_content LowCardinality(String) CODEC(ZSTD(1)),
  INDEX times time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (workspace, link, time)
SETTINGS non_replicated_deduplication_window = 10000`

/**
 * What is left of clicks that a plan keeps no longer, by UTC day since the epoch: how many, of how
 * many visitors of the link (`uniques`), and of the workspace: the sum of `workspace_uniques` over
 * its links is the number of its visitors of that day. Written anew, a row replaces the one before.
 */
const DAILY = `CREATE TABLE IF NOT EXISTS daily (
  workspace UInt32,
  link UInt32,
  day Int32,
  kind UInt8,
  clicks UInt64,
  uniques UInt64,
  workspace_uniques UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY (workspace, link, day, kind)`

/**
 * Before which UTC day a workspace's clicks are told by \`daily\` alone; later ones by \`clicks\`
 * alone. It only grows: writing it is the moment at which a day changes over.
 */
const PURGED = `CREATE TABLE IF NOT EXISTS purged (
  workspace UInt32,
  before SimpleAggregateFunction(max, Int32)
)
ENGINE = AggregatingMergeTree
ORDER BY workspace`

/**
 * The tables, in the order in which versions added to them. Each statement may run again, and on
 * several nodes at once: whoever makes the tables by hand (ReplicatedMergeTree, ON CLUSTER; see
 * docs/clickhouse.md) is left alone.
 */
export const STATEMENTS = [CLICKS, DAILY, PURGED] as const

/** Columns of `clicks` that an insert names. */
export const COLUMNS = [
  'workspace',
  'link',
  'time',
  'n',
  'visitor',
  'kind',
  'qr',
  'domain',
  ...TEXT_COLUMNS,
] as const

/** ClickHouse's code for a database that isn't there. */
const UNKNOWN_DATABASE = 81

/** Makes the database and its tables where they are missing. @throws ClickHouseError */
export async function migrateClickHouse(clickHouse: ClickHouse): Promise<void> {
  try {
    await clickHouse.command('SELECT 1')
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNKNOWN_DATABASE) throw error
    await clickHouse.createDatabase()
  }
  for (const statement of STATEMENTS) await clickHouse.command(statement)
}
