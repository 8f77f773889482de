import {
  createJob,
  hooksOf,
  type Job,
  runApart,
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
export class SqliteWriter {
  readonly #connection: SqliteConnection
  readonly #durable: SharedSync
  readonly #wal: Pick<WalKeeper, 'beforeBatch'>
  readonly #queue: QueuedJob[] = []
  #draining: Promise<void> | undefined

  constructor(
    connection: SqliteConnection,
    durable: SharedSync,
    wal: Pick<WalKeeper, 'beforeBatch'>,
  ) {
    this.#connection = connection
    this.#durable = durable
    this.#wal = wal
  }

  readonly #run = (command: string) => this.#connection.raw.run(command)

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
  readonly #attempt = async (job: Job): Promise<boolean> => {
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
    this.#run('BEGIN IMMEDIATE')
    for (const job of jobs) {
      if (await this.#attempt(job)) continue
      this.#run('ROLLBACK')
      return false
    }
    await writeLate(jobs)
    this.#run('COMMIT')
    return true
  }

  async #runBatch(jobs: QueuedJob[]): Promise<void> {
    try {
      // One alone has failed for good: there is nothing to save by running it again.
      if (!(await this.#runTogether(jobs)) && jobs.length > 1) {
        this.#run('BEGIN IMMEDIATE')
        await runApart(jobs, this.#attempt, this.#run)
        this.#run('COMMIT')
      }
    } catch (error) {
      if (this.#connection.raw.inTransaction) this.#run('ROLLBACK')
      const cause = asStorageError(error)
      const lost =
        cause instanceof StorageUnavailable
          ? cause
          : new StorageUnavailable('The transaction could not be committed', { cause })
      for (const job of jobs) job.reject(lost)
      return
    }
    let synced: Promise<void> | undefined
    const sync = () => {
      synced ??= this.#durable.wait()
      return synced
    }
    for (const job of jobs) settle(job, job.survives === 'process' ? undefined : sync)
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#wal.beforeBatch()
      // What is committed while a sync runs waits for the one after it: until then, gather.
      if (this.#queue.every((job) => job.survives === 'power')) await this.#durable.running()
      await this.#runBatch(this.#queue.splice(0, SHARED_MAX))
    }
    this.#draining = undefined
  }
}
