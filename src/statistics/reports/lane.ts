import type { DuckDBResult } from '@duckdb/node-api'
import type { StatisticsConnection, StatisticsDatabase } from '../store/duckdb.ts'
import type { Sql } from './sql.ts'

/** Asks within one snapshot of the clicks. */
export interface Asking {
  /** All rows, read a chunk at a time, so that the event loop turns in between. */
  rows(query: Sql): Promise<unknown[][]>
}

/** One report after the other. */
export interface Lane {
  /**
   * Runs `work` in a transaction that only reads: all its queries see the same clicks.
   * @throws the signal's reason when it aborts, whatever DuckDB says otherwise
   */
  run<T>(work: (asking: Asking) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** A lane with a connection of its own, made at the first report. */
export function createLane(database: Pick<StatisticsDatabase, 'connect'>): Lane {
  let connecting: Promise<StatisticsConnection> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function connect(): Promise<StatisticsConnection> {
    connecting ??= database.connect()
    try {
      return await connecting
    } catch (error) {
      connecting = undefined
      throw error
    }
  }

  async function inTransaction<T>(
    work: (asking: Asking) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted()
    const connection = await connect()
    await connection.run('BEGIN TRANSACTION READ ONLY')
    try {
      return await work({ rows: (query) => readRows(connection, query, signal) })
    } finally {
      await connection.run('ROLLBACK').catch(() => {})
    }
  }

  return {
    run(work, signal) {
      const done = last.then(() => inTransaction(work, signal))
      last = done.catch(() => {})
      return done
    },
  }
}

/** Reads all rows. Interrupts the query when the signal aborts. */
export async function readRows(
  connection: StatisticsConnection,
  query: Sql,
  signal?: AbortSignal,
): Promise<unknown[][]> {
  const rows: unknown[][] = []
  await whileAsked(connection, signal, async () => {
    const result = await ask(connection, query)
    for (;;) {
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) return
      for (const row of chunk.getRows()) rows.push(row)
    }
  })
  return rows
}

/** Runs something on a connection that is interrupted when the signal aborts. */
export async function whileAsked<T>(
  { raw }: StatisticsConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const interrupt = () => raw.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', interrupt)
  }
}

/** Starts a query whose rows are made as they are read. */
export function ask({ raw }: StatisticsConnection, { text, values }: Sql): Promise<DuckDBResult> {
  return raw.stream(
    text,
    values.map(({ value }) => value),
    values.map(({ type }) => type),
  )
}
