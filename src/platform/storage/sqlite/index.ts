import { join } from 'node:path'
import { syncDirectory } from '../../../lib/base/replace-file.ts'
import type { Storage } from '../storage.ts'
import { openSqlite } from './connection.ts'
import { createReports } from './reports.ts'
import { createSqliteWriter } from './writer.ts'

/** The files of the embedded database. */
export function databaseFiles(dataDir: string): { main: string; counters: string } {
  return { main: join(dataDir, 'slugline.db'), counters: join(dataDir, 'counters.db') }
}

/** Also gives the redirect the connection, for statements prepared by hand on the hot path. */
export interface EmbeddedStorage extends Storage {
  /** The serving thread's read connection. */
  readonly reader: ReturnType<typeof openSqlite>
}

/**
 * Opens the embedded database, whose tables exist already (see `migrate`). Links are written here;
 * counters are written by the click worker, and only read here.
 */
export async function openEmbedded(dataDir: string): Promise<EmbeddedStorage> {
  const files = databaseFiles(dataDir)
  const writing = openSqlite(files.main)
  // Creates the WAL file, for the sync to open.
  writing.raw.run('BEGIN IMMEDIATE')
  writing.raw.run('COMMIT')
  syncDirectory(dataDir)
  const reader = openSqlite(files.main, { readonly: true, attach: files.counters })
  const writer = await createSqliteWriter(writing, files.main)
  const reports = createReports(files.main, files.counters)
  return {
    reader,
    read: reader,
    reports,
    write: writer.write,
    async probe() {
      await writer.write(async (tx) => {
        await tx.db.updateTable('domains').set({ no: 0 }).where('no', '=', 0).execute()
      })
    },
    async close() {
      await writer.close()
      reports.close()
      reader.close()
      writing.close()
    },
  }
}
