import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { asPostgresError } from '../storage/index.ts'

const MOVES = `CREATE TABLE IF NOT EXISTS moves (
  one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
  source TEXT COLLATE "C" NOT NULL,
  clicks TEXT COLLATE "C" NOT NULL,
  begun_at BIGINT NOT NULL,
  ended_at BIGINT
)`

/** What a target records of moves into it: the instance, and where its clicks went. */
export interface MoveRecord {
  source: string
  clicks: string
}

/** PostgreSQL, migrated, as it is moved into. Throws errors of `asPostgresError`. */
export interface Target {
  all<R>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** `COPY … FROM STDIN`: stores all of the chunks, or nothing. */
  copy(statement: string, chunks: Iterable<string> | Readable): Promise<void>
  /** Runs `work` as one transaction. */
  transaction(work: () => Promise<void>): Promise<void>
  /** Null: nothing was moved into it. */
  record(): Promise<MoveRecord | null>
  /** From now on nodes refuse the database, until {@link end}. */
  begin(record: MoveRecord): Promise<void>
  /** The move is complete; durable, with everything before. */
  end(): Promise<void>
  close(): Promise<void>
}

/** Opens one connection, which must not go through a pooler of transactions. */
export async function openTarget(url: string): Promise<Target> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'slugline move',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  // Queries report it.
  client.on('error', () => {})
  const ours = (error: unknown) => {
    throw asPostgresError(error)
  }
  await client.connect().catch(ours)

  async function all<R>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await client.query(text, [...values]).catch(ours)).rows as R[]
  }

  // What a crash takes of the last transactions is copied again; `end` waits for the disk.
  await all('SET synchronous_commit = off')
  await all('SET statement_timeout = 0')
  await all(MOVES)
  return {
    all,
    async copy(statement, chunks) {
      const source = chunks instanceof Readable ? chunks : Readable.from(chunks)
      let failed: unknown
      source.on('error', (error) => {
        failed = error
      })
      await pipeline(source, client.query(copyFrom(statement))).catch((error) => {
        throw failed ?? asPostgresError(error)
      })
    },
    async transaction(work) {
      await all('BEGIN')
      try {
        await work()
        await all('COMMIT')
      } catch (error) {
        await all('ROLLBACK').catch(() => {})
        throw error
      }
    },
    record: async () => (await all<MoveRecord>('SELECT source, clicks FROM moves'))[0] ?? null,
    async begin({ source, clicks }) {
      await all(
        `INSERT INTO moves (source, clicks, begun_at) VALUES ($1, $2, $3) ON CONFLICT (one)
         DO UPDATE SET source = $1, clicks = $2, begun_at = $3, ended_at = NULL`,
        [source, clicks, Date.now()],
      )
    },
    async end() {
      await all('SET synchronous_commit = on')
      await all('UPDATE moves SET ended_at = $1', [Date.now()])
    },
    close: () => client.end(),
  }
}
