import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import type { CompiledQuery, Kysely, QueryResult } from 'kysely'
import { kyselyOver } from '../kysely.ts'
import type { Schema } from '../schema.ts'
import { bind, type Sql, StorageUnavailable } from '../storage.ts'

/** Statements built per request are kept for the next one of the same text, this many at most. */
const STATEMENTS_KEPT = 256

/** SQLite before this one can corrupt a database when the WAL restarts (fixed in 3.51.3). */
const OLDEST_SAFE_VERSION = '3.51.3'

/** A connection to the embedded database: stores use its {@link Sql} part. */
export interface SqliteConnection extends Sql {
  readonly raw: Database
  close(): void
}

/** How a database file is opened. Sizes are in bytes. */
export interface OpenOptions {
  readonly?: boolean
  /** How much of the file is read through memory maps. */
  mmapBytes?: number
  cacheBytes?: number
  /** A second file, whose tables are found by their names alone. */
  attach?: string
}

/** Opens a file in WAL mode (https://www.sqlite.org/wal.html). */
export function openSqlite(file: string, options: OpenOptions = {}): SqliteConnection {
  const raw = new Database(file, options.readonly ? { readonly: true } : { create: true })
  // First of all, so that nothing below fails for another's lock.
  raw.run('PRAGMA busy_timeout = 5000')
  assertSafeVersion(raw)
  if (!options.readonly) {
    raw.run('PRAGMA journal_mode = WAL')
    raw.run('PRAGMA synchronous = NORMAL')
    // The click worker checkpoints: it syncs, and a sync would hold up the serving thread.
    raw.run('PRAGMA wal_autocheckpoint = 0')
    raw.run('PRAGMA foreign_keys = ON')
  }
  raw.run(`PRAGMA mmap_size = ${options.mmapBytes ?? 1_073_741_824}`)
  raw.run(`PRAGMA cache_size = -${Math.round((options.cacheBytes ?? 8_388_608) / 1024)}`)
  raw.run('PRAGMA temp_store = MEMORY')
  if (options.attach !== undefined) raw.run('ATTACH ? AS counters', [options.attach])
  return wrap(raw)
}

function wrap(raw: Database): SqliteConnection {
  const db = kyselyOver('sqlite', executorOf(raw), (command) => void raw.run(command))
  const prepared = new WeakMap<CompiledQuery, Statement>()
  return {
    dialect: 'sqlite',
    raw,
    db,
    async run<P extends object, R>(
      statement: { compile(db: Kysely<Schema>): CompiledQuery<R> },
      parameters: P,
    ) {
      const query = statement.compile(db)
      let compiled = prepared.get(query)
      try {
        if (compiled === undefined) {
          compiled = raw.prepare(query.sql)
          prepared.set(query, compiled)
        }
        return compiled.all(...(bind(query, parameters) as SQLQueryBindings[])) as R[]
      } catch (error) {
        throw asStorageError(error)
      }
    },
    close() {
      raw.close(false)
    },
  }
}

/** Executes queries that are built per request, and keeps their statements for the next time. */
function executorOf(raw: Database) {
  const kept = new Map<string, Statement>()
  return async (query: CompiledQuery): Promise<QueryResult<unknown>> => {
    try {
      let statement = kept.get(query.sql)
      if (statement === undefined) {
        statement = raw.prepare(query.sql)
        if (kept.size >= STATEMENTS_KEPT) dropOldest(kept)
        kept.set(query.sql, statement)
      }
      const parameters = query.parameters as SQLQueryBindings[]
      if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) }
      const { changes, lastInsertRowid } = statement.run(...parameters)
      return {
        rows: [],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      }
    } catch (error) {
      throw asStorageError(error)
    }
  }
}

function dropOldest(kept: Map<string, Statement>): void {
  for (const [sql, statement] of kept) {
    statement.finalize()
    kept.delete(sql)
    return
  }
}

function assertSafeVersion(raw: Database): void {
  const { version } = raw.query('SELECT sqlite_version() AS version').get() as { version: string }
  if (Bun.semver.order(version, OLDEST_SAFE_VERSION) >= 0) return
  throw new Error(`SQLite ${version} is too old: ${OLDEST_SAFE_VERSION} or newer is needed`)
}

/** Result codes (https://www.sqlite.org/rescode.html) that speak of the machine, not of us. */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|CORRUPT|NOTADB|PERM|NOMEM)/

/** What a store's caller gets to see of a failure of SQLite. */
export function asStorageError(error: unknown): unknown {
  if (error instanceof SQLiteError && error.code !== undefined && UNAVAILABLE.test(error.code)) {
    return new StorageUnavailable(error.code, { cause: error })
  }
  return error
}
