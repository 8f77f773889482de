import type { DuckDBDataChunk, DuckDBMaterializedResult, DuckDBResult } from '@duckdb/node-api'
import type { StatisticsConnection, StatisticsDatabase } from '../../store/duckdb.ts'
import type { Sql } from '../sql/index.ts'
import { createMemory, type Memory } from './memory.ts'
import { createThreads, type Threads } from './threads.ts'

const INTERRUPT_EVERY_MS = 20
/** Read before the event loop turns, and what they took, some 6 MB, is collected: some milliseconds. */
const CHUNKS_AT_ONCE = 200
const turn = () => new Promise<void>((turned) => setImmediate(turned))

/** Asks within one snapshot of the clicks. */
export interface Asking {
  /** All rows, read a chunk at a time, so that the event loop turns in between. */
  rows(query: Sql): Promise<unknown[][]>
  /** The same in DuckDB's own chunks, until `take` answers false. */
  chunks(query: Sql, take: (chunk: DuckDBDataChunk) => boolean): Promise<void>
}

/** One report after the other. */
export interface Lane {
  /**
   * Runs `work` in a transaction that only reads: all its queries see the same clicks.
   * @throws the signal's reason when it aborts, whatever DuckDB says otherwise
   */
  run<T>(work: (asking: Asking) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** The same for all lanes of a database. */
export interface LaneOptions {
  threads?: Threads
  memory?: Memory
  /** Waits until a report may be made. */
  inTurn?: <T>(work: () => Promise<T>) => Promise<T>
}

/** A lane with a connection of its own, made at the first report. */
export function createLane(
  database: Pick<StatisticsDatabase, 'connect' | 'releaseMemory'>,
  {
    threads = createThreads(database, 1),
    memory = createMemory(database),
    inTurn = (work) => work(),
  }: LaneOptions = {},
): Lane {
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
    return await threads.use(() => inSnapshot(connection, work, signal))
  }

  async function inSnapshot<T>(
    connection: StatisticsConnection,
    work: (asking: Asking) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let first: Promise<unknown> | undefined
    /** Each call is a hop to another thread and back: the transaction begins in the same one as the first query. */
    async function run({ text, values }: Sql): Promise<DuckDBMaterializedResult> {
      if (first !== undefined) {
        await first.catch(() => {})
        return await runOf(connection, { text, values })
      }
      const begun = runOf(connection, { text: `BEGIN TRANSACTION READ ONLY; ${text}`, values })
      first = begun
      return await begun
    }
    try {
      return await work({
        rows: (query) => readRows(connection, query, signal, run),
        chunks: (query, take) => readChunks(connection, query, take, signal, run),
      })
    } finally {
      // Waited for: a database that is closed meanwhile takes the process with it.
      if (first !== undefined) await connection.run('ROLLBACK').catch(() => {})
    }
  }

  return {
    run(work, signal) {
      const done = last.then(() => inTurn(() => memory.use(() => inTransaction(work, signal))))
      last = done.catch(() => {})
      return done
    },
  }
}

/** Several lanes: a report takes the one where the fewest wait. */
export function createLanes(lanes: readonly Lane[]): Lane {
  const waiting = lanes.map(() => 0)
  return {
    async run(work, signal) {
      const at = waiting.indexOf(Math.min(...waiting))
      waiting[at] = (waiting[at] as number) + 1
      try {
        return await (lanes[at] as Lane).run(work, signal)
      } finally {
        waiting[at] = (waiting[at] as number) - 1
      }
    },
  }
}

/** Reads all rows. Interrupts the query when the signal aborts. */
export async function readRows(
  connection: StatisticsConnection,
  query: Sql,
  signal?: AbortSignal,
  run?: (query: Sql) => Promise<DuckDBMaterializedResult>,
): Promise<unknown[][]> {
  const rows: unknown[][] = []
  const take = (chunk: DuckDBDataChunk) => {
    for (const row of chunk.getRows()) rows.push(row)
    return true
  }
  await readChunks(connection, query, take, signal, run)
  return rows
}

/** Reads the rows in DuckDB's own chunks, until `take` answers false. */
async function readChunks(
  connection: StatisticsConnection,
  query: Sql,
  take: (chunk: DuckDBDataChunk) => boolean,
  signal?: AbortSignal,
  run = (query: Sql) => runOf(connection, query),
): Promise<void> {
  await whileAsked(connection, signal, async () => {
    const result = await run(query)
    const { chunkCount } = result
    for (let at = 0; at < chunkCount; at++) {
      if (!take(result.getChunk(at))) return
      if (at % CHUNKS_AT_ONCE !== CHUNKS_AT_ONCE - 1) continue
      // A chunk's memory is DuckDB's, of which the collector knows nothing, and goes with its last reference.
      Bun.gc(true)
      await turn()
    }
  })
}

function runOf(
  { raw }: StatisticsConnection,
  { text, values }: Pick<Sql, 'text' | 'values'>,
): Promise<DuckDBMaterializedResult> {
  if (values.length === 0) return raw.run(text)
  return raw.run(
    text,
    values.map(({ value }) => value),
    values.map(({ type }) => type),
  )
}

/**
 * Runs something on a connection that is interrupted when the signal aborts: again and again until
 * it has ended, because DuckDB forgets an interrupt that comes before a query has begun.
 */
export async function whileAsked<T>(
  { raw, use }: StatisticsConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  let again: Timer | undefined
  const interrupt = () => {
    raw.interrupt()
    again ??= setInterval(() => raw.interrupt(), INTERRUPT_EVERY_MS)
  }
  signal?.addEventListener('abort', interrupt)
  try {
    return await use(work)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', interrupt)
    clearInterval(again)
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
