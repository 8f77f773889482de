import { StorageUnavailable, type Transaction, type WriteOptions } from '../storage.ts'
import type { SqliteConnection } from './connection.ts'
import type { SharedSync } from './durability.ts'
import { asStorageError } from './errors.ts'

/** At most so many transactions share a commit, so that none waits long for the others. */
const SHARED_AT_MOST = 128

interface Job {
  work: (tx: Transaction) => Promise<unknown>
  survives: 'power' | 'process'
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  effects: (() => void)[]
  outcome: { value: unknown } | { reason: unknown } | undefined
}

/** The one writer of a database file. */
export interface Writer {
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Resolves when all that was asked for so far is done. */
  idle(): Promise<void>
}

/**
 * Gathers the transactions that arrive in one turn of the event loop into one commit, each under
 * a savepoint of its own. A commit costs more than the writes in it (of the search index above
 * all: 240 µs alone, 14 µs among many), so this is what makes many small writes cheap.
 *
 * `work` must only await this connection: then a batch runs within one turn.
 */
export function createWriter(connection: SqliteConnection, durable: SharedSync): Writer {
  const { raw } = connection
  const begin = raw.prepare('BEGIN IMMEDIATE')
  const commit = raw.prepare('COMMIT')
  const rollback = raw.prepare('ROLLBACK')
  const savepoint = raw.prepare('SAVEPOINT job')
  const release = raw.prepare('RELEASE job')
  const undo = raw.prepare('ROLLBACK TO job')
  let queue: Job[] = []
  let draining: Promise<void> | undefined

  async function runJob(job: Job, alone: boolean): Promise<void> {
    const tx: Transaction = {
      db: connection.db,
      run: connection.run,
      afterCommit: (effect) => void job.effects.push(effect),
    }
    if (!alone) savepoint.run()
    try {
      job.outcome = { value: await job.work(tx) }
      if (!alone) release.run()
    } catch (reason) {
      job.outcome = { reason: asStorageError(reason) }
      // SQLite has already undone everything when the disk is full or failing.
      if (!raw.inTransaction) throw reason
      if (alone) {
        rollback.run()
      } else {
        undo.run()
        release.run()
      }
    }
  }

  async function runBatch(jobs: Job[]): Promise<void> {
    try {
      begin.run()
      for (const job of jobs) await runJob(job, jobs.length === 1)
      if (raw.inTransaction) commit.run()
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

  function settle(jobs: Job[]): void {
    const synced: Job[] = []
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
      const jobs = queue.length > SHARED_AT_MOST ? queue.splice(0, SHARED_AT_MOST) : queue
      if (jobs === queue) queue = []
      await runBatch(jobs)
    }
    draining = undefined
  }

  return {
    write(work, options = {}) {
      return new Promise((resolve, reject) => {
        queue.push({
          work,
          survives: options.survives ?? 'power',
          resolve: resolve as (value: unknown) => void,
          reject,
          effects: [],
          outcome: undefined,
        })
        draining ??= new Promise<void>((turn) => setImmediate(turn)).then(drain)
      })
    },
    async idle() {
      while (draining !== undefined) await draining
    },
  }
}
