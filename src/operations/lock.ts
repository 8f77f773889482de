import { Database, SQLiteError } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How long a start waits for a server that is just ending. */
const PATIENCE_MS = 250

/** A connection that nobody refers to is collected, and its lock with it. */
const held = new Set<Database>()

/** Another process serves from this data directory. */
export class DataDirLocked extends Error {
  override name = 'DataDirLocked'
  constructor(
    readonly dataDir: string,
    /** As the holder wrote it down; null when it didn't come to that. */
    readonly pid: number | null,
  ) {
    super(
      `${dataDir} is in use by another Slugline server${pid === null ? '' : ` (process ${pid})`}. ` +
        'Stop that one first, or give this one a directory of its own with SLUGLINE_DATA_DIR.',
    )
  }
}

/** A data directory that is this process's alone to serve from. */
export interface DataDirLock {
  release(): void
}

/**
 * Takes the data directory for a serving process. The lock is the operating system's, held
 * through an SQLite file, so that it goes with the process however that ends; a file beside it
 * names the holder. Commands don't take it: they work while the server runs.
 * @throws DataDirLocked
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const db = tryLock(dataDir, PATIENCE_MS)
  if (db === null) throw new DataDirLocked(dataDir, holderOf(dataDir))
  held.add(db)
  writeFileSync(pidFile(dataDir), `${process.pid}\n`, { mode: 0o600 })
  return {
    release() {
      // In this order: whoever takes the lock next writes the file anew.
      rmSync(pidFile(dataDir), { force: true })
      held.delete(db)
      db.close()
    },
  }
}

/** Whether a server holds the directory now, and its process as far as it is known. */
export function lockState(dataDir: string): { held: boolean; pid: number | null } {
  const db = tryLock(dataDir, 0)
  if (db === null) return { held: true, pid: holderOf(dataDir) }
  db.close()
  return { held: false, pid: null }
}

function tryLock(dataDir: string, patienceMs: number): Database | null {
  const db = new Database(join(dataDir, 'lock.db'), { create: true })
  try {
    db.run(`PRAGMA busy_timeout = ${patienceMs}`)
    db.run('PRAGMA locking_mode = EXCLUSIVE')
    db.run('PRAGMA journal_mode = MEMORY')
    // Never ended: the transaction is the lock. Nothing is ever written.
    db.run('BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return null
    throw error
  }
}

function holderOf(dataDir: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile(dataDir), 'utf8').trim())
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'server.pid')
}
