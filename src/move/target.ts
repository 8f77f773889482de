import pg from 'pg'
import { copyIn } from './copy-in.ts'
import { type Digest, digestOf } from './digest.ts'

/** The table that says what a move came to. */
const MOVES = `CREATE TABLE IF NOT EXISTS moves (
  one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
  source TEXT COLLATE "C" NOT NULL,
  clicks TEXT COLLATE "C" NOT NULL,
  begun_at BIGINT NOT NULL,
  ended_at BIGINT
)`

/** What a target says of moves into it. */
export interface MoveState {
  /** Which instance was moved. */
  source: string
  /** Where its clicks went. */
  clicks: string
  /** Null: it has not come to its end. */
  endedAt: number | null
}

/** PostgreSQL, migrated, as it is moved into. */
export interface Target {
  columnsOf(table: string): Promise<{ name: string; type: string }[]>
  /** Columns of its primary key, in their order. */
  keyOf(table: string): Promise<string[]>
  all<R>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** See {@link copyIn}. */
  copy(statement: string, chunks: Parameters<typeof copyIn>[2]): Promise<void>
  /** Runs `work` as one transaction. */
  transaction(work: () => Promise<void>): Promise<void>
  /** Of the rows that a condition leaves; `hash` is an expression of 64 bits. */
  digest(from: string, hash: string, where?: string, values?: readonly unknown[]): Promise<Digest>
  state(): Promise<MoveState | null>
  begin(state: Pick<MoveState, 'source' | 'clicks'>): Promise<void>
  /** The move has come to its end: survives a power cut, with all that came before. */
  end(): Promise<void>
  close(): Promise<void>
}

/**
 * Connects, one connection for all, which must not go through a pooler of transactions.
 * @throws what the driver says: see `asPostgresError`
 */
export async function openTarget(url: string): Promise<Target> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'slugline move',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  // Queries tell of it.
  client.on('error', () => {})
  await client.connect()
  // A crash may take what was copied last: it is copied again then. The end is waited for.
  await client.query(
    "SET synchronous_commit = off; SET statement_timeout = 0; SET work_mem = '64MB'",
  )
  await client.query(MOVES)

  async function all<R>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await client.query(text, [...values])).rows as R[]
  }

  return {
    all,
    columnsOf: (table) =>
      all(
        `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
         WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
        [table],
      ),
    async keyOf(table) {
      const rows = await all<{ name: string }>(
        `SELECT attname AS name FROM pg_index
         CROSS JOIN unnest(indkey) WITH ORDINALITY AS k (attnum, place)
         JOIN pg_attribute a ON attrelid = indrelid AND a.attnum = k.attnum
         WHERE indrelid = to_regclass($1) AND indisprimary ORDER BY place`,
        [table],
      )
      return rows.map(({ name }) => name)
    },
    copy: (statement, chunks) => copyIn(client, statement, chunks),
    async transaction(work) {
      await client.query('BEGIN')
      try {
        await work()
        await client.query('COMMIT')
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {})
        throw error
      }
    },
    async digest(from, hash, where = 'true', values = []) {
      const [row] = await all<{ rows: string; sum: string | null }>(
        `SELECT count(*) AS rows, sum(${hash})::text AS sum FROM ${from} WHERE ${where}`,
        values,
      )
      return digestOf(row?.rows, row?.sum)
    },
    async state() {
      const [row] = await all<{ source: string; clicks: string; ended_at: string | null }>(
        'SELECT source, clicks, ended_at FROM moves',
      )
      if (row === undefined) return null
      const { source, clicks, ended_at } = row
      return { source, clicks, endedAt: ended_at === null ? null : Number(ended_at) }
    },
    async begin({ source, clicks }) {
      await client.query(
        `INSERT INTO moves (source, clicks, begun_at) VALUES ($1, $2, $3)
         ON CONFLICT (one) DO UPDATE
         SET source = excluded.source, clicks = excluded.clicks, begun_at = excluded.begun_at, ended_at = NULL`,
        [source, clicks, Date.now()],
      )
    },
    async end() {
      await client.query('SET synchronous_commit = on')
      await client.query('UPDATE moves SET ended_at = $1', [Date.now()])
    },
    async close() {
      await client.end()
    },
  }
}
