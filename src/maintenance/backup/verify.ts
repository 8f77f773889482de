import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { journalDirectory } from '../../clicks/index.ts'
import { readJournal } from '../../clicks/segment-reader.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { databaseFiles, openSqlite, PUT_BACK, SQLiteError } from '../../platform/storage/index.ts'
import { assertOneInstance } from '../../server/operations/instance.ts'
import { checkFile } from '../../statistics/engine/duckdb/check.ts'
import { openDuckDb } from '../../statistics/engine/duckdb/index.ts'
import { type Owner, ownerIn } from '../../statistics/engine/duckdb/owner.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { assertFiles, bytesOf, damaged, type Manifest, parseManifest } from './manifest.ts'
import type { StoredBackup } from './types.ts'

/** The content of a verified backup. */
export interface Verified {
  manifest: Manifest
  bytes: number
  links: number
  /** Clicks in its journal, stored or not. */
  journalClicks: number
}

/** Copies a backup into an empty directory. @throws OperatorError */
export async function fetchBackup(backup: StoredBackup, directory: string): Promise<Manifest> {
  const manifest = await manifestOf(backup)
  for (const { name } of manifest.files) {
    mkdirSync(dirname(join(directory, name)), { recursive: true, mode: 0o700 })
    await backup.fetch(name, join(directory, name))
  }
  return manifest
}

/** @throws OperatorError */
async function manifestOf(backup: StoredBackup): Promise<Manifest> {
  return parseManifest(await backup.manifest(), backup.where)
}

/** Compares the files in a directory with their manifest, then opens and reads all. @throws OperatorError */
export async function verifyFiles(directory: string, manifest: Manifest): Promise<Verified> {
  await assertFiles(directory, manifest)
  const { main, counters } = databaseFiles(directory)
  if (!existsSync(main)) throw damaged(`${basename(main)} is missing from the backup`)
  const links = checkSqlite(main, 'links')
  if (existsSync(counters)) checkSqlite(counters, 'link_counters')
  const statistics = statisticsFile(directory)
  await assertOneInstance(directory).catch(asDamage)
  const owner = await ownerIn(directory)
  if (existsSync(statistics)) await checkStatistics(statistics, owner)
  return { manifest, bytes: bytesOf(manifest), links, journalClicks: checkJournal(directory) }
}

/** Verifies a backup, in place or as a copy. @throws OperatorError */
export async function verifyBackup(backup: StoredBackup): Promise<Verified> {
  if (backup.directory !== undefined) {
    return await verifyFiles(backup.directory, await manifestOf(backup))
  }
  const copy = mkdtempSync(join(tmpdir(), 'slugline-verify-'))
  try {
    return await verifyFiles(copy, await fetchBackup(backup, copy))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Reads a whole database, and counts the rows of a table. */
function checkSqlite(file: string, table: string): number {
  const name = basename(file)
  try {
    const { raw, close } = openSqlite(file, { readonly: true, mmapBytes: 0 })
    try {
      const lines = raw.query('PRAGMA integrity_check(5)').values().flat().join('; ')
      if (lines !== 'ok') throw damaged(`${name} is damaged: ${lines}`)
      return (raw.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
    } finally {
      close()
    }
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    throw damaged(`${name} can't be read: ${error.message}`)
  }
}

/** @throws OperatorError */
function asDamage(error: unknown): never {
  if (!(error instanceof OperatorError) || /^DATA_(?:NEWER|OLD)$/.test(error.code)) throw error
  throw damaged(error.message.replace(`. ${PUT_BACK}`, ''))
}

async function checkStatistics(file: string, owner: Owner | null): Promise<void> {
  try {
    const database = await openDuckDb(file, { readonly: true, owner })
    await checkFile(database).finally(database.close)
  } catch (error) {
    if (error instanceof OperatorError) asDamage(error)
    throw damaged(`${basename(file)} can't be read: ${(error as Error).message}`)
  }
}

/** Decodes every record. */
function checkJournal(directory: string): number {
  const from = { segment: 0, offset: 0 }
  const read = readJournal(
    journalDirectory(directory),
    from,
    () => true,
    () => {},
  )
  // Lines that the instance couldn't read are in the copy too: the backup is fine.
  return read.records
}
