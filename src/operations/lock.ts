import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How long a start waits for a server that is just ending. */
const PATIENCE_MS = 250

/** Longer than a server takes to stop. */
const TAKE_OVER_MS = 12_000

/** A connection without a reference is collected, and its lock with it. */
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

/**
 * Takes the data directory for a serving process. The lock is the operating system's, held
 * through an SQLite file, so that it goes with the process however that ends; a second file
 * names the holder. Commands don't take it: they work while the server runs.
 * @throws DataDirLocked
 */
export function lockDataDir(dataDir: string) {
  const db = tryLock(lockFile(dataDir), PATIENCE_MS)
  if (db === null) throw new DataDirLocked(dataDir, holderOf(dataDir).pid)
  held.add(db)
  const note = (lines: readonly (number | string)[]) =>
    writeFileSync(pidFile(dataDir), `${lines.join('\n')}\n`, { mode: 0o600 })
  note([process.pid])
  return {
    /** Notes where the holder is reached, from this machine and by everybody, for commands. */
    listensOn: (url: string, publicUrl: string) => note([process.pid, url, publicUrl]),
    release() {
      // In this order: the next holder of the lock writes the file again.
      rmSync(pidFile(dataDir), { force: true })
      held.delete(db)
      db.close()
    },
  }
}

/**
 * Takes the data directory over from the server that has it: tells that one to stop, and waits for it.
 * @throws DataDirLocked when it stays
 */
export async function takeOverDataDir(dataDir: string) {
  const { pid } = lockState(dataDir)
  if (pid !== null) process.kill(pid, 'SIGTERM')
  const free = () => {
    const db = tryLock(lockFile(dataDir), 0)
    db?.close()
    return db !== null
  }
  // Not by the patience of SQLite, which blocks this thread: it accepts connections meanwhile.
  for (const end = Date.now() + TAKE_OVER_MS; !free() && Date.now() < end; ) await Bun.sleep(20)
  return lockDataDir(dataDir)
}

/** Whether a server holds the directory now, and who it is as far as it is known. */
export function lockState(dataDir: string) {
  const db = existsSync(lockFile(dataDir)) ? tryLock(lockFile(dataDir), 0) : undefined
  if (db === null) return { held: true, ...holderOf(dataDir) }
  db?.close()
  return { held: false, ...UNKNOWN }
}

/**
 * Locks a file until it is closed, or the process ends. The caller keeps a reference: what is collected
 * is closed. Null: another process has the lock.
 */
export function tryLock(file: string, patienceMs: number): Database | null {
  const db = new Database(file, { create: true })
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

/** Who serves from a data directory, as it wrote itself down. */
interface Holder {
  pid: number | null
  /** Where it listens, like `http://127.0.0.1:3000`. */
  url: string | null
  /** Where people reach it, like `https://sho.rt`. */
  publicUrl: string | null
}
const UNKNOWN: Holder = { pid: null, url: null, publicUrl: null }

function holderOf(dataDir: string): Holder {
  try {
    const [first, url = '', publicUrl = ''] = readFileSync(pidFile(dataDir), 'utf8').split('\n')
    const pid = Number(first)
    return {
      pid: Number.isSafeInteger(pid) && pid > 0 ? pid : null,
      url: URL.canParse(url) ? url : null,
      publicUrl: URL.canParse(publicUrl) ? publicUrl : null,
    }
  } catch {
    return UNKNOWN
  }
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'lock.db')
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'server.pid')
}
