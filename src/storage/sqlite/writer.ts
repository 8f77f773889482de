import {
  createJob,
  hooksOf,
  type Job,
  type Storage,
  StorageUnavailable,
  settle,
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
) {
  const { raw, db, run } = connection
  const statement = (text: string) => raw.prepare(text)
  const begin = statement('BEGIN IMMEDIATE')
  const commit = statement('COMMIT')
  const rollback = statement('ROLLBACK')
  const savepoint = statement('SAVEPOINT job')
  const release = statement('RELEASE job')
  const undo = statement('ROLLBACK TO job')
  const queue: QueuedJob[] = []
  let draining: Promise<void> | undefined

  /** Sets the outcome. False: it failed, and what it wrote is still there. */
  async function attempt(job: Job): Promise<boolean> {
    const tx: Transaction = {
      ...hooksOf(job),
      dialect: 'sqlite',
      db,
      run,
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
    let synced: Promise<void> | undefined
    for (const job of jobs) settle(job, job.survives === 'process' ? undefined : sync)
    function sync(): Promise<void> {
      synced ??= durable.wait()
      return synced
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await wal.beforeBatch()
      // What is committed while a sync runs waits for the one after it: until then, gather.
      if (queue.every((job) => job.survives === 'power')) await durable.running()
      await runBatch(queue.splice(0, SHARED_MAX))
    }
    draining = undefined
  }

  const write: Storage['write'] = (work, { survives = 'power' } = {}) => {
    const { job, result } = createJob(work)
    queue.push({ ...job, survives })
    draining ??= new Promise<void>((turn) => setImmediate(turn)).then(drain)
    return result
  }

  return {
    write,
    /** Resolves when all that was asked for so far is done. */
    async idle(): Promise<void> {
      while (draining !== undefined) await draining
    },
  }
}
