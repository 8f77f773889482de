import type { Permission } from '../../http/callers.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { AppError } from '../../lib/errors/index.ts'
import {
  type Sql,
  type Storage,
  StorageUnavailable,
  type Transaction,
} from '../../platform/storage/index.ts'
import type { Actor, Principal } from '../audit/index.ts'
import { type EndActions, recordEnd } from './ended.ts'
import {
  addFolders,
  changeHeld,
  FINISHED,
  type JobRow,
  jobIn,
  releaseJobs,
  takeJob,
  waitingJob,
} from './store.ts'
import { type Checkpoint, type Job, type JobHandler, Postponed } from './types.ts'

/** A job's lease: without renewal another process takes the job over after this time. */
const LEASE_MS = 15_000
const RENEW_MS = 3_000
/** How often a process looks for jobs that others have added or abandoned. */
const POLL_MS = 2_000
/** A job that makes no progress in this many runs probably crashes its process each time. */
const ATTEMPTS_MAX = 10
/** The most concurrent jobs of a process. */
const RUNNING_MAX = 4
/** How long a job keeps its place, from its first step on, while other workspaces wait for one. */
const TURN_MS = 15_000

/** What starting a job takes, and each of its steps, unless its type needs another scope. */
const SCOPE = 'links:write'

/** The job was cancelled, or another process has it. */
class LeaseLost extends Error {}
/** Jobs of other workspaces wait for the place. */
class TurnOver extends Error {}

/** A place of this process, taken by a job. */
class Place {
  /** When the run's first step was done: before, ending it would only lose work. */
  since: number | null = null
  isWanted = false
  ended: Promise<void> = Promise.resolve()
}

/** Dependencies of the runner. */
export interface RunnerDeps {
  storage: Storage
  clock: Clock
  logger: Pick<Logger, 'warn' | 'error'>
  /** The unique id of this process among those running. Default: it is the only one. */
  nodeId?: string | undefined
  handlers: ReadonlyMap<string, JobHandler<unknown, unknown>>
  endActions: EndActions
  /** Of the types that need another scope than most. */
  scopes: ReadonlyMap<string, Permission>
  /** A job's actor as they may act now. @throws AppError if they may not go on */
  callerOf: (
    sql: Sql,
    job: { readonly workspaceNo: number; readonly actor: Actor },
    scope: Permission,
  ) => Promise<Principal>
}

/**
 * Runs jobs in this process, a few concurrently; of each workspace one at a time, oldest first.
 * While workspaces wait, they take turns.
 */
