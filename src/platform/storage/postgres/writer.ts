import { createHash } from 'node:crypto'
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
import { asPostgresError, ConnectionLost, SerializationFailure } from './errors.ts'
import type { Connection, Pool } from './pool.ts'

/** The most transactions per commit, so that none waits long for the others. */
const SHARED_MAX = 128
/**
 * How long a transaction may be idle before the server rolls it back: a node whose network is cut
 * can't release its locks, and all others would wait for them.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 3_000
/** How often a transaction is attempted that failed to serialize or lost its connection. */
const TRIES = 4

/** `together`: others of this kind may run between its statements. */
type QueuedJob = Job & { together: boolean }

/** Transactions that share a commit, within one database transaction. */
interface Batch {
  jobs: readonly QueuedJob[]
  /** The workspace whose lock is held. */
  workspaceNo: number | undefined
  connection: Connection
}

/** What the writer works with. */
interface WriterOptions {
  pool: Pool
  /** How long a statement may take. */
  timeoutMs: number
  /** Called on the connection after each commit. */
  committed?: (connection: Connection) => Promise<void>
}

/** One of several transactions of a batch has failed: nothing is written yet. */
class BatchFailed extends Error {}
/** The response to COMMIT was lost: the transaction may be committed or not. */
class CommitUnknown extends StorageUnavailable {}

/**
 * Transactions at READ COMMITTED. Those of one queue that arrive during a commit share the next
 * one: they run one after another, and if one fails, all are rolled back and retried, each under its
 * own savepoint. Queues run in parallel, on different connections.
 *
 * Each workspace has a queue, and its row is locked first: so a transaction that counts or checks
 * before it writes has the workspace to itself, on all nodes. Transactions without a queue commit
 * alone.
 *
 * A transaction that failed to serialize, or lost its connection before COMMIT, is retried. If the
 * response to COMMIT is lost the result is unknown: StorageUnavailable.
 */
export function createWriter(options: WriterOptions) {
  const queues = new Map<string, QueuedJob[]>()
  const running = new Set<Promise<void>>()

  async function runBatch(
    jobs: readonly QueuedJob[],
    workspaceNo: number | undefined,
  ): Promise<void> {
    let run = runTogether
    for (let tries = 1; ; tries++) {
      try {
        await transact(options, jobs, workspaceNo, run)
        return settleAll(jobs)
      } catch (error) {
        if (error instanceof BatchFailed) {
          // A single one has failed definitively; of several, the others are retried.
          if (jobs.length === 1) return settleAll(jobs)
          run = (batch) =>
            runWithSavepoints(jobs, (job) => attempt(job, batch), batch.connection.command)
          continue
        }
        const isRetried = error instanceof ConnectionLost || error instanceof SerializationFailure
        if (!isRetried || tries === TRIES) return refuse(jobs, error)
        // A random delay, so that conflicting transactions don't collide again.
        if (error instanceof SerializationFailure) await Bun.sleep(Math.random() * 10 * tries)
      }
    }
  }

  async function drain(name: string, jobs: QueuedJob[], workspaceNo?: number): Promise<void> {
    // Transactions of the same event-loop turn share the commit.
    await new Promise<void>((turn) => setImmediate(turn))
    while (jobs.length > 0) await runBatch(jobs.splice(0, SHARED_MAX), workspaceNo)
    queues.delete(name)
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  return {
    write<T>(
      work: (tx: Transaction) => Promise<T>,
      { workspaceNo, queue, together = false }: WriteOptions = {},
    ): Promise<T> {
      const { job, result } = createJob(work)
      const queued = { ...job, together }
      if (workspaceNo === undefined && queue === undefined) {
        track(runBatch([queued], undefined))
        return result
      }
      const name = workspaceNo === undefined ? `queue ${queue}` : `workspace ${workspaceNo}`
      let jobs = queues.get(name)
      if (jobs === undefined) {
        jobs = []
        queues.set(name, jobs)
        track(drain(name, jobs, workspaceNo))
      }
      jobs.push(queued)
      return result
    },
    /** Resolves when everything requested so far is done. */
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

function beginSql(timeoutMs: number): string {
  return `BEGIN; SET LOCAL statement_timeout = ${timeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`
}

/** Sets the outcome. False: it failed, and its writes are yet to be rolled back. */
async function attempt(job: Job, { workspaceNo, connection }: Batch): Promise<boolean> {
  try {
    job.outcome = { value: await job.work(transactionOf(job, workspaceNo, connection)) }
    return true
  } catch (reason) {
    if (reason instanceof ConnectionLost || reason instanceof SerializationFailure) throw reason
    job.outcome = { reason }
    return false
  }
}

async function runTogether(batch: Batch): Promise<void> {
  const { jobs } = batch
  for (let i = 0; i < jobs.length; ) {
    let end = i + 1
    if (jobs[i]?.together) while (jobs[end]?.together) end++
    const done = await Promise.allSettled(jobs.slice(i, end).map((job) => attempt(job, batch)))
    for (const each of done) {
      if (each.status === 'rejected') throw each.reason
      if (!each.value) throw new BatchFailed()
    }
    i = end
  }
  await runDeferred(jobs)
}

/** Runs a database transaction, until COMMIT is confirmed. */
async function transact(
  { pool, timeoutMs, committed }: WriterOptions,
  jobs: readonly QueuedJob[],
  workspaceNo: number | undefined,
  run: (batch: Batch) => Promise<void>,
): Promise<void> {
  const connection = await pool.connect()
  let isCommitting = false
  try {
    const lock = workspaceNo === undefined ? '' : `; ${lockWorkspaceSql(workspaceNo)}`
    await connection.command(beginSql(timeoutMs) + lock)
    await run({ jobs, workspaceNo, connection })
    isCommitting = true
    const answer = await connection.command('COMMIT')
    if (answer !== 'COMMIT') throw new StorageUnavailable('PostgreSQL did not commit')
    await committed?.(connection).catch(() => {})
    connection.release()
  } catch (error) {
    const isLost = await connection.command('ROLLBACK').then(
      () => false,
      () => true,
    )
    connection.release(isLost)
    if (isCommitting && isLost) throw new CommitUnknown('The answer to a COMMIT was lost')
    throw error
  }
}

function transactionOf(
  job: Job,
  lockedNo: number | undefined,
  { sql, execute, command }: Connection,
): Transaction {
  return {
    ...sql,
    ...hooksOf(job),
    async lock(name) {
      const number = createHash('sha256').update(name).digest().readBigInt64BE()
      await execute('SELECT pg_advisory_xact_lock($1)', [number.toString()])
    },
    async lockWorkspace(workspaceNo) {
      if (workspaceNo !== lockedNo) await command(lockWorkspaceSql(workspaceNo))
    },
  }
}

/** Locks a workspace against changes; foreign keys may still refer to it. */
function lockWorkspaceSql(workspaceNo: number): string {
  return `SELECT 1 FROM workspaces WHERE no = ${Number(workspaceNo)} FOR NO KEY UPDATE`
}

function refuse(jobs: readonly Job[], error: unknown): void {
  const cause = asPostgresError(error)
  const lost = cause instanceof StorageUnavailable ? cause : new StorageUnavailable(cause.message)
  for (const job of jobs) job.reject(lost)
}

function settleAll(jobs: readonly Job[]): void {
  for (const job of jobs) settle(job)
}
