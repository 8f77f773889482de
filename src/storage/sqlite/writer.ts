import type { Statement } from 'bun:sqlite'
import {
  createJob,
  hooksOf,
  type Job,
  type Storage,
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
export class SqliteWriter {
  readonly #connection: SqliteConnection
  readonly #durable: SharedSync
  readonly #wal: Pick<WalKeeper, 'beforeBatch'>
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #savepoint: Statement
  readonly #release: Statement
  readonly #undo: Statement
  #queue: QueuedJob[] = []
  #draining: Promise<void> | undefined

  constructor(
    connection: SqliteConnection,
    durable: SharedSync,
    wal: Pick<WalKeeper, 'beforeBatch'>,
  ) {
    this.#connection = connection
    this.#durable = durable
    this.#wal = wal
    const { raw } = connection
    this.#begin = raw.prepare('BEGIN IMMEDIATE')
    this.#commit = raw.prepare('COMMIT')
    this.#rollback = raw.prepare('ROLLBACK')
    this.#savepoint = raw.prepare('SAVEPOINT job')
    this.#release = raw.prepare('RELEASE job')
    this.#undo = raw.prepare('ROLLBACK TO job')
  }

  /** A property, so that the storage can hand it out as it is. */
  readonly write: Storage['write'] = (work, { survives = 'power' } = {}) => {
    const { job, result } = createJob(work)
    this.#queue.push({ ...job, survives })
    this.#draining ??= new Promise<void>((turn) => setImmediate(turn)).then(() => this.#drain())
    return result
  }

  /** Resolves when all that was asked for so far is done. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
  }

  /** Sets the outcome. False: it failed, and what it wrote is still there. */
  async #attempt(job: Job): Promise<boolean> {
    const tx: Transaction = {
      ...hooksOf(job),
      dialect: 'sqlite',
      db: this.#connection.db,
      run: this.#connection.run,
      lock: alreadyLocked,
      lockWorkspace: alreadyLocked,
    }
    try {
      job.outcome = { value: await job.work(tx) }
      return true
    } catch (reason) {
      job.outcome = { reason: asStorageError(reason) }
      // SQLite has already undone everything when the disk is full or failing.
      if (!this.#connection.raw.inTransaction) throw reason
      return false
    }
  }

  /** All together, or false: one failed, and nothing is written. */
  async #runTogether(jobs: QueuedJob[]): Promise<boolean> {
    this.#begin.run()
    for (const job of jobs) {
      if (await this.#attempt(job)) continue
      this.#rollback.run()
      return false
    }
    await writeLate(jobs)
    this.#commit.run()
    return true
  }

  async #runApart(jobs: QueuedJob[]): Promise<void> {
    this.#begin.run()
    for (const job of jobs) {
      this.#savepoint.run()
      if (!(await this.#attempt(job))) {
        this.#undo.run()
        job.late = []
      }
      this.#release.run()
    }
    await writeLate(jobs)
    this.#commit.run()
  }

  async #runBatch(jobs: QueuedJob[]): Promise<void> {
    try {
      // One alone has failed for good: there is nothing to save by running it again.
      if (!(await this.#runTogether(jobs)) && jobs.length > 1) await this.#runApart(jobs)
    } catch (error) {
      if (this.#connection.raw.inTransaction) this.#rollback.run()
      const cause = asStorageError(error)
      const lost =
        cause instanceof StorageUnavailable
          ? cause
          : new StorageUnavailable('The transaction could not be committed', { cause })
      for (const job of jobs) job.reject(lost)
      return
    }
    this.#settle(jobs)
  }

  #settle(jobs: QueuedJob[]): void {
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
    this.#durable.wait().then(
      () => {
        for (const job of synced) job.resolve((job.outcome as { value: unknown }).value)
      },
      (reason) => {
        for (const job of synced) job.reject(reason)
      },
    )
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#wal.beforeBatch()
      // What is committed while a sync runs waits for the one after it: until then, gather.
      if (this.#queue.every((job) => job.survives === 'power')) await this.#durable.running()
      const jobs = this.#queue.length > SHARED_MAX ? this.#queue.splice(0, SHARED_MAX) : this.#queue
      if (jobs === this.#queue) this.#queue = []
      await this.#runBatch(jobs)
    }
    this.#draining = undefined
  }
}