export function createJobRunner(deps: RunnerDeps) {
  const { storage, clock, logger, handlers, nodeId: owner = 'server' } = deps
  // Other types are from newer versions, and only newer nodes can run them.
  const types = () => [...handlers.keys()]
  const stopping = new AbortController()
  /** Running jobs by workspace. */
  const running = new Map<number, Place>()
  const busy = () => [...running.keys()]
  let looking: Promise<void> | undefined
  let isAsked = false
  let hasReleased = false
  let timer: ReturnType<typeof setInterval> | undefined

  /** Starts waiting jobs while there are free places. Called again if the database is down. */
  async function look(): Promise<void> {
    if (!hasReleased) {
      await storage.write((tx) => releaseJobs(tx, owner, busy()), { survives: 'process' })
      hasReleased = true
    }
    while (!stopping.signal.aborted) {
      isAsked = false
      const next = await waitingJob(storage.read, types(), clock.now(), busy())
      if (next !== undefined && running.size < RUNNING_MAX) {
        await take(next)
        continue
      }
      if (next !== undefined) endTurn()
      if (!isAsked) return
    }
  }

  /** Ends the longest turn after its current step, if it has lasted long enough. */
  function endTurn(): void {
    const places = [...running.values()].filter(({ since }) => since !== null)
    const [longest] = places.sort((a, b) => Number(a.since) - Number(b.since))
    if (longest && clock.now() - Number(longest.since) >= TURN_MS) longest.isWanted = true
  }

  async function take(next: Pick<JobRow, 'id' | 'workspace_no'>): Promise<void> {
    const { workspace_no: workspaceNo } = next
    const row = await storage.write(
      (tx) => {
        const now = clock.now()
        return takeJob(tx, next, { owner, now, until: now + LEASE_MS })
      },
      { workspaceNo },
    )
    if (row === undefined) return
    const place = new Place()
    running.set(workspaceNo, place)
    const ended = run(deps, row, { owner, place, stopping: stopping.signal })
    place.ended = ended.finally(() => running.delete(workspaceNo)).then(wake, failed)
  }

  function failed(err: unknown): void {
    hasReleased = false
    if (!(err instanceof StorageUnavailable)) logger.error({ err }, 'Jobs could not be run')
  }

  function wake(): void {
    isAsked = true
    if (timer === undefined || stopping.signal.aborted) return
    looking ??= look()
      .catch(failed)
      .finally(() => {
        looking = undefined
      })
  }

  return {
    /** Looks for jobs soon. */
    wake,
    /** Starts running jobs. */
    start(): void {
      timer ??= setInterval(wake, POLL_MS)
      timer.unref()
      wake()
    },
    /** Interrupts the current runs at their next steps, and leaves the jobs to other processes. */
    async stop(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await looking
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

/** Runs a job that this process has taken, until it is finished or taken over. */
async function run(
  { storage, clock, logger, handlers, endActions, scopes, callerOf }: RunnerDeps,
  row: JobRow,
  { owner, place, stopping }: { owner: string; place: Place; stopping: AbortSignal },
): Promise<void> {
  const { id, type } = row
  const job = jobOf(row)
  const held = { id, owner }
  /** Aborted with LeaseLost, or with the AppError why the actor may not go on. */
  const ended = new AbortController()
  const turnOver = new AbortController()
  const signal = AbortSignal.any([stopping, ended.signal, turnOver.signal])
  const caller = (sql: Sql) => callerOf(sql, job, scopes.get(type) ?? SCOPE)
  const keep = async (tx: Transaction, values: Partial<JobRow>) => {
    if (!(await changeHeld(tx, held, values))) throw new LeaseLost()
  }
  const write = (values: Partial<JobRow>) => storage.write((tx) => keep(tx, values))
  const finish = (values: Partial<JobRow>) =>
    storage.write(
      async (tx) => {
        const finished_at = clock.now()
        await keep(tx, { ...FINISHED, finished_at, ...values })
        await recordEnd(tx, endActions, await jobIn(tx, id), finished_at)
      },
      { workspaceNo: job.workspaceNo },
    )
  const renewing = setInterval(() => {
    // A handler may wait for long, and then take no step that would notice.
    const permitted = caller(storage.read)
    Promise.all([write({ lease_until: clock.now() + LEASE_MS }), permitted]).catch((error) => {
      if (error instanceof LeaseLost || error instanceof AppError) ended.abort(error)
    })
  }, RENEW_MS)
  try {
    const handler = handlers.get(type)
    if (row.attempts > ATTEMPTS_MAX) throw new Error('The job takes its process down')
    await caller(storage.read)
    const result = await handler?.({
      job,
      signal,
      caller,
      async checkpoint(tx, made) {
        signal.throwIfAborted()
        const now = clock.now()
        await caller(tx)
        await addFolders(tx, job, made.folders ?? [])
        await keep(tx, { ...columnsOf(made), attempts: 0, lease_until: now + LEASE_MS })
        place.since ??= now
        if (place.isWanted) tx.afterCommit(() => turnOver.abort(new TurnOver()))
      },
    })
    await finish({ status: 'succeeded', ...(result && { result: JSON.stringify(result) }) })
  } catch (thrown) {
    const error = ended.signal.aborted ? ended.signal.reason : thrown
    if (error instanceof LeaseLost) return
    if (error instanceof Postponed || (turnOver.signal.aborted && !ended.signal.aborted)) {
      const { ms, state } = error instanceof Postponed ? error : { ms: 0, state: undefined }
      const later = { lease_owner: null, lease_until: clock.now() + ms, attempts: 0 }
      await write({ ...columnsOf({ state }), ...later }).catch(ignoreLost)
      return
    }
    if (stopping.aborted || error instanceof StorageUnavailable) {
      await write({ lease_until: 0 }).catch(() => {})
      if (stopping.aborted) return
      throw error
    }
    const failure = error instanceof AppError ? error : new AppError('INTERNAL_ERROR')
    if (failure !== error) logger.error({ err: error, job: id, type }, 'A job failed')
    const { code, params } = failure
    await finish({ status: 'failed', error: JSON.stringify({ code, params }) }).catch(ignoreLost)
  } finally {
    clearInterval(renewing)
  }
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof LeaseLost)) throw error
}

/** A job in the form that handlers get. */
function jobOf(row: JobRow): Job {
  const { id, workspace_no: workspaceNo, actor, input, state, done, total, failed } = row
  return {
    id,
    workspaceNo,
    actor: JSON.parse(actor),
    input: JSON.parse(input),
    startedAt: row.started_at ?? row.created_at,
    state: state === null ? null : JSON.parse(state),
    progress: { done, total, failed },
  }
}

function columnsOf({ progress, state, result }: Checkpoint<unknown>): Partial<JobRow> {
  return {
    ...progress,
    ...(state !== undefined && { state: JSON.stringify(state) }),
    ...(result !== undefined && { result: JSON.stringify(result) }),
  }
}
