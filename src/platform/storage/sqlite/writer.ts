import type { Database } from 'bun:sqlite'
import { open } from 'node:fs/promises'
import {
  createJob,
  hooksOf,
  type Job,
  runDeferred,
  runWithSavepoints,
  StorageUnavailable,
  settle,
  type Transaction,
  type WriteOptions,
} from '../storage.ts'
import { asStorageError, type SqliteConnection } from './connection.ts'
import { createThread } from './reports.ts'

/** The most transactions per commit, so that none waits long for the others. */
const SHARED_MAX = 128
/** From this many pages (16 MiB) on the WAL is checkpointed. */
const COPY_FROM_PAGES = 4_096

type QueuedJob = Job & Required<Pick<WriteOptions, 'survives'>>

/** SQLite has one writer at a time across processes, so every lock is held already. */
const alreadyLocked = async () => {}

/**
 * Combines the transactions of one event-loop turn into one commit, because a commit costs more
 * than the writes in it (above all the search index: 240 µs alone, 14 µs among many).
 *
 * They run one after another without savepoints, and their index writes come last: each savepoint,
 * and each statement that needs its own, makes FTS5 flush what it has gathered (measured: 35 µs per
 * link). If one fails, all are rolled back and retried, each under its own savepoint, so that only
 * the failing one is rolled back.
 *
 * During a sync transactions are gathered, because they have to wait for the next one anyway.
 *
 * `work` must only await this connection, so that a batch runs within one event-loop turn, and must
 * be safe to run twice.
 */
export async function createSqliteWriter(connection: SqliteConnection, file: string) {
  const { raw } = connection
  const durable = await createSharedSync(`${file}-wal`)
  const wal = createWalKeeper(file, raw)
  const queue: QueuedJob[] = []
  let draining: Promise<void> | undefined
  const command = (text: string) => raw.run(text)
  const attempt = (job: Job) => attemptOn(connection, job)

  /** Runs all together; false: one failed, and nothing is written. */
  async function runTogether(jobs: QueuedJob[]): Promise<boolean> {
    command('BEGIN IMMEDIATE')
    for (const job of jobs) {
      if (await attempt(job)) continue
      command('ROLLBACK')
      return false
    }
    await runDeferred(jobs)
    command('COMMIT')
    return true
  }

  async function runBatch(jobs: QueuedJob[]): Promise<void> {
    try {
      // A single one has failed definitively: retrying wouldn't help.
      if (!(await runTogether(jobs)) && jobs.length > 1) {
        command('BEGIN IMMEDIATE')
        await runWithSavepoints(jobs, attempt, command)
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
    // Transactions of the same event-loop turn share the commit.
    await new Promise<void>((turn) => setImmediate(turn))
    while (queue.length > 0) {
      await wal.beforeBatch()
      // A commit during a sync has to wait for the next sync, so more transactions are gathered.
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
    /** Waits for everything requested so far. */
    async close() {
      while (draining !== undefined) await draining
      wal.close()
      await durable.close()
    },
  }
}

/** Sets the outcome. False: it failed, and its writes are yet to be rolled back. */
async function attemptOn(connection: SqliteConnection, job: Job): Promise<boolean> {
  const { raw, dialect, db, run, change } = connection
  const locks = { lock: alreadyLocked, lockWorkspace: alreadyLocked }
  try {
    const value = await job.work({ ...hooksOf(job), dialect, db, run, change, ...locks })
    job.outcome = { value }
    return true
  } catch (reason) {
    job.outcome = { reason: asStorageError(reason) }
    // SQLite has rolled everything back already if the disk is full or failing.
    if (!raw.inTransaction) throw reason
    return false
  }
}

/** Syncs a file off the event loop, one at a time; requests during a sync share the next one. */
async function createSharedSync(file: string) {
  const handle = await open(file, 'r+')
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  return {
    /** Resolves when everything written before the call is durable. */
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
    /** Waits for the current sync. */
    running: () => last.catch(() => {}),
    async close() {
      await (next ?? last).catch(() => {})
      await handle.close()
    },
  }
}

/**
 * Keeps the write-ahead log short. SQLite restarts it only if all of it is checkpointed at the
 * moment of a write, which never happens under a steady stream of writes: it grew by 150 MB per
 * second. So writes sometimes wait while another thread checkpoints it, and the next one restarts it
 * (https://www.sqlite.org/wal.html#ckpt).
 */
function createWalKeeper(file: string, writing: Database) {
  const thread = createThread({ file, options: {} })
  const look = writing.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  return {
    /** Checkpoints the WAL if it is too long. */
    async beforeBatch(): Promise<void> {
      if ((look.get()?.log ?? 0) < COPY_FROM_PAGES) return
      // A failed checkpoint is retried before the next batch; writes report what is wrong.
      await thread.ask('PRAGMA wal_checkpoint(PASSIVE)').catch(() => {})
    },
    close: () => thread.close(),
  }
}
