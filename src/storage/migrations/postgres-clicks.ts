/** What the click workers and statistics processes of several nodes need of each other. */
export const CLICK_TABLES = [
  // What the click workers of all nodes count together.
  `CREATE TABLE link_counters (
    link_seq BIGINT PRIMARY KEY,
    workspace_no BIGINT NOT NULL,
    total BIGINT NOT NULL DEFAULT 0,
    human BIGINT NOT NULL DEFAULT 0,
    bot BIGINT NOT NULL DEFAULT 0,
    unique_visitors BIGINT NOT NULL DEFAULT 0,
    last_clicked_at BIGINT
  ) WITH (fillfactor = 80)`,
  'CREATE INDEX link_counters_total ON link_counters (workspace_no, total, link_seq)',
  `CREATE INDEX link_counters_last ON link_counters
    (workspace_no, (coalesce(last_clicked_at, 0)), link_seq)`,
  `CREATE TABLE counter_watermarks (
    workspace_no BIGINT PRIMARY KEY,
    link_seq BIGINT NOT NULL
  )`,
  // A number of its own for each node that ever was: clicks are told apart by it.
  `CREATE TABLE nodes (
    no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at BIGINT NOT NULL
  )`,
  // Up to where each node's journal is in the counters, and in ClickHouse (told afterwards).
  `CREATE TABLE node_watermarks (
    node_no BIGINT PRIMARY KEY,
    segment BIGINT NOT NULL DEFAULT 0,
    "offset" BIGINT NOT NULL DEFAULT 0,
    shipped_segment BIGINT NOT NULL DEFAULT 0,
    shipped_offset BIGINT NOT NULL DEFAULT 0
  )`,
  // Who came to a link on a UTC day: the first 96 bits of the day's hash.
  `CREATE TABLE link_visitors (
    day BIGINT NOT NULL,
    link_seq BIGINT NOT NULL,
    visitor TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (day, link_seq, visitor)
  )`,
  `CREATE TABLE workspace_months (
    month BIGINT NOT NULL,
    workspace_no BIGINT NOT NULL,
    clicks BIGINT NOT NULL,
    PRIMARY KEY (month, workspace_no)
  )`,
  `CREATE TABLE uncounted_clicks (
    node_no BIGINT NOT NULL,
    workspace_no BIGINT NOT NULL,
    month BIGINT NOT NULL,
    from_segment BIGINT NOT NULL,
    from_offset BIGINT NOT NULL,
    until_segment BIGINT,
    until_offset BIGINT,
    PRIMARY KEY (node_no, workspace_no, month, from_segment, from_offset)
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
]
