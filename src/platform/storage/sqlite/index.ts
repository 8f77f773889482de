import { join } from 'node:path'
import { syncDirectory } from '../../../lib/base/replace-file.ts'
import { sqlOver } from '../kysely.ts'
import type { Storage } from '../storage.ts'
import { type AttachedCounters, attachCounters, type CountersOptions } from './attached-counters.ts'
import { openSqlite } from './connection.ts'
import { createReports, createThread } from './reports.ts'
import { createSqliteWriter } from './writer.ts'

/** The files of the embedded database. */
export function databaseFiles(dataDir: string): { main: string; counters: string } {
  return { main: join(dataDir, 'slugline.db'), counters: join(dataDir, 'counters.db') }
}

/** Also gives the redirect the connection, for statements prepared by hand on the hot path. */
export interface EmbeddedStorage extends Storage {
  /** The serving thread's read connection. */
  readonly reader: ReturnType<typeof openSqlite>
  readonly counters: Pick<AttachedCounters, 'check' | 'state'>
}

/**
 * Opens the embedded database, whose tables exist already (see `migrate`). Links are written here;
 * counters are written by the click worker, and only read here.
 */
export async function openEmbedded(
  dataDir: string,
  options: CountersOptions = {},
): Promise<EmbeddedStorage> {
  const files = databaseFiles(dataDir)
  const writing = openSqlite(files.main)
  // Creates the WAL file, for the sync to open.
  writing.raw.run('BEGIN IMMEDIATE')
  writing.raw.run('COMMIT')
  syncDirectory(dataDir)
  const reader = openSqlite(files.main, { readonly: true, attach: files.counters })
  const writer = await createSqliteWriter(writing, files.main)
  const thread = createThread({
    file: files.main,
    options: { readonly: true, attach: files.counters },
  })
  const named = await reader.db
    .selectFrom('instance')
    .select('value')
    .where('name', '=', 'id')
    .executeTakeFirst()
  const counters = attachCounters(
    { reader, file: files.counters, instance: named?.value ?? null, renewReports: thread.renew },
    options,
  )
  return {
    reader,
    counters,
    read: sqlOver('sqlite', counters.guard(reader.execute)),
    reports: createReports(thread, counters.guard),
    write: writer.write,
    async probe() {
      await writer.write(async (tx) => {
        await tx.db.updateTable('domains').set({ no: 0 }).where('no', '=', 0).execute()
      })
    },
    async close() {
      await writer.close()
      thread.close()
      reader.close()
      writing.close()
    },
  }
}
