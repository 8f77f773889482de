import type { Database } from 'bun:sqlite'
import { open } from 'node:fs/promises'
import {
  createJob,
  hooksOf,
  type Job,
  runApart,
  StorageUnavailable,
  settle,
  type Transaction,
  type WriteOptions,
  writeLate,
} from '../storage.ts'
import { asStorageError, type SqliteConnection } from './connection.ts'
import { createThread } from './reports.ts'

/** At most so many transactions share a commit, so that none waits long for the others. */
const SHARED_MAX = 128
/** From so many pages (4 MiB) on, the WAL is copied into the database: some milliseconds. */
const COPY_FROM_PAGES = 1_024

type QueuedJob = Job & Required<Pick<WriteOptions, 'survives'>>

/** SQLite lets one transaction write at a time, of all processes: it has every lock. */
const alreadyLocked = async () => {}

/**
 * Gathers the transactions that arrive in one turn of the event loop into one commit. A commit
 * costs more than the writes in it (of the search index above all: 240 µs alone, 14 µs among
 * many), so this is what makes many small writes cheap.
 *
 * They run one after another without savepoints, and what they index for the search comes last:
 * each savepoint, and each statement that needs one of its own, makes FTS5 write out what it has
 * gathered (measured: 35 µs a link). When one of them fails, all is rolled back and run again, this time
 * each under a savepoint of its own, so that only the failing one is undone.
 *
 * While a sync runs, transactions gather: they would have to wait for the next one anyway.
 *
 * `work` must only await this connection, so that a batch runs within one turn, and must bear to
 * be run twice.
 */
export async function createSqliteWriter(connection: SqliteConnection, file: string) {
  const { raw } = connection
  const durable = await createSharedSync(`${file}-wal`)
  const wal = createWalKeeper(file, raw)
  const queue: QueuedJob[] = []
  let draining: Promise<void> | undefined
  const command = (text: string) => raw.run(text)
  const attempt = (job: Job) => attemptOn(connection, job)

  /** All together, or false: one failed, and nothing is written. */
  async function runTogether(jobs: QueuedJob[]): Promise<boolean> {
    command('BEGIN IMMEDIATE')
    for (const job of jobs) {
      if (await attempt(job)) continue
      command('ROLLBACK')
      return false
    }
    await writeLate(jobs)
    command('COMMIT')
    return true
  }

  async function runBatch(jobs: QueuedJob[]): Promise<void> {
    try {
      // One alone has failed for good: there is nothing to save by running it again.
      if (!(await runTogether(jobs)) && jobs.length > 1) {
        command('BEGIN IMMEDIATE')
        await runApart(jobs, attempt, command)
        command('COMMIT')
      }
    } catch (error) {
      if (raw.inTransaction) command('ROLLBACK')
      const cause = asStorageError(error)
      const lost =
        cause instanceof StorageUnavailable
          ? cause
          : new StorageUnavailable('The transaction could not be committed', { cause })
      for (const job of jobs) job.reject(lost)
      return
    }
    for (const job of jobs) settle(job, job.survives === 'power' ? durable.sync : undefined)
  }

  async function drain(): Promise<void> {
    // What arrives in the same turn shares the commit.
    await new Promise<void>((turn) => setImmediate(turn))
    while (queue.length > 0) {
      await wal.beforeBatch()
      // What is committed while a sync runs waits for the one after it: until then, gather.
      if (queue.every(({ survives }) => survives === 'power')) await durable.running()
      await runBatch(queue.splice(0, SHARED_MAX))
    }
    draining = undefined
  }

  return {
    write<T>(
      work: (tx: Transaction) => Promise<T>,
      { survives = 'power' }: WriteOptions = {},
    ): Promise<T> {
      const { job, result } = createJob(work)
      queue.push({ ...job, survives })
      draining ??= drain()
      return result
    },
    /** Waits for all that was asked for so far. */
    async close() {
      while (draining !== undefined) await draining
      wal.close()
      await durable.close()
    },
  }
}

/** Sets the outcome. False: it failed, and what it wrote is still there. */
async function attemptOn({ raw, db, run }: SqliteConnection, job: Job): Promise<boolean> {
  const locks = { lock: alreadyLocked, lockWorkspace: alreadyLocked }
  try {
    const value = await job.work({ ...hooksOf(job), dialect: 'sqlite', db, run, ...locks })
    job.outcome = { value }
    return true
  } catch (reason) {
    job.outcome = { reason: asStorageError(reason) }
    // SQLite has already undone everything when the disk is full or failing.
    if (!raw.inTransaction) throw reason
    return false
  }
}

/** One sync of a file at a time, off the event loop; those who ask while it runs share the next one. */
async function createSharedSync(file: string) {
  const handle = await open(file, 'r+')
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  return {
    /** Resolves when all that was written before the call would survive a power cut. */
    sync(): Promise<void> {
      if (next !== undefined) return next
      const mine = last.then(begin, begin)
      next = mine
      return mine
      async function begin(): Promise<void> {
        last = mine
        next = undefined
        await handle.datasync().catch((cause) => {
          throw new StorageUnavailable('fdatasync failed', { cause })
        })
      }
    },
    /** Waits for the sync that runs now. */
    running: () => last.catch(() => {}),
    async close() {
      await (next ?? last).catch(() => {})
      await handle.close()
    },
  }
}

/**
 * Keeps the write-ahead log short. It begins anew only when all of it has been copied at the moment
 * of a write, which never happens by itself under a steady stream of writes: it grew by 150 MB a
 * second. So writes wait now and then while another thread copies it, and the next one begins it
 * anew (https://www.sqlite.org/wal.html#ckpt).
 */
function createWalKeeper(file: string, writing: Database) {
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
