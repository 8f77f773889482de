const TEXTS = [
  'reason',
  'country',
  'region',
  'city',
  'language',
  'referrer',
  'referrer_path',
  'device',
  'browser',
  'os',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
]

/** Where clicks are kept without ClickHouse, and the secret of nodes that were given none. */
export const CLICK_STORE_TABLES = [
  // One row a click. Time and n together are its own, on whichever node it came; visitor: 64 bits of
  // the day's keyed hash, XOR a constant for programs, null when not told apart. Kind: 0 person,
  // 1 bot, 2 preview. Not partitioned: plans purge by workspace, and a click may come at any time.
  `CREATE TABLE clicks (
    link_seq BIGINT NOT NULL,
    time BIGINT NOT NULL,
    n BIGINT NOT NULL,
    visitor BIGINT,
    workspace_no INTEGER NOT NULL,
    domain_no INTEGER NOT NULL,
    kind SMALLINT NOT NULL,
    qr BOOLEAN NOT NULL,
    ${TEXTS.map((name) => `${name} TEXT COLLATE "C"`).join(', ')},
    PRIMARY KEY (workspace_no, time, n)
  ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  'CREATE INDEX clicks_of_links ON clicks (link_seq, time)',
  // What is left of clicks that a plan keeps no longer, by UTC day since the epoch.
  `CREATE TABLE click_days (
    link_seq BIGINT NOT NULL,
    day INTEGER NOT NULL,
    kind SMALLINT NOT NULL,
    workspace_no INTEGER NOT NULL,
    clicks BIGINT NOT NULL,
    uniques BIGINT NOT NULL,
    workspace_uniques BIGINT NOT NULL,
    PRIMARY KEY (link_seq, day, kind)
  )`,
  'CREATE INDEX click_days_of_workspaces ON click_days (workspace_no, day)',
  // Up to where each node's journal is in clicks; batches so far, and the time of the newest click.
  `CREATE TABLE click_shipping (
    node_no BIGINT PRIMARY KEY,
    segment BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    batches BIGINT NOT NULL,
    newest BIGINT NOT NULL
  )`,
  // Which secret it is that keys were made with; and the secret itself, if a node had to make it.
  `CREATE TABLE instance_secret (
    one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
    fingerprint TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C"
  )`,
]
