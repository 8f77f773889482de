import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { syncPath } from '../../../lib/base/sync-path.ts'
import { damagedLog, statisticsLog } from '../../process/files.ts'
import { assertOwner, type Owner, writeOwner } from './owner.ts'
import { BASELINE, SCHEMA_VERSION, SUM_TABLES } from './schema.ts'

// Of Slugline's modules only those of this folder load DuckDB's native library, which takes tens of
// megabytes.

/** What DuckDB accounts for; the process takes 100 to 200 MB more. */
const MEMORY_MB = 120
const RESTING_MB = 16
const THREADS = 2
/** DuckDB ignores an interrupt that comes before a query has started. */
const INTERRUPT_EVERY_MS = 50

/** An open statistics file. */
export type DuckDb = Awaited<ReturnType<typeof open>>

/** A connection, which runs one query at a time. */
export type Connection = ReturnType<typeof connectionOf>

/** The file has tables that this version does not read. */
export class OldFormat extends Error {
  override name = 'OldFormat'
}

/**
 * Opens a statistics file, or creates it.
 * @param options `owner`: it must belong to this instance
 * @throws OldFormat; Refused; DuckDB's errors when the file is locked, damaged, or can't be written
 */
export async function openDuckDb(
  file: string,
  { readonly = false, owner = null }: { readonly?: boolean; owner?: Owner | null } = {},
): Promise<DuckDb> {
  if (!readonly && !existsSync(file)) await create(file)
  const database = await open(file, readonly)
  try {
    const connection = await database.connect()
    await checkFormat(connection)
    if (owner !== null) await assertOwner(connection, file, owner)
    if (owner !== null && !readonly) await writeOwner(connection, owner)
    if (!readonly) for (const statement of SUM_TABLES) await connection.run(statement)
    // No other process has the file now: what is left here is from one that was killed.
    if (!readonly) empty(database.temporary)
    await restrict(connection, database.temporary)
    connection.close()
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** Creates a file under another name first: one that is half made would never open. */
async function create(file: string): Promise<void> {
  const made = `${file}.new`
  rmSync(made, { force: true })
  rmSync(statisticsLog(made), { force: true })
  const database = await open(made)
  try {
    const connection = await database.connect()
    await connection.transaction(async () => {
      for (const statement of BASELINE) await connection.run(statement)
    })
    await connection.run('CHECKPOINT')
  } finally {
    database.close()
  }
  // The log of a file that is gone would be applied to this one.
  if (existsSync(statisticsLog(file))) renameSync(statisticsLog(file), damagedLog(file))
  renameSync(made, file)
  await syncPath(dirname(file))
}

async function checkFormat(connection: Connection): Promise<void> {
  const [table] = await connection.run(
    "SELECT 1 FROM duckdb_columns() WHERE table_name = 'state' AND column_name = 'version'",
  )
  const [state] = table === undefined ? [] : await connection.run('SELECT version FROM state')
  if (Number(state?.[0]) === SCHEMA_VERSION) return
  throw new OldFormat(
    'The statistics file has the format of another version of Slugline, which this version does not read: move it away to begin with a new one',
  )
}

/** From here on queries read and write no other files, and settings stay but for two. */
async function restrict(connection: Connection, directory: string): Promise<void> {
  await connection.run(`SET allowed_directories = [${quoted(`${directory}/`)}];
    SET allowed_configs = ['memory_limit', 'threads']; SET enable_external_access = false;
    SET lock_configuration = true`)
}

async function open(file: string, readonly = false) {
  const temporary = `${file}.tmp`
  const instance = await DuckDBInstance.create(file, {
    access_mode: readonly ? 'READ_ONLY' : 'READ_WRITE',
    threads: String(THREADS),
    memory_limit: `${MEMORY_MB}MB`,
    temp_directory: join(temporary, 'spilled'),
    // Freed memory goes back to the system soon: a heavy report then takes a quarter less at its peak.
    allocator_flush_threshold: '1MB',
    allocator_bulk_deallocation_flush_threshold: '1MB',
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connections = new Set<DuckDBConnection>()
  const directory = dirname(file)
  let namesAt = Number.NaN
  let named = Promise.resolve()
  let running = 0
  let closing = false
  let interrupting: Timer | undefined

  function finish(): void {
    if (!closing || running > 0) return
    clearInterval(interrupting)
    for (const connection of connections) connection.closeSync()
    connections.clear()
    instance.closeSync()
  }

  /** Counts what runs: DuckDB must not be closed meanwhile. */
  async function counted<T>(work: () => Promise<T>): Promise<T> {
    if (closing) throw new Error('The statistics file is closed')
    running++
    try {
      return await work()
    } finally {
      running--
      finish()
    }
  }

  /**
   * Syncs the directory when files were created or deleted in it. DuckDB doesn't, and after a power
   * cut a log that it had created could be missing; or one that it had deleted could be there again,
   * and two checkpoints later DuckDB would apply it a second time.
   */
  async function syncNames(): Promise<void> {
    if (readonly) return
    const changedAt = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? namesAt
    if (changedAt !== namesAt) {
      namesAt = changedAt
      named = syncPath(directory).catch((error) => {
        namesAt = Number.NaN
        throw error
      })
    }
    await named
  }

  async function connect(): Promise<Connection> {
    const raw = await counted(() => instance.connect())
    connections.add(raw)
    return connectionOf(raw, counted, syncNames, () => {
      if (connections.delete(raw)) raw.closeSync()
    })
  }

  return {
    file,
    /** A directory for batches and exports on their way; emptied when the file is opened. */
    temporary,
    connect,
    /**
     * Runs work on one thread: DuckDB spins while one waits for another, which takes a fifth of the CPU
     * that storing clicks costs. A question beside it has one thread, too.
     */
    async onOneThread<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
      await connection.run('SET threads = 1')
      try {
        return await work()
      } finally {
        await connection.run(`SET threads = ${THREADS}`)
      }
    },
    /** Gives memory back to the system, if no query runs; `isAll`: all that no query uses. */
    async releaseMemory(isAll = false): Promise<void> {
      if (running > 0 && !isAll) return
      const connection = await connect()
      const resting = isAll ? '1KB' : `${RESTING_MB}MB`
      // A lower limit makes DuckDB evict; in one call, so that no query runs under it. One that can't be
      // reached is refused, when all that can be evicted is.
      await connection
        .run(`SET memory_limit = '${resting}'; SET memory_limit = '${MEMORY_MB}MB'`)
        .catch(() => {})
      connection.close()
    },
    /** Interrupts running queries and closes the file when they have ended. */
    close(): void {
      if (closing) return
      closing = true
      interrupting = setInterval(() => {
        for (const connection of connections) connection.interrupt()
      }, INTERRUPT_EVERY_MS)
      finish()
    },
  }
}

function connectionOf(
  raw: DuckDBConnection,
  counted: <T>(work: () => Promise<T>) => Promise<T>,
  ended: () => Promise<void>,
  close: () => void,
) {
  /** Runs statements to their end; the rows of the last one. Interrupted when the signal aborts. */
  async function run(
    sql: string,
    values: readonly string[] = [],
    signal?: AbortSignal,
  ): Promise<unknown[][]> {
    signal?.throwIfAborted()
    let again: Timer | undefined
    const interrupt = () => {
      raw.interrupt()
      again ??= setInterval(() => raw.interrupt(), INTERRUPT_EVERY_MS)
    }
    signal?.addEventListener('abort', interrupt)
    try {
      const reader = await counted(() => raw.runAndReadAll(sql, [...values]))
      await ended()
      return reader.getRows()
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', interrupt)
      clearInterval(again)
    }
  }

  return {
    run,
    /** The rows of a query in parts, as they are read. */
    async *stream(sql: string): AsyncGenerator<unknown[][], undefined> {
      const result = await counted(() => raw.stream(sql))
      for (;;) {
        const chunk = await counted(() => result.fetchChunk())
        if (chunk === null || chunk.rowCount === 0) return undefined
        yield chunk.getRows()
      }
    },
    /** Runs work in a transaction, which is rolled back after an error. */
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      await run('BEGIN')
      try {
        const result = await work()
        await run('COMMIT')
        return result
      } catch (error) {
        await run('ROLLBACK').catch(() => {})
        throw error
      }
    },
    close,
  }
}

function empty(directory: string): void {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o700)
  for (const name of readdirSync(directory)) {
    rmSync(join(directory, name), { recursive: true, force: true })
  }
}

/** A text in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
