import type { DuckDBResult } from '@duckdb/node-api'
import type { StatisticsConnection, StatisticsDatabase } from '../store/duckdb.ts'
import type { Sql } from './sql.ts'
import { NUMBERED } from './visitors.ts'

/** With more than this (bytes) in use after a report, what was read of the file is let go. */
const MUCH_MEMORY = 320_000_000

/** Asks within one snapshot of the clicks. */
export interface Asking {
  /** All rows, read a chunk at a time, so that the event loop turns in between. */
  rows(query: Sql): Promise<unknown[][]>
  /**
   * Visitors' numbers are below this, as far as is known; others may be above. 0: not worth
   * looking at.
   */
  numbered(): Promise<number>
}

/** One report after the other. */
export interface Lane {
  /**
   * Runs `work` in a transaction that only reads: all its queries see the same clicks.
   * @throws the signal's reason when it aborts, whatever DuckDB says otherwise
   */
  run<T>(work: (asking: Asking) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/**
 * A lane with a connection of its own, made at the first report.
 * @param numberedForMs how long `numbered` is known; null: its reports are about few clicks each
 */
export function createLane(
  database: Pick<StatisticsDatabase, 'connect' | 'releaseMemory'>,
  numberedForMs: number | null = null,
): Lane {
  let connecting: Promise<StatisticsConnection> | undefined
  let known = { numbered: 0, at: Number.NEGATIVE_INFINITY }
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
      const rows = (query: Sql) => readRows(connection, query, signal)
      return await work({ rows, numbered: () => numbered(rows) })
    } finally {
      await connection.run('ROLLBACK').catch(() => {})
      if (process.memoryUsage.rss() > MUCH_MEMORY) await database.releaseMemory()
    }
  }

  /** A number that is too low by now is as right: those above it are told apart by themselves. */
  async function numbered(rows: Asking['rows']): Promise<number> {
    if (numberedForMs === null) return 0
    if (performance.now() - known.at >= numberedForMs) {
      const [row] = await rows(NUMBERED)
      known = { numbered: Number(row?.[0] ?? 0), at: performance.now() }
    }
    return known.numbered
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
