import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/errors/index.ts'

/** How long a start waits for a server that is about to end. */
const PATIENCE_MS = 250

/** Longer than a server takes to stop. */
const TAKE_OVER_MS = 12_000

/** Keeps connections referenced: a collected one would release its lock. */
const held = new Set<Database>()

/** Another process serves from this data directory. */
export class DataDirLocked extends OperatorError {
  constructor(
    readonly dataDir: string,
    /** The process id in the lock's file; null: unknown. */
    readonly pid: number | null,
  ) {
    super(
      'DATA_DIR_LOCKED',
      `${dataDir} is in use by another Slugline server${pid === null ? '' : ` (process ${pid})`}. ` +
        'Stop that one first, or give this one a directory of its own with SLUGLINE_DATA_DIR.',
    )
  }
}

/**
 * Locks the data directory for a serving process. The operating system holds the lock, through an
 * SQLite file, so that it ends with the process; a second file names the holder. Commands don't
 * take it: they work while the server runs.
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
    /** Records the server's local and public URLs, for commands. */
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
 * Takes the data directory over from the running server: signals it to stop, and waits.
 * @throws DataDirLocked when it doesn't stop
 */
export async function takeOverDataDir(dataDir: string) {
  const { pid } = lockState(dataDir)
  if (pid !== null) process.kill(pid, 'SIGTERM')
  const free = () => {
    const db = tryLock(lockFile(dataDir), 0)
    db?.close()
    return db !== null
  }
  // Without SQLite's busy timeout, which would block this thread while it accepts connections.
  for (const end = Date.now() + TAKE_OVER_MS; !free() && Date.now() < end; ) await Bun.sleep(20)
  return lockDataDir(dataDir)
}

/** Whether a server holds the directory now, and what is known about it. */
export function lockState(dataDir: string) {
  const db = existsSync(lockFile(dataDir)) ? tryLock(lockFile(dataDir), 0) : undefined
  if (db === null) return { held: true, ...holderOf(dataDir) }
  db?.close()
  return { held: false, ...UNKNOWN }
}

/**
 * Locks a file until it is closed or the process ends. The caller keeps a reference, because a
 * collected connection is closed. Null: another process has the lock.
 */
export function tryLock(file: string, patienceMs: number): Database | null {
  const db = new Database(file, { create: true })
  try {
    db.run(`PRAGMA busy_timeout = ${patienceMs}`)
    db.run('PRAGMA locking_mode = EXCLUSIVE')
    db.run('PRAGMA journal_mode = MEMORY')
    // Never committed: the open transaction is the lock. Nothing is ever written.
    db.run('BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return null
    throw error
  }
}

/** The server of a data directory, as it recorded itself. */
interface Holder {
  pid: number | null
  /** Its listening URL, like `http://127.0.0.1:3000`. */
  url: string | null
  /** Its public URL, like `https://sho.rt`. */
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
