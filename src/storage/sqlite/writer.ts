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
import { createWalKeeper } from './wal.ts'

/** At most so many transactions share a commit, so that none waits long for the others. */
const SHARED_MAX = 128

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
  const { raw, db, run } = connection
  const log = await open(`${file}-wal`, 'r+')
  const wal = createWalKeeper(file, raw)
  const queue: QueuedJob[] = []
  let draining: Promise<void> | undefined
  let lastSync = Promise.resolve()
  let nextSync: Promise<void> | undefined
  const command = (text: string) => raw.run(text)

  /** Sets the outcome. False: it failed, and what it wrote is still there. */
  async function attempt(job: Job): Promise<boolean> {
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
    for (const job of jobs) settle(job, job.survives === 'power' ? sync : undefined)
  }

  /**
   * Resolves when all that is committed would survive a power cut. One sync at a time, off the event
   * loop; those who ask while it runs share the next one.
   */
  function sync(): Promise<void> {
    if (nextSync !== undefined) return nextSync
    const mine = lastSync.then(begin, begin)
    nextSync = mine
    return mine
    async function begin(): Promise<void> {
      lastSync = mine
      nextSync = undefined
      await log.datasync().catch((cause) => {
        throw new StorageUnavailable('fdatasync failed', { cause })
      })
    }
  }

  async function drain(): Promise<void> {
    // What arrives in the same turn shares the commit.
    await new Promise<void>((turn) => setImmediate(turn))
    while (queue.length > 0) {
      await wal.beforeBatch()
      // What is committed while a sync runs waits for the one after it: until then, gather.
      if (queue.every(({ survives }) => survives === 'power')) await lastSync.catch(() => {})
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
      await (nextSync ?? lastSync).catch(() => {})
      wal.close()
      await log.close()
    },
  }
}
