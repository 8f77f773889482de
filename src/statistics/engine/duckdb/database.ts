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
import { assertKnownSchema, createTables } from './migrate.ts'
import { assertOwner, type Owner, writeOwner } from './owner.ts'
import type { Connection, DuckDb } from './types.ts'

// Of Slugline's modules only those of this folder load DuckDB's native library, which takes tens of
// megabytes.

/** What DuckDB accounts for; the process takes 100 to 200 MB more. */
const MEMORY_MB = 120
const RESTING_MB = 16
const THREADS = 2
/** DuckDB ignores an interrupt that comes before a query has started. */
const INTERRUPT_EVERY_MS = 50

/** Whether DuckDB had no memory left for a statement, whose work is undone. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error')
}

/**
 * Opens a statistics file, or creates it. One of an older schema stays as it is: see `migrateDuckDb`.
 * @param options `owner`: it must belong to this instance
 * @throws OperatorError, also if its schema is newer or too old; DuckDB's errors when the file is locked,
 *   damaged, or can't be written
 */
export async function openDuckDb(
  file: string,
  { readonly = false, owner = null }: { readonly?: boolean; owner?: Owner | null } = {},
): Promise<DuckDb> {
  if (!readonly && !existsSync(file)) await create(file)
  const database = await open(file, readonly)
  try {
    const connection = await database.connect()
    await assertKnownSchema(connection, file)
    if (owner !== null) await assertOwner(connection, file, owner)
    if (owner !== null && !readonly) await writeOwner(connection, owner)
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
    await createTables(connection)
    await connection.run('CHECKPOINT')
  } finally {
    database.close()
  }
  // The log of a file that is gone would be applied to this one.
  if (existsSync(statisticsLog(file))) renameSync(statisticsLog(file), damagedLog(file))
  renameSync(made, file)
  await syncPath(dirname(file))
}

/** From here on queries read and write no other files, and settings stay but for two. */
async function restrict(connection: Connection, directory: string): Promise<void> {
  await connection.run(`SET allowed_directories = [${quoted(`${directory}/`)}];
    SET allowed_configs = ['memory_limit', 'threads']; SET enable_external_access = false;
    SET lock_configuration = true`)
}

async function open(file: string, readonly = false): Promise<DuckDb> {
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
    temporary,
    connect,
    async onOneThread(connection, work) {
      await connection.run('SET threads = 1')
      try {
        return await work()
      } finally {
        await connection.run(`SET threads = ${THREADS}`)
      }
    },
    async releaseMemory(isAll = false) {
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
    close() {
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
): Connection {
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
      // With a list, even an empty one, other threads take apart, prepare and run a statement in turn.
      const bound = values.length === 0 ? undefined : [...values]
      const reader = await counted(() => raw.runAndReadAll(sql, bound))
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
    async *stream(sql) {
      const result = await counted(() => raw.stream(sql))
      for (;;) {
        const chunk = await counted(() => result.fetchChunk())
        if (chunk === null || chunk.rowCount === 0) return undefined
        yield chunk.getRows()
      }
    },
    async transaction(work) {
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
