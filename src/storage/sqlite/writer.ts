import {
  createJob,
  hooksOf,
  type Job,
  StorageUnavailable,
  type Transaction,
  type WriteOptions,
  writeLate,
} from '../storage.ts'
import { asStorageError, type SqliteConnection } from './connection.ts'
import type { SharedSync, WalKeeper } from './wal.ts'

/** At most so many transactions share a commit, so that none waits long for the others. */
const SHARED_MAX = 128

type QueuedJob = Job & Required<Pick<WriteOptions, 'survives'>>

/** SQLite lets one transaction write at a time, of all processes: it has every lock. */
const alreadyLocked = async () => {}

/** The one writer of a database file. */
export interface Writer {
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Resolves when all that was asked for so far is done. */
  idle(): Promise<void>
}

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
export function createWriter(
  connection: SqliteConnection,
  durable: SharedSync,
  wal: Pick<WalKeeper, 'beforeBatch'>,
): Writer {
  const { raw } = connection
  const begin = raw.prepare('BEGIN IMMEDIATE')
  const commit = raw.prepare('COMMIT')
  const rollback = raw.prepare('ROLLBACK')
  const savepoint = raw.prepare('SAVEPOINT job')
  const release = raw.prepare('RELEASE job')
  const undo = raw.prepare('ROLLBACK TO job')
  let queue: QueuedJob[] = []
  let draining: Promise<void> | undefined

  /** Sets the outcome. False: it failed, and what it wrote is still there. */
  async function attempt(job: Job): Promise<boolean> {
    const tx: Transaction = {
      ...hooksOf(job),
      dialect: 'sqlite',
      db: connection.db,
      run: connection.run,
      lock: alreadyLocked,
      lockWorkspace: alreadyLocked,
    }
    try {
      job.outcome = { value: await job.work(tx) }
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
    begin.run()
    for (const job of jobs) {
      if (await attempt(job)) continue
      rollback.run()
      return false
    }
    await writeLate(jobs)
    commit.run()
    return true
  }

  async function runApart(jobs: QueuedJob[]): Promise<void> {
    begin.run()
    for (const job of jobs) {
      savepoint.run()
      if (!(await attempt(job))) {
        undo.run()
        job.late = []
      }
      release.run()
    }
    await writeLate(jobs)
    commit.run()
  }

  async function runBatch(jobs: QueuedJob[]): Promise<void> {
    try {
      // One alone has failed for good: there is nothing to save by running it again.
      if (!(await runTogether(jobs)) && jobs.length > 1) await runApart(jobs)
    } catch (error) {
      if (raw.inTransaction) rollback.run()
      const cause = asStorageError(error)
      const lost =
        cause instanceof StorageUnavailable
          ? cause
          : new StorageUnavailable('The transaction could not be committed', { cause })
      for (const job of jobs) job.reject(lost)
      return
    }
    settle(jobs)
  }

  function settle(jobs: QueuedJob[]): void {
    const synced: QueuedJob[] = []
    for (const job of jobs) {
      const { outcome } = job
      if (outcome === undefined) continue
      if ('reason' in outcome) {
        job.reject(outcome.reason)
        continue
      }
      for (const effect of job.effects) effect()
      if (job.survives === 'process') job.resolve(outcome.value)
      else synced.push(job)
    }
    if (synced.length === 0) return
    durable.wait().then(
      () => {
        for (const job of synced) job.resolve((job.outcome as { value: unknown }).value)
      },
      (reason) => {
        for (const job of synced) job.reject(reason)
      },
    )
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await wal.beforeBatch()
      // What is committed while a sync runs waits for the one after it: until then, gather.
      if (queue.every((job) => job.survives === 'power')) await durable.running()
      const jobs = queue.length > SHARED_MAX ? queue.splice(0, SHARED_MAX) : queue
      if (jobs === queue) queue = []
      await runBatch(jobs)
    }
    draining = undefined
  }

  return {
    write(work, { survives = 'power' } = {}) {
      const { job, result } = createJob(work)
      queue.push({ ...job, survives })
      draining ??= new Promise<void>((turn) => setImmediate(turn)).then(drain)
      return result
    },
    async idle() {
      while (draining !== undefined) await draining
    },
  }
}
