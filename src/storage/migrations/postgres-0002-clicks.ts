import { type Kysely, sql } from 'kysely'

export const oldestNode = '0002-clicks'

/** What the click workers and statistics processes of several nodes share. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
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
  "INSERT INTO leases (name) VALUES ('admit'), ('sweep'), ('visitors'), ('clicks')",
]
