import type { Kysely } from 'kysely'
import { TEXT_COLUMNS } from '../../../lib/base/click-columns.ts'
import {
  COUNTER_TABLES,
  MAIN_TABLES,
  NODE_TABLES,
  runAll,
  specialLinksIndex,
  statementsFor,
} from './baseline.ts'

/** All tables of the embedded database and its counters, and those shared by several nodes. */
export async function up(db: Kysely<never>): Promise<void> {
  await runAll(db, [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    ...WORKSPACE_NUMBERS,
    ...statementsFor('postgres', { ...MAIN_TABLES, ...COUNTER_TABLES, ...NODE_TABLES }),
    // Without `uses`, which visits increment: the index would be written each time.
    specialLinksIndex(''),
    'CREATE INDEX links_search ON links USING gin (search_text gin_trgm_ops)',
    ...SHARED_TABLES,
    ...CLICK_TABLES,
  ])
}

/** A sequence would leave gaps after refused inserts, and numbers are few: `seq` is below 2^53. */
const WORKSPACE_NUMBERS = [
  'CREATE TABLE numbers (name TEXT PRIMARY KEY, value BIGINT NOT NULL)',
  "INSERT INTO numbers (name, value) VALUES ('workspaces', 0)",
  `CREATE FUNCTION next_workspace_no() RETURNS BIGINT LANGUAGE plpgsql AS $$
    DECLARE n BIGINT;
    BEGIN
      UPDATE numbers SET value = greatest(value,
          (SELECT coalesce(max(no), 0) FROM workspaces),
          (SELECT coalesce(max(no), 0) FROM deleted_workspaces)) + 1
        WHERE name = 'workspaces' RETURNING value INTO n;
      RETURN n;
    END $$`,
]

/** Tables for coordinating several nodes. */
const SHARED_TABLES = [
  // A unique number for each node that ever existed, which distinguishes their clicks.
  `CREATE TABLE nodes (
    no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at BIGINT NOT NULL
  )`,
  // The days' salts, encrypted: see clicks/salts.ts.
  `CREATE TABLE visitor_salts (
    day BIGINT PRIMARY KEY,
    sealed TEXT COLLATE "C" NOT NULL
  )`,
  // Purged links whose clicks are still in ClickHouse.
  `CREATE TABLE gone_links (
    link_seq BIGINT PRIMARY KEY
  )`,
  // Maintenance tasks run by one node at a time, and until when, by the server's clock.
  `CREATE TABLE leases (
    name TEXT COLLATE "C" PRIMARY KEY,
    until BIGINT NOT NULL DEFAULT 0
  )`,
  "INSERT INTO leases (name) VALUES ('counters'), ('clicks')",
  // A hash of the secret that keys depend on; and the secret itself, if a node had to create it.
  `CREATE TABLE instance_secret (
    one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
    fingerprint TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C"
  )`,
]

/** Clicks without ClickHouse; `statistics/columns.ts` has the same columns in the same order. */
const CLICK_TABLES = [
  // One row per click, identified by time and n together, on every node. Not partitioned, because
  // plans purge by workspace, and a click may arrive at any time.
  `CREATE TABLE clicks (
    workspace INTEGER NOT NULL,
    link BIGINT NOT NULL,
    time BIGINT NOT NULL,
    n BIGINT NOT NULL,
    visitor BIGINT,
    kind SMALLINT NOT NULL,
    qr BOOLEAN NOT NULL,
    domain INTEGER NOT NULL,
    ${TEXT_COLUMNS.map((name) => `${name} TEXT COLLATE "C"`).join(', ')},
    PRIMARY KEY (workspace, time, n)
  ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  'CREATE INDEX clicks_of_links ON clicks (link, time)',
  // Totals of purged days, by UTC day since the epoch.
  `CREATE TABLE daily (
    workspace INTEGER NOT NULL,
    link BIGINT NOT NULL,
    day BIGINT NOT NULL,
    kind SMALLINT NOT NULL,
    clicks BIGINT NOT NULL,
    uniques BIGINT NOT NULL,
    workspace_uniques BIGINT NOT NULL,
    PRIMARY KEY (workspace, link, day, kind)
  )`,
  // The position of each node's journal in clicks; the number of batches, and the newest click's
  // time.
  `CREATE TABLE click_shipping (
    node_no BIGINT PRIMARY KEY,
    segment BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    batches BIGINT NOT NULL,
    newest BIGINT NOT NULL
  )`,
]
