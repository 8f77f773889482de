import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  version as duckdbVersion,
  INTEGER,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { makeWhole } from './make-whole.ts'
import { TABLES } from './tables.ts'

// The one module that loads DuckDB's native library. Whoever doesn't answer from its file or write
// it must not import this: the library alone takes tens of megabytes.

export {
  BIGINT,
  BOOLEAN,
  bindings,
  DuckDBDataChunk,
  type DuckDBType,
  duckdbVersion,
  INTEGER,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
}

/**
 * What DuckDB counts; the process takes up to 150 MB more, most of it while it tells visitors apart:
 * 300 MB over ten million clicks with this, 420 with 250.
 */
const MEMORY_BYTES = 180_000_000
const RESTING_LIMIT = '16MB'
/**
 * Of a new file, and of the copy that a file is replaced by. A column of a row group fills DuckDB's own
 * 256 KB to a bit more than the half, so that nothing else fits: 0.8 bytes a click. With 64 KB a
 * text's values lie in several dictionaries, and take a third longer to read.
 */
const BLOCK_BYTES = 131_072

/** How a statistics file is opened. Sizes in bytes. */
export interface StatisticsOptions {
  memoryBytes?: number
  /** Where sorts go that don't fit into memory; null: nowhere. */
  tempDirectory?: string | null
  threads?: number
  readonly?: boolean
}

/** The open statistics file; any number of connections, each running one query at a time. */
export interface StatisticsDatabase {
  readonly file: string
  connect(): Promise<StatisticsConnection>
  /** Lets go of what was kept in memory of the file. */
  releaseMemory(): Promise<void>
  /** Closes the connections that were made, too. */
  close(): void
}

/** A connection of its own: its queries run off the event loop. */
export interface StatisticsConnection {
  /** DuckDB's own: appenders, streams, prepared statements. */
  readonly raw: DuckDBConnection
  /** Runs a statement to its end and gives its rows as objects. */
  all<R>(sql: string, values?: readonly DuckDBValue[]): Promise<R[]>
  run(sql: string, values?: readonly DuckDBValue[]): Promise<void>
  /** Runs what works with `raw`: meanwhile DuckDB keeps the memory that it may have. */
  use<T>(work: () => Promise<T>): Promise<T>
  close(): void
}

/** Opens the file, makes it and its tables when missing. @throws whatever DuckDB says is wrong */
export async function openStatistics(
  file: string,
  options: StatisticsOptions = {},
): Promise<StatisticsDatabase> {
  // A file that DuckDB is making is no valid one if the disk is full or the process killed meanwhile,
  // and would stay so: it is made under another name.
  if (!options.readonly && !existsSync(file)) {
    await makeWhole(file, async (made) => (await open(made, options)).close())
  }
  return await open(file, options)
}

async function open(file: string, options: StatisticsOptions): Promise<StatisticsDatabase> {
  const { memoryBytes = MEMORY_BYTES, tempDirectory = `${file}.tmp`, threads = 1 } = options
  const memoryLimit = `${Math.round(memoryBytes / 1_000_000)}MB`
  const instance = await DuckDBInstance.create(file, {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: tempDirectory ?? '',
    // Above this the log is moved into the file: more often, and the last row group is written anew each time.
    checkpoint_threshold: '64MB',
    // An export has its own ORDER BY; whatever else needs an order says so.
    preserve_insertion_order: 'false',
    // The newest form of the file: strings take a third less. Only this program reads it.
    storage_compatibility_version: 'latest',
    default_block_size: String(BLOCK_BYTES),
    // No extension is fetched from anywhere, and no other file is opened by a query.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(options.readonly ? { access_mode: 'READ_ONLY' } : {}),
  })
  const connections = new Set<StatisticsConnection>()
  let closed = false
  let working = 0
  let releasing: Promise<unknown> = Promise.resolve()

  /** Nothing is begun while memory is given back, and none is while something goes on. */
  async function at<T>(work: () => Promise<T>): Promise<T> {
    await releasing
    working++
    try {
      return await work()
    } finally {
      working--
    }
  }

  async function connect(): Promise<StatisticsConnection> {
    const raw = await instance.connect()
    const connection: StatisticsConnection = {
      raw,
      async all<R>(sql: string, values?: readonly DuckDBValue[]) {
        const reader = await at(() => raw.runAndReadAll(sql, values as DuckDBValue[] | undefined))
        return reader.getRowObjects() as R[]
      },
      async run(sql, values) {
        await at(() => raw.run(sql, values as DuckDBValue[] | undefined))
      },
      use: at,
      close() {
        if (connections.delete(connection)) raw.closeSync()
      },
    }
    connections.add(connection)
    return connection
  }

  const database: StatisticsDatabase = {
    file,
    connect,
    async releaseMemory() {
      const connection = await connect()
      try {
        if (working > 0) return
        // A lower limit makes it evict at once; what is in use makes it refuse, which is as well. In
        // one call, so that no question meets the lower one.
        releasing = connection.raw
          .run(`SET memory_limit = '${RESTING_LIMIT}'; SET memory_limit = '${memoryLimit}'`)
          .catch(() => {})
        await releasing
      } finally {
        connection.close()
      }
    },
    close() {
      if (closed) return
      closed = true
      for (const connection of connections) connection.close()
      instance.closeSync()
    },
  }
  if (options.readonly) return database
  try {
    // The file is ours alone by now: who left this behind was killed.
    if (tempDirectory !== null) removeSpilled(tempDirectory)
    const connection = await connect()
    for (const table of TABLES) await connection.run(table)
    connection.close()
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** What sorts that didn't fit into memory have put aside: DuckDB's own names, and nothing else. */
function removeSpilled(directory: string): void {
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory)) {
    if (name.startsWith('duckdb_temp_')) rmSync(join(directory, name), { force: true })
  }
}
