import { StorageUnavailable, type Transaction, type WriteOptions } from '../storage.ts'
import { asPostgresError, ConnectionLost, GaveWay } from './errors.ts'
import { alone, createGathering, type Gathering } from './gathering.ts'
import { LOCK_WORKSPACE, lockByName } from './locks.ts'
import type { Connection, Pool } from './pool.ts'

/** At most so many transactions share a commit, so that none waits long for the others. */
const SHARED_AT_MOST = 128
/**
 * A transaction that its node says nothing in for so long is undone by the server: a node whose
 * network was cut can't give its locks back, and everybody else would wait for them.
 */
const DESERTED_MS = 3_000
/** So often transactions are begun again that gave way or lost their connection. */
const TRIES = 4

interface Job {
  work: (tx: Transaction) => Promise<unknown>
  together: boolean
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  late: (() => Promise<unknown>)[]
  effects: (() => void)[]
  outcome: { value: unknown } | { reason: unknown } | undefined
}

/** Transactions that share a commit, in a transaction that has begun. */
interface Batch {
  jobs: readonly Job[]
  /** Whose lock is held. */
  workspaceNo: number | undefined
  connection: Connection
}

/** Transactions that may share commits. */
interface Lane {
  workspaceNo: number | undefined
  queue: Job[]
}

/** What the writer works with. */
export interface WriterOptions {
  pool: Pool
  /** How long a statement may take. */
  timeoutMs: number
  /** Called on the connection after each commit. */
  committed?: (connection: Connection) => Promise<void>
}

/** Writes, on some connections of its own. */
export interface Writer {
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Resolves when all that was asked for so far is done. */
  idle(): Promise<void>
}

/**
 * What the second gives, or what the first of them fails with. Waits for both in any case: nothing
 * may go on working on a connection that is given back.
 */
async function inOrder<T>(first: Promise<unknown>, second: Promise<T>): Promise<T> {
  const [one] = await Promise.allSettled([first, second])
  if (one.status === 'rejected') throw one.reason
  return second
}

/** Thrown inside: one of several that run together has failed, nothing is written. */
class RunApart extends Error {}
/** The answer to COMMIT didn't come: it may stand or not. */
class Unknown extends StorageUnavailable {}

/**
 * Transactions at READ COMMITTED. Those of one lane that arrive while the one before commits share
 * the next commit: they run one after another, and when one fails, all are undone and run again,
 * each under a savepoint of its own. Lanes run beside each other, on different connections.
 *
 * A workspace is a lane, and its row is locked first: whoever counts, or looks before writing, has
 * the workspace to itself, on whichever node. Others, without a lane, are alone in their
 * transaction.
 *
 * What gave way to another transaction, or lost its connection before COMMIT, is run again. When
 * the answer to COMMIT is lost nobody can know whether it stands: StorageUnavailable.
 */
