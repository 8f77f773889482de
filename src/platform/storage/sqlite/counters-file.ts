import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../../lib/base/replace-file.ts'
import { applyMigrations } from '../migrations/apply.ts'
import { COUNTERS_MIGRATIONS } from '../migrations/index.ts'
import { asStorageError, openSqlite, openUnchanged, type SqliteConnection } from './connection.ts'
import { createThread } from './reports.ts'

/** A database and the files that SQLite keeps beside it. */
const ENDS = ['', '-wal', '-shm']
/** Between the names of the counters and the time at which they were replaced. */
const KEPT = '.damaged-'
/** Made with a file of counters that is to be filled from the stored clicks, and dropped by that. */
const UNFILLED = 'unfilled'

/** What is wrong with a file of counters, as far as it can be seen without reading all of it. */
export type CountersFault = 'missing' | 'empty' | 'damaged' | 'mixed'

/** Whether an error may come from a damaged file of counters, or from one without tables. */
export function isDamage(error: unknown): boolean {
  const { message } = asStorageError(error) as Error
  return /^SQLITE_(CORRUPT|NOTADB|IOERR|CANTOPEN)|^no such table/.test(message)
}

/** Whether an error comes from what a file contains: no other one may lead to its replacement. */
export function isCorrupt(error: unknown): boolean {
  const { message } = asStorageError(error) as Error
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)|^no such table/.test(message)
}

/** Null: there is no such file. It changes when a file is replaced. */
export function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null
}

/** The fault of a file of counters; null: none that a few reads would show. */
export function faultOfCounters(file: string, instance: string | null): CountersFault | null {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size
  if (bytes === undefined) return 'missing'
  if (bytes === 0) return 'empty'
  let opened: SqliteConnection | undefined
  try {
    opened = openUnchanged(file)
    const { raw } = opened
    if (isCutOff(opened, file)) return 'damaged'
    const columns = raw.query("SELECT name FROM pragma_table_info('journal_watermark')").values()
    if (columns.length === 0) return 'empty'
    // Before there were ids, they are taken over: see `assertOwned`.
    if (!columns.flat().includes('instance')) return null
    const owner = raw.query('SELECT instance FROM journal_watermark').values().flat()[0] ?? null
    return owner === null || instance === null || owner === instance ? null : 'mixed'
  } catch (error) {
    if (isCorrupt(error)) return 'damaged'
    throw asStorageError(error)
  } finally {
    opened?.close()
  }
}

/** Whether a file is shorter than it says. SQLite doesn't notice it while there is a log. */
export function isCutOff({ raw }: Pick<SqliteConnection, 'raw'>, file: string): boolean {
  const [pages, pageBytes] = ['page_count', 'page_size'].map((name) =>
    Number(raw.query(`PRAGMA ${name}`).values().flat()[0]),
  ) as [number, number]
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // In this order: a checkpoint meanwhile copies the log into the file, and may empty it then.
  const logBytes = sizeOf(`${file}-wal`)
  return pages * pageBytes > logBytes + sizeOf(file)
}

/** Reads a whole file, on a thread of its own. False: it is whole, or can't be read now. */
export async function isBroken(file: string): Promise<boolean> {
  const thread = createThread({ file, options: { readonly: true, mmapBytes: 0 } })
  try {
    const [row] = await thread.ask('PRAGMA quick_check(1)')
    return (row as { quick_check: string }).quick_check !== 'ok'
  } catch (error) {
    return isCorrupt(error)
  } finally {
    thread.close()
  }
}

/** Makes a file of counters without any, to be filled, beside the present one. Returns its name. */
export async function draftCounters(file: string, instance: string | null): Promise<string> {
  const draft = `${file}.new-${process.pid}`
  remove(draft)
  const connection = openSqlite(draft)
  try {
    await applyMigrations(connection, COUNTERS_MIGRATIONS)
    const { raw } = connection
    raw.run('UPDATE journal_watermark SET instance = ?', [instance])
    raw.run(`CREATE TABLE ${UNFILLED} (made_at INTEGER)`)
    raw.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    connection.close()
  }
  return draft
}

/**
 * Puts a draft in place of the present file, which is kept under another name. Returns that; null:
 * there was none. Processes that have the present one open go on using it, under its new name.
 */
export function replaceCounters(file: string, draft: string): string | null {
  const time = new Date().toISOString().replaceAll(':', '-')
  const kept = existsSync(file) ? `${file}${KEPT}${time}` : null
  // Its log too: SQLite would copy it into the new file.
  for (const end of ENDS) {
    if (!existsSync(file + end)) continue
    if (kept === null) rmSync(file + end)
    else renameSync(file + end, kept + end)
  }
  renameSync(draft, file)
  remove(draft)
  syncDirectory(dirname(file))
  return kept
}

/** Files of counters that were replaced and are still there, without their logs. */
export function keptCounters(file: string): string[] {
  const directory = dirname(file)
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .filter((path) => path.startsWith(file + KEPT) && !/-(?:wal|shm)$/.test(path))
}

/** Whether counters are still to be filled from the stored clicks. */
export function areUnfilled({ raw }: Pick<SqliteConnection, 'raw'>, schema = 'main'): boolean {
  return (
    raw.query(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = '${UNFILLED}'`).get() !== null
  )
}

/** They are filled; part of the transaction that does it. */
export function setFilled({ raw }: Pick<SqliteConnection, 'raw'>): void {
  raw.run(`DROP TABLE ${UNFILLED}`)
}

function remove(database: string): void {
  for (const end of ENDS) rmSync(database + end, { force: true })
}
