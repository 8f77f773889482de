import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { journalDirectory } from '../clicks/index.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { checkFile } from '../statistics/engine/duckdb/check.ts'
import { openDuckDb } from '../statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../statistics/process/index.ts'
import { databaseFiles, openSqlite } from '../storage/index.ts'
import { assertFiles, damaged, type Manifest, readManifest } from './manifest.ts'

/** What a backup that is whole holds. */
export interface Verified {
  manifest: Manifest
  bytes: number
  links: number
  /** Clicks of its journal, stored or not. */
  journalClicks: number
}

/** Compares a backup with its manifest, then opens and reads all of its files. @throws Refused */
export async function verifyBackup(directory: string): Promise<Verified> {
  const manifest = readManifest(directory)
  await assertFiles(directory, manifest)
  const { main, counters } = databaseFiles(directory)
  if (!existsSync(main)) throw damaged(`${basename(main)} is missing from the backup`)
  const links = checkSqlite(main, 'links')
  if (existsSync(counters)) checkSqlite(counters, 'link_counters')
  const statistics = statisticsFile(directory)
  if (existsSync(statistics)) await checkStatistics(statistics)
  return {
    manifest,
    bytes: manifest.files.reduce((sum, file) => sum + file.bytes, 0),
    links,
    journalClicks: checkJournal(directory),
  }
}

/** Reads a database whole, and counts the rows of a table. */
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
    if ((error as Error).name !== 'SQLiteError') throw error
    throw damaged(`${name} can't be read: ${(error as Error).message}`)
  }
}

async function checkStatistics(file: string): Promise<void> {
  try {
    const database = await openDuckDb(file, { readonly: true })
    await checkFile(database).finally(database.close)
  } catch (error) {
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
  // What the instance could not read, the copy has too: it is no fault of the backup.
  return read.records
}
