import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../../../package.json' with { type: 'json' }
import { replaceFile } from '../../lib/base/replace-file.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { readNode } from '../../platform/cluster/node.ts'
import { assertSecret, existingSecret } from '../../platform/config/index.ts'
import { databaseFiles, openSqlite, PUT_BACK } from '../../platform/storage/index.ts'
import { writeState } from '../../server/operations/backup-state.ts'
import { assertOneInstance } from '../../server/operations/instance.ts'
import { tryLock } from '../../server/operations/lock.ts'
import { openDuckDb } from '../../statistics/engine/duckdb/index.ts'
import { type Owner, ownerIn } from '../../statistics/engine/duckdb/owner.ts'
import { pauseStatistics } from '../../statistics/process/copy.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { SMALL_FILES, syncTree } from './files.ts'
import { holdSegments } from './journal.ts'
import { bytesOf, describeFiles, MANIFEST, type Manifest } from './manifest.ts'
import type { BackupStore } from './types.ts'

const PAUSE_WITHIN_MS = 60_000

/** Why several nodes have no backups, and what to do instead. */
export const OF_SEVERAL_NODES =
  'With DATABASE_URL the data is in PostgreSQL, and the clicks perhaps in ClickHouse: back these up ' +
  'with their own tools (pg_basebackup or pg_dump, and BACKUP). A node has only clicks on their way: ' +
  'its directory stays where it is, and is never restored. See docs/backup.md.'

/** What is backed up. */
export interface BackupOptions {
  /** A single machine's data directory; its server may run. */
  dataDir: string
  /** SLUGLINE_SECRET, or null: the data directory's file. */
  given: string | null
}

/** The result of a backup. */
export interface Backup {
  /** Its location. */
  where: string
  manifest: Manifest
  bytes: number
  durationMs: number
}

/**
 * Backs an instance up. The backup contains everything that the instance answered before the call, see
 * `docs/adr/0084`. One at a time; `after` runs before the next may start.
 * @throws OperatorError; ConfigError; errors of the databases and of the file system
 */
export async function createBackup(
  options: BackupOptions,
  { store, name }: { store: BackupStore; name: string },
  after?: () => Promise<void>,
): Promise<Backup> {
  const { dataDir } = options
  assertInstance(options)
  const lock = tryLock(join(dataDir, 'backup-lock.db'), 0)
  if (lock === null)
    throw new OperatorError('BACKUP_RUNNING', 'Another backup of this instance is running')
  try {
    const begun = performance.now()
    const manifest = await store.create(name, (directory) => copyInstance(options, directory))
    const bytes = bytesOf(manifest)
    const durationMs = Math.round(performance.now() - begun)
    writeState(dataDir, { at: Date.parse(manifest.began_at), durationMs, bytes })
    await after?.()
    return { where: store.open(name).where, manifest, bytes, durationMs }
  } finally {
    lock.close()
  }
}

/** @throws OperatorError, ConfigError */
function assertInstance({ dataDir, given }: BackupOptions): void {
  if (readNode(dataDir) !== null) throw new OperatorError('SEVERAL_NODES', OF_SEVERAL_NODES)
  if (!existsSync(databaseFiles(dataDir).main)) {
    const message = 'There is no instance in the data directory. Is SLUGLINE_DATA_DIR right?'
    throw new OperatorError('NO_INSTANCE', message)
  }
  assertSecret(dataDir, given)
}

/** Copies an instance into an empty directory, and syncs it. The order makes it consistent. */
async function copyInstance({ dataDir, given }: BackupOptions, to: string): Promise<Manifest> {
  const began_at = new Date().toISOString()
  await copyClicks(dataDir, to)
  // The links are copied last, so that they include those of all clicks.
  vacuumInto(databaseFiles(dataDir).main, databaseFiles(to).main)
  for (const name of SMALL_FILES) {
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(to, name))
  }
  // Old backups may be deleted for this one: it must be of one whole instance.
  if ((await assertOneInstance(to)) === null) {
    throw new OperatorError('NO_INSTANCE', `${databaseFiles(dataDir).main} is empty. ${PUT_BACK}`)
  }
  const manifest = await describeFiles(to, {
    version: packageFile.version,
    began_at,
    ended_at: new Date().toISOString(),
    secret: given === null && existingSecret(dataDir) !== null ? 'file' : 'environment',
  })
  syncTree(to)
  replaceFile(join(to, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

/**
 * Copies counters, clicks and journal. While the statistics are paused, segments that they haven't
 * stored aren't deleted; stored segments that are not counted yet are held open before the counters
 * are read. So the journal's copy reaches from the earlier of the two watermarks to the end.
 */
async function copyClicks(dataDir: string, to: string): Promise<void> {
  const paused = await pauseStatistics(dataDir, PAUSE_WITHIN_MS)
  const journal = holdSegments(dataDir)
  try {
    journal.hold()
    const counters = databaseFiles(dataDir).counters
    if (existsSync(counters)) vacuumInto(counters, databaseFiles(to).counters)
    journal.hold()
    await paused?.copyTo(statisticsFile(to))
    paused?.release()
    if (!journal.isWhole) {
      throw new OperatorError('JOURNAL_MOVED', 'The journal changed during the copy: try again')
    }
    journal.copyTo(to)
  } finally {
    paused?.release()
    journal.close()
  }
  if (paused !== null) await applyLog(statisticsFile(to), await ownerIn(dataDir))
}

/** A consistent copy of a database in one new file. */
function vacuumInto(from: string, to: string): void {
  // Read from end to end, once: a memory map would only evict pages that the server needs.
  const { raw, close } = openSqlite(from, { readonly: true, mmapBytes: 0 })
  try {
    raw.run('VACUUM INTO ?', [to])
  } finally {
    close()
  }
}

/** Merges DuckDB's log into its file, which also verifies that they belong together. */
async function applyLog(file: string, owner: Owner | null): Promise<void> {
  const database = await openDuckDb(file, { owner })
  try {
    const connection = await database.connect()
    await connection.run('CHECKPOINT')
  } finally {
    database.close()
    rmSync(database.temporary, { recursive: true, force: true })
  }
  if (existsSync(`${file}.wal`)) {
    throw new OperatorError(
      'STATISTICS_BUSY',
      'The statistics were busy during the copy: try again',
    )
  }
}
