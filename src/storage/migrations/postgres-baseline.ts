import type { Kysely } from 'kysely'
import { TEXT_COLUMNS } from '../click-columns.ts'
import {
  COUNTER_TABLES,
  MAIN_TABLES,
  NODE_TABLES,
  runAll,
  specialLinksIndex,
  statementsFor,
} from './baseline.ts'

/** All tables of the embedded database and its counters, and what several nodes share. */
export async function up(db: Kysely<never>): Promise<void> {
  await runAll(db, [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    ...WORKSPACE_NUMBERS,
    ...statementsFor('postgres', { ...MAIN_TABLES, ...COUNTER_TABLES, ...NODE_TABLES }),
    // Without `uses`: visitors raise it, and the index would have to be written each time.
    specialLinksIndex(''),
    'CREATE INDEX links_search ON links USING gin (search_text gin_trgm_ops)',
    ...SHARED_TABLES,
    ...CLICK_TABLES,
  ])
}

/** A sequence would leave gaps behind refusals, and numbers are few: `seq` must stay below 2^53. */
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

/** What the processes of several nodes need of each other. */
const SHARED_TABLES = [
  // A number of its own for each node that ever was: clicks are told apart by it.
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
  // Links that are gone for good and whose clicks are still in ClickHouse.
  `CREATE TABLE gone_links (
    link_seq BIGINT PRIMARY KEY
  )`,
  // Maintenance tasks that one node at a time does, and until when, by the server's clock.
  `CREATE TABLE leases (
    name TEXT COLLATE "C" PRIMARY KEY,
    until BIGINT NOT NULL DEFAULT 0
  )`,
  "INSERT INTO leases (name) VALUES ('counters'), ('clicks')",
  // Which secret it is that keys were made with; and the secret itself, if a node had to make it.
  `CREATE TABLE instance_secret (
    one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
    fingerprint TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C"
  )`,
]

/** Clicks without ClickHouse; `statistics/columns.ts` has the same columns in the same order. */
const CLICK_TABLES = [
  // One row a click; time and n together identify it, on whichever node it came. Not partitioned:
  // plans purge by workspace, and a click may come at any time.
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
  // How far each node's journal is in clicks; batches so far, and the time of the newest click.
  `CREATE TABLE click_shipping (
    node_no BIGINT PRIMARY KEY,
    segment BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    batches BIGINT NOT NULL,
    newest BIGINT NOT NULL
  )`,
]
