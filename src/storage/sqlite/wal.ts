import type { Database } from 'bun:sqlite'
import { createThread } from './reports.ts'

/** From so many pages (4 MiB) on, the WAL is copied into the database: some milliseconds. */
const COPY_FROM_PAGES = 1_024

/**
 * Keeps the write-ahead log short. It begins anew only when all of it has been copied at the moment
 * of a write, which never happens by itself under a steady stream of writes: it grew by 150 MB a
 * second. So writes wait now and then while another thread copies it, and the next one begins it
 * anew (https://www.sqlite.org/wal.html#ckpt).
 */
export function createWalKeeper(file: string, writing: Database) {
  const thread = createThread({ file, options: {} })
  const look = writing.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  return {
    /** Looks whether the WAL is too long, and shortens it. */
    async beforeBatch(): Promise<void> {
      if ((look.get()?.log ?? 0) < COPY_FROM_PAGES) return
      // A copy that fails is tried again before the next batch; writes tell what is wrong.
      await thread.ask('PRAGMA wal_checkpoint(PASSIVE)').catch(() => {})
    },
    close: () => thread.close(),
  }
}