export function createWriter({ pool, timeoutMs, committed }: WriterOptions): Writer {
  const begin = `BEGIN; SET LOCAL statement_timeout = ${timeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${DESERTED_MS}`
  const lanes = new Map<string, Lane>()
  const running = new Set<Promise<void>>()

  /** Sets the outcome. False: it failed, and what it wrote is still there. */
  async function attempt(
    job: Job,
    held: number | undefined,
    { sql, execute }: Connection,
    gathering?: Gathering,
  ): Promise<boolean> {
    let unwritten: Error | undefined
    job.late = []
    job.effects = []
    const tx: Transaction = {
      dialect: 'postgres',
      db: sql.db,
      run: sql.run,
      beforeCommit: (write) => void job.late.push(write),
      afterCommit: (effect) => void job.effects.push(effect),
      lock: (name) => lockByName(execute, name),
      async lockWorkspace(workspaceNo) {
        if (workspaceNo !== held) await execute(LOCK_WORKSPACE, [workspaceNo])
      },
      unwritten(error) {
        unwritten = error
        return error
      },
      gather: (work, one) => gathering?.add(work, one) ?? alone(sql, work, one),
    }
    try {
      job.outcome = { value: await job.work(tx) }
      return true
    } catch (reason) {
      if (reason instanceof ConnectionLost || reason instanceof GaveWay) throw reason
      job.outcome = { reason }
      if (reason !== unwritten) return false
      job.late = []
      return true
    }
  }

  async function runTogether({ jobs, workspaceNo, connection }: Batch): Promise<void> {
    for (let i = 0; i < jobs.length; ) {
      let end = i + 1
      if (jobs[i]?.together) while (jobs[end]?.together) end++
      // Their statements are sent one behind the other, without waiting for the answers.
      const gathering = createGathering(connection.sql)
      const run = jobs.slice(i, end).map((job) => attempt(job, workspaceNo, connection, gathering))
      gathering.send()
      const done = await Promise.allSettled(run)
      for (const { reason } of done as PromiseRejectedResult[]) if (reason) throw reason
      if (done.some((each) => each.status === 'fulfilled' && !each.value)) throw new RunApart()
      i = end
    }
    await writeLate(jobs)
  }

  async function runApart({ jobs, workspaceNo, connection }: Batch): Promise<void> {
    for (const job of jobs) {
      const succeeded = await inOrder(
        connection.command('SAVEPOINT job'),
        attempt(job, workspaceNo, connection),
      )
      if (!succeeded) job.late = []
      await connection.command(succeeded ? 'RELEASE job' : 'ROLLBACK TO job; RELEASE job')
    }
    await writeLate(jobs)
  }

  async function writeLate(jobs: readonly Job[]): Promise<void> {
    for (const { late } of jobs) for (const write of late) await write()
  }

  /** One transaction: everything until its COMMIT has been answered. */
  async function transact(
    jobs: readonly Job[],
    workspaceNo: number | undefined,
    run: (batch: Batch) => Promise<void>,
  ): Promise<void> {
    const connection = await pool.connect()
    let commits = false
    try {
      // Sent all at once, with the first statements of the first of them.
      const [begun, ran] = connection.gather(() => [
        Promise.all([
          connection.command(begin),
          workspaceNo === undefined || connection.execute(LOCK_WORKSPACE, [workspaceNo]),
        ]),
        run({ jobs, workspaceNo, connection }),
      ])
      // Where it didn't begin, that says more than what followed from it.
      await inOrder(begun, ran)
      commits = true
      const answer = await connection.command('COMMIT')
      if (answer !== 'COMMIT') throw new StorageUnavailable('PostgreSQL did not commit')
      await committed?.(connection).catch(() => {})
      connection.release()
    } catch (error) {
      const lost = await undo(connection)
      connection.release(lost)
      if (commits && lost) throw new Unknown('The answer to a COMMIT was lost')
      throw error
    }
  }

  /** True: the connection is no good any more. */
  async function undo(connection: Connection): Promise<boolean> {
    try {
      await connection.command('ROLLBACK')
      return false
    } catch {
      return true
    }
  }

  async function runBatch(jobs: readonly Job[], workspaceNo: number | undefined): Promise<void> {
    let run = runTogether
    for (let tries = 1; ; tries++) {
      try {
        await transact(jobs, workspaceNo, run)
        return settle(jobs)
      } catch (error) {
        if (error instanceof RunApart) {
          // One alone has failed for good: there is nothing to save by running it again.
          if (jobs.length === 1) return settle(jobs)
          run = runApart
          continue
        }
        const again = (error instanceof ConnectionLost || error instanceof GaveWay) && tries < TRIES
        if (!again) return refuse(jobs, error)
        // Two that stood in each other's way don't start at the same time again.
        if (error instanceof GaveWay) await Bun.sleep(Math.random() * 10 * tries)
      }
    }
  }

  function refuse(jobs: readonly Job[], error: unknown): void {
    const cause = asPostgresError(error)
    const lost = cause instanceof StorageUnavailable ? cause : new StorageUnavailable(cause.message)
    for (const job of jobs) job.reject(lost)
  }

  function settle(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const { outcome } = job
      if (outcome === undefined) job.reject(new StorageUnavailable('It did not run'))
      else if ('reason' in outcome) job.reject(outcome.reason)
      else {
        for (const effect of job.effects) effect()
        job.resolve(outcome.value)
      }
    }
  }

  async function drain(name: string, lane: Lane): Promise<void> {
    // What arrives in the same turn shares the commit.
    await new Promise<void>((turn) => setImmediate(turn))
    while (lane.queue.length > 0) {
      await runBatch(lane.queue.splice(0, SHARED_AT_MOST), lane.workspaceNo)
    }
    lanes.delete(name)
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  return {
    write(work, { workspaceNo, lane, together = false } = {}) {
      return new Promise((resolve, reject) => {
        const job: Job = {
          work,
          together,
          resolve: resolve as (value: unknown) => void,
          reject,
          late: [],
          effects: [],
          outcome: undefined,
        }
        if (workspaceNo === undefined && lane === undefined)
          return track(runBatch([job], undefined))
        const name = workspaceNo === undefined ? `lane ${lane}` : `workspace ${workspaceNo}`
        const open = lanes.get(name)
        if (open !== undefined) return void open.queue.push(job)
        const fresh: Lane = { workspaceNo, queue: [job] }
        lanes.set(name, fresh)
        track(drain(name, fresh))
      })
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
