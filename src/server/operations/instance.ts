import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { journalDirectory, journalOwner, listSegments, ownJournal } from '../../clicks/index.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { secretFiles } from '../../platform/config/index.ts'
import {
  assertOwned,
  databaseFiles,
  type Instance,
  instanceIn,
  isCutOff,
  type MigrationState,
  migrate,
  openUnchanged,
  PUT_BACK,
  type SqliteConnection,
} from '../../platform/storage/index.ts'
import { statisticsFile } from '../../statistics/process/index.ts'

/** SQLite's codes for a file that is not a whole database. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/

/**
 * Migrates a single machine's data directory, once it is certain that it has one instance's files,
 * and writes into each which one that is.
 * @throws OperatorError, with nothing changed
 */
export async function migrateInstance(dataDir: string): Promise<MigrationState[]> {
  await assertOneInstance(dataDir)
  const applied = await migrate(dataDir)
  const instance = await instanceIn(databaseFiles(dataDir).main)
  if (instance !== null && instance.id !== null) ownJournal(journalDirectory(dataDir), instance.id)
  return applied
}

/**
 * Checks that a single machine's data directory has the files of one instance, or none: its links'
 * database must not be lost while others are there, and none may come from elsewhere. The statistics
 * are only opened by their own process: see `openDuckDb`. Changes nothing. Returns null for a new
 * directory.
 * @throws OperatorError
 */
export async function assertOneInstance(dataDir: string): Promise<Instance | null> {
  const { main, counters } = databaseFiles(dataDir)
  const instance = await instanceOf(main)
  if (instance === null) {
    const rest = [`${main}-wal`, counters, `${counters}-wal`, ...restOf(dataDir)]
    const left = rest.find((file) => sizeOf(file) > 0) ?? segmentIn(dataDir)
    if (left === undefined) return null
    const state = existsSync(main) ? 'is empty' : 'is missing'
    throw lost(`${main} ${state}, but ${left} belongs to an instance that was here`)
  }
  const journal = journalDirectory(dataDir)
  assertOwned(
    { name: journal, owner: journalOwner(journal), isEmpty: segmentIn(dataDir) === undefined },
    instance,
    main,
  )
  const counted = sizeOf(counters) === 0 ? null : ownerOfCounters(counters)
  if (counted !== null) assertOwned({ name: counters, ...counted }, instance, main)
  return instance
}

/** The instance of the links; null: there are no tables. @throws OperatorError if they are damaged */
async function instanceOf(main: string): Promise<Instance | null> {
  if (sizeOf(main) === 0) return null
  try {
    assertLength(main)
    return await instanceIn(main)
  } catch (error) {
    const code = codeOf(error)
    if (!DAMAGED.test(code)) throw error
    throw lost(`${main} is damaged (${code})`)
  }
}

/** SQLite doesn't notice it while there is a log. @throws OperatorError */
function assertLength(main: string): void {
  const opened = openUnchanged(main)
  try {
    if (isCutOff(opened, main)) throw lost(`${main} is cut off`)
  } finally {
    opened.close()
  }
}

/** Null: it can't be read, or has no tables; its own start reports the first. */
function ownerOfCounters(counters: string): { owner: string | null; isEmpty: boolean } | null {
  let opened: SqliteConnection | undefined
  try {
    opened = openUnchanged(counters)
    const { raw } = opened
    const columns = raw.query("SELECT name FROM pragma_table_info('journal_watermark')").values()
    if (columns.length === 0) return null
    const isNamed = columns.flat().includes('instance')
    const [row] = raw
      .query<{ owner: string | null; isEmpty: number }, []>(
        `SELECT ${isNamed ? 'instance' : 'NULL'} AS owner, segment = 0 AND "offset" = 0
           AND NOT EXISTS (SELECT 1 FROM link_counters) AS isEmpty FROM journal_watermark`,
      )
      .all()
    return { owner: row?.owner ?? null, isEmpty: row?.isEmpty !== 0 }
  } catch (error) {
    if (DAMAGED.test(codeOf(error))) return null
    throw error
  } finally {
    opened?.close()
  }
}

/** Files that a start doesn't make before the links' database. */
function restOf(dataDir: string): string[] {
  const statistics = statisticsFile(dataDir)
  return [statistics, `${statistics}.wal`, ...secretFiles(dataDir), join(dataDir, 'salts')]
}

function segmentIn(dataDir: string): string | undefined {
  const directory = journalDirectory(dataDir)
  return listSegments(directory).length > 0 ? directory : undefined
}

/** In bytes; 0: it doesn't exist. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function lost(fault: string): OperatorError {
  return new OperatorError('DATA_DAMAGED', `${fault}. ${PUT_BACK}`)
}

function codeOf(error: unknown): string {
  const { code, cause, message } = error as Error & { code?: string; cause?: { code?: string } }
  return code ?? cause?.code ?? message
}
