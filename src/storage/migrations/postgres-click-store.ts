import { TEXT_COLUMNS } from '../click-columns.ts'

/** The tables of clicks; `statistics/columns.ts` has the same columns in the same order. */
function clickTables(): string[] {
  return [
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
}

/** Where clicks are kept without ClickHouse, and the secret of nodes that were given none. */
export const CLICK_STORE_TABLES = [
  ...clickTables(),
  // Which secret it is that keys were made with; and the secret itself, if a node had to make it.
  `CREATE TABLE instance_secret (
    one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
    fingerprint TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C"
  )`,
]
