import type { Database } from 'bun:sqlite'
import { OperatorError } from '../lib/errors/index.ts'
import { databaseFiles, openSqlite, PUT_BACK } from '../platform/storage/index.ts'
import { type CounterDatabase, createCounters } from './counters.ts'
import type { ClickLimits } from './months.ts'
import type { CounterStore } from './types.ts'

/** The WAL is checkpointed when it has this many pages. */
const WAL_PAGES = 1_000

/**
 * Opens a data directory's counters, for one writing process. Links are attached read-only.
 * @throws OperatorError if they belong to another instance
 */
export function openSqliteCounters(dataDir: string, limits: ClickLimits = {}): CounterStore {
  const files = databaseFiles(dataDir)
  const { raw, db, close } = openSqlite(files.counters, { cacheBytes: 16_777_216 })
  raw.run('ATTACH ? AS links_file', [files.main])
  const other = raw.query(`SELECT 1 FROM journal_watermark, links_file.instance AS i
    WHERE i.name = 'id' AND journal_watermark.instance <> i.value`)
  if (other.get() !== null) {
    close()
    throw new OperatorError(
      'DATA_MIXED',
      `${files.counters} belongs to another instance. ${PUT_BACK}`,
    )
  }
  const database: CounterDatabase = {
    dialect: 'sqlite',
    db,
    nodeNo: 0,
    async write(work) {
      // Deferred: locks a file on the first write, hence never that of the links.
      raw.run('BEGIN')
      try {
        const result = await work({ dialect: 'sqlite', db })
        raw.run('COMMIT')
        return result
      } catch (error) {
        // SQLite may have rolled back already, for example when the disk is full.
        if (raw.inTransaction) raw.run('ROLLBACK')
        throw error
      }
    },
    lease: async () => true,
    written() {
      // The links' is done here too, to spare the serving process.
      checkpoint(raw, 'main', WAL_PAGES)
      checkpoint(raw, 'links_file', WAL_PAGES)
    },
    close() {
      // Leaves an empty WAL, if SQLite doesn't delete it; doesn't wait for readers.
      raw.run('PRAGMA busy_timeout = 0')
      raw.run('PRAGMA main.wal_checkpoint(TRUNCATE)')
      checkpoint(raw, 'links_file', 0)
      close()
    },
  }
  return createCounters(database, limits)
}

/** Copies the WAL into the file as far as readers permit, if it has more than `pages`. */
function checkpoint(raw: Database, schema: string, pages: number): void {
  const wal = raw.query(`PRAGMA ${schema}.wal_checkpoint(NOOP)`).get() as {
    log: number
    checkpointed: number
  }
  if (wal.log - wal.checkpointed > pages) raw.run(`PRAGMA ${schema}.wal_checkpoint(PASSIVE)`)
}
