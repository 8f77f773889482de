import { constants, Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Execute, sqlOver } from '../kysely.ts'
import { type Sql, StorageUnavailable } from '../storage.ts'

/** The most cached statements. */
const STATEMENTS_KEPT = 256

/** Older versions can corrupt a database when the WAL restarts (fixed in 3.51.3). */
const OLDEST_SAFE_VERSION = '3.51.3'

/** A connection to the embedded database: stores use its {@link Sql} part. */
export interface SqliteConnection extends Sql {
  readonly raw: Database
  readonly execute: Execute
  close(): void
}

/** How a database file is opened. Sizes are in bytes. */
export interface OpenOptions {
  readonly?: boolean
  /** How much of the file is memory-mapped. */
  mmapBytes?: number
  cacheBytes?: number
  /** A second file, whose tables are used by their names only. */
  attach?: string
}

/** Opens a file for reading, and makes none beside it. */
export function openUnchanged(file: string): SqliteConnection {
  if (existsSync(`${file}-wal`)) return openSqlite(file, { readonly: true })
  // No process has it open. An ordinary reader would make a log:
  // https://www.sqlite.org/uri.html#uriimmutable.
  const raw = new Database(
    `${pathToFileURL(file).href}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  )
  return connectionOf(raw)
}

/** Opens a file in WAL mode (https://www.sqlite.org/wal.html). */
export function openSqlite(file: string, options: OpenOptions = {}): SqliteConnection {
  const raw = new Database(file, options.readonly ? { readonly: true } : { create: true })
  // First, so that nothing below fails because of another process's lock.
  raw.run('PRAGMA busy_timeout = 5000')
  assertSafeVersion(raw)
  if (!options.readonly) {
    raw.run('PRAGMA journal_mode = WAL')
    raw.run('PRAGMA synchronous = NORMAL')
    // The click worker checkpoints, because a sync would block the serving thread.
    raw.run('PRAGMA wal_autocheckpoint = 0')
    raw.run('PRAGMA foreign_keys = ON')
  }
  raw.run(`PRAGMA mmap_size = ${options.mmapBytes ?? 1_073_741_824}`)
  raw.run(`PRAGMA cache_size = -${Math.round((options.cacheBytes ?? 8_388_608) / 1024)}`)
  raw.run('PRAGMA temp_store = MEMORY')
  if (options.attach !== undefined) {
    raw.run('ATTACH ? AS counters', [options.attach])
    // To read a mapped page that is cut off, or on a bad sector, would end the process (SIGBUS).
    raw.run('PRAGMA counters.mmap_size = 0')
  }
  return connectionOf(raw)
}

/** Opens a file for reading, again whenever another one has taken its place. */
export function openFollowing(file: string): { current(): SqliteConnection; close(): void } {
  const inode = () => statSync(file, { throwIfNoEntry: false })?.ino
  let opened: { connection: SqliteConnection; inode: number | undefined } | undefined
  const close = () => opened?.connection.close()
  return {
    current() {
      if (opened === undefined || opened.inode !== inode()) {
        close()
        opened = undefined
        opened = { inode: inode(), connection: openSqlite(file, { readonly: true }) }
      }
      return opened.connection
    },
    close,
  }
}

function connectionOf(raw: Database): SqliteConnection {
  const statements = statementsOf(raw)
  const execute = executorOf(statements.of)
  return {
    ...sqlOver('sqlite', execute, (command) => void raw.run(command)),
    raw,
    execute,
    close() {
      // SQLite keeps a connection, including its WAL, open until the last statement is finalized.
      statements.finalize()
      raw.close(false)
    },
  }
}

/** A statement, and whether it gives rows: to ask for its columns takes a third of a point read. */
interface Kept {
  statement: Statement
  givesRows: boolean
}

/** Prepares statements by their text, and caches them. */
export function statementsOf(raw: Database) {
  const all = new Map<string, Kept>()
  return {
    of(text: string): Kept {
      let kept = all.get(text)
      if (kept === undefined) {
        const statement = raw.prepare(text)
        kept = { statement, givesRows: statement.columnNames.length > 0 }
        const [oldest] = all
        if (oldest !== undefined && all.size >= STATEMENTS_KEPT) {
          oldest[1].statement.finalize()
          all.delete(oldest[0])
        }
        all.set(text, kept)
      }
      return kept
    },
    finalize(): void {
      for (const { statement } of all.values()) statement.finalize()
      all.clear()
    },
  }
}

/** Executes statements synchronously. */
function executorOf(statementOf: (text: string) => Kept): Execute {
  return (text, values) => {
    try {
      const { statement, givesRows } = statementOf(text)
      const bindings = values as SQLQueryBindings[]
      if (givesRows) return { rows: statement.all(...bindings) }
      return { rows: [], rowCount: statement.run(...bindings).changes }
    } catch (error) {
      throw asStorageError(error)
    }
  }
}

function assertSafeVersion(raw: Database): void {
  const { version } = raw.query('SELECT sqlite_version() AS version').get() as { version: string }
  if (Bun.semver.order(version, OLDEST_SAFE_VERSION) >= 0) return
  throw new Error(`SQLite ${version} is too old: ${OLDEST_SAFE_VERSION} or newer is needed`)
}

/** Result codes (https://www.sqlite.org/rescode.html) of the machine's state, not of bugs. */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|CORRUPT|NOTADB|PERM|NOMEM)/

/** Converts an error of SQLite for callers of stores. */
export function asStorageError(error: unknown): unknown {
  if (error instanceof SQLiteError && error.code !== undefined && UNAVAILABLE.test(error.code)) {
    return new StorageUnavailable(error.code, { cause: error })
  }
  return error
}
