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
  LIST,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { createCompaction, isOfBefore } from './compaction.ts'
import { makeWhole } from './make-whole.ts'
import { FILE_OPTIONS, TABLES } from './tables.ts'

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
  LIST,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
}

/**
 * What DuckDB counts. The process takes 90 MB without it, half of that for DuckDB's code, and up to 130 more that
 * it doesn't count, while visitors are told apart or row groups compressed. With 180 reports are as quick.
 */
const MEMORY_BYTES = 110_000_000
const RESTING_LIMIT = '16MB'
/**
 * Of a new file, and of the copy that a file is replaced by. A column of a row group fills DuckDB's own
 * 256 KB to a bit more than the half, so that nothing else fits: 0.8 bytes a click. With 64 KB a
 * text's values lie in several dictionaries, and take a third longer to read.
 */
const BLOCK_BYTES = 131_072
/** What the file is called in queries; they needn't, it is the default of each connection. */
const CATALOG = 'statistics'

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
  /** One after the other: what takes so much memory that two of it would be too much. */
  alone<T>(work: () => Promise<T>): Promise<T>
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
  const database = await open(file, options)
  if (options.readonly || !(await bringToTodaysForm(database))) return database
  database.close()
  return await open(file, options)
}

/**
 * Copies a file of before into today's form, and puts the copy in its place: killed at any moment, it is the
 * one or the other. True: it has done so, and the database must be closed.
 * @throws when there is no room for it, as a rule
 */
async function bringToTodaysForm(database: StatisticsDatabase): Promise<boolean> {
  try {
    const connection = await database.connect()
    const isOld = await isOfBefore(connection)
    connection.close()
    if (!isOld) return false
    const compaction = await createCompaction(database, { least: 0, part: 0 })
    while (await compaction.step());
    if (await compaction.replace()) return true
    throw new Error('The statistics file can not be copied into its new form')
  } catch (error) {
    database.close()
    throw error
  }
}

async function open(file: string, options: StatisticsOptions): Promise<StatisticsDatabase> {
  const { memoryBytes = MEMORY_BYTES, tempDirectory = `${file}.tmp`, threads = 1 } = options
  const memoryLimit = `${Math.round(memoryBytes / 1_000_000)}MB`
  // A file that is the instance's own can't be told the size of its row groups.
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: tempDirectory ?? '',
    // Above this the log is moved into the file: more often, and the last row group is written anew each time.
    checkpoint_threshold: '64MB',
    // An export has its own ORDER BY; whatever else needs an order says so.
    preserve_insertion_order: 'false',
    default_block_size: String(BLOCK_BYTES),
    // No extension is fetched from anywhere, and no other file is opened by a query.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    const access = options.readonly ? ', READ_ONLY' : ''
    await connection.run(
      `ATTACH '${file.replaceAll("'", "''")}' AS ${CATALOG} (${FILE_OPTIONS}${access})`,
    )
    connection.closeSync()
  } catch (error) {
    instance.closeSync()
    throw error
  }
  const connections = new Set<StatisticsConnection>()
  let closed = false
  let working = 0
  let releasing: Promise<unknown> = Promise.resolve()
  let last: Promise<unknown> = Promise.resolve()

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
    await raw.run(`USE ${CATALOG}`)
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
    alone(work) {
      const done = last.then(work)
      last = done.catch(() => {})
      return done
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
