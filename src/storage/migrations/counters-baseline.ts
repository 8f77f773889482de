import { type Kysely, sql } from 'kysely'

/** What the click worker counts, in a file that it alone writes. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `CREATE TABLE link_counters (
    link_seq INTEGER PRIMARY KEY,
    workspace_no BIGINT NOT NULL,
    total BIGINT NOT NULL DEFAULT 0,
    human BIGINT NOT NULL DEFAULT 0,
    bot BIGINT NOT NULL DEFAULT 0,
    unique_visitors BIGINT NOT NULL DEFAULT 0,
    last_clicked_at BIGINT
  )`,
  'CREATE INDEX link_counters_total ON link_counters (workspace_no, total, link_seq)',
  `CREATE INDEX link_counters_last
    ON link_counters (workspace_no, coalesce(last_clicked_at, 0), link_seq)`,
  `CREATE TABLE counter_watermarks (
    workspace_no INTEGER PRIMARY KEY,
    link_seq BIGINT NOT NULL
  )`,
  `CREATE TABLE journal_watermark (
    id INTEGER PRIMARY KEY,
    segment BIGINT NOT NULL,
    "offset" BIGINT NOT NULL
  )`,
  'INSERT INTO journal_watermark (id, segment, "offset") VALUES (1, 0, 0)',
  `CREATE TABLE link_visitors (
    day BIGINT NOT NULL,
    link_seq BIGINT NOT NULL,
    visitor TEXT NOT NULL,
    PRIMARY KEY (day, link_seq, visitor)
  ) WITHOUT ROWID`,
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
]
