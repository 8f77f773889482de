import type { Database } from 'bun:sqlite'
import { databaseFiles, openSqlite } from '../storage/index.ts'
import { type CounterDatabase, type CounterStore, createCounters } from './counters.ts'
import type { ClickLimits } from './months.ts'

/** A WAL is checkpointed when so many pages wait. */
const WAL_PAGES = 1_000

/**
 * Opens the counters of a data directory, which one process at a time writes. The links are
 * attached, and only read.
 */
export function openSqliteCounters(dataDir: string, limits: ClickLimits = {}): CounterStore {
  const files = databaseFiles(dataDir)
  const { raw, db, close } = openSqlite(files.counters, { cacheBytes: 16_777_216 })
  raw.run('ATTACH ? AS links_file', [files.main])
  const database: CounterDatabase = {
    dialect: 'sqlite',
    db,
    nodeNo: 0,
    async write(work) {
      // Locks a file when it is written, so never that of the links.
      raw.run('BEGIN')
      try {
        const result = await work({ dialect: 'sqlite', db })
        raw.run('COMMIT')
        return result
      } catch (error) {
        // SQLite may have rolled back already, as it does when the disk is full.
        if (raw.inTransaction) raw.run('ROLLBACK')
        throw error
      }
    },
    lease: async () => true,
    written(mustSync) {
      // A checkpoint syncs the WAL first. That of the links is done here, too, so that the serving
      // process doesn't have to.
      checkpoint(raw, 'main', mustSync ? 0 : WAL_PAGES)
      checkpoint(raw, 'links_file', WAL_PAGES)
    },
    close() {
      // Leaves an empty WAL, whenever SQLite deletes it; a reader that is in the way isn't waited for.
      raw.run('PRAGMA busy_timeout = 0')
      raw.run('PRAGMA main.wal_checkpoint(TRUNCATE)')
      checkpoint(raw, 'links_file', 0)
      close()
    },
  }
  return createCounters(database, limits)
}

/** Copies the WAL into the file as far as readers allow, when more than `pages` wait. */
function checkpoint(raw: Database, schema: string, pages: number): void {
  const wal = raw.query(`PRAGMA ${schema}.wal_checkpoint(NOOP)`).get() as {
    log: number
    checkpointed: number
  }
  if (wal.log - wal.checkpointed > pages) raw.run(`PRAGMA ${schema}.wal_checkpoint(PASSIVE)`)
}
