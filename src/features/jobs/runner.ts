import { setTimeout } from 'node:timers/promises'
import type { Permission } from '../../http/callers.ts'
import { BYTES_PER_REQUEST } from '../../http/meter.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { AppError } from '../../lib/errors/index.ts'
import {
  type Sql,
  type Storage,
  StorageUnavailable,
  type Transaction,
} from '../../platform/storage/index.ts'
import type { Actor, Writer } from '../audit/index.ts'
import { type EndActions, recordEnd } from './ended.ts'
import { type PaceDeps, takeAllowance } from './pace.ts'
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
import { columnsOf, jobOf } from './stored.ts'
import { type JobHandler, Postponed } from './types.ts'

/** A job's lease: without renewal another process takes the job over after this time. */
const LEASE_MS = 15_000
const RENEW_MS = 3_000
/** How often a process looks for jobs that others have added or abandoned. */
const POLL_MS = 2_000
/** A job that makes no progress in this many runs probably crashes its process each time. */
const ATTEMPTS_MAX = 10
/** The most concurrent jobs of a process. */
const RUNNING_MAX = 4
/** Of these, jobs that ask other services, which may never answer. */
const ASKING_MAX = RUNNING_MAX - 1
/** How long a job keeps its slot, from its first step on, while other workspaces wait for one. */
const TURN_MS = 15_000

/** What starting a job takes, and each of its steps, unless its type needs another scope. */
const SCOPE = 'links:write'

/** The job was cancelled, or another process has it. */
class LeaseLost extends Error {}
/** Jobs of other workspaces wait for the slot. */
class TurnOver extends Error {}
/** A slot of this process that runs a job. */
class Slot {
  constructor(readonly asksOthers: boolean) {}

  /** When the first step of the run was committed. Ending the run before would only lose work. */
  since: number | null = null
  /** Jobs of other workspaces wait for the slot. */
  isWanted = false
  /** While the job waits: ends its run, so that the slot becomes free. */
  leave: (() => void) | undefined
  ended: Promise<void> = Promise.resolve()
}

/** Dependencies of the runner. */
export interface RunnerDeps extends PaceDeps {
  storage: Storage
  logger: Pick<Logger, 'warn' | 'error'>
  /** The unique id of this process among those running. Default: it is the only one. */
  nodeId?: string | undefined
  /** Called with the type and the status of each job that ends here, as labels of a metric. */
  ended?: (labels: string) => void
  handlers: ReadonlyMap<string, JobHandler<unknown, unknown>>
  endActions: EndActions
  /** Of the types that need another scope than most. */
  scopes: ReadonlyMap<string, Permission>
  /** The types that ask other services. */
  asking: ReadonlySet<string>
  /** A job's actor as they may act now. @throws AppError if they may not go on */
  callerOf: (
    sql: Sql,
    job: { readonly workspaceNo: number; readonly actor: Actor },
    scope: Permission,
  ) => Promise<Writer>
}

/**
 * Runs jobs in this process, a few concurrently; of each workspace one at a time, oldest first.
 * While workspaces wait, they take turns.
 */
export function createJobRunner(deps: RunnerDeps) {
  const { storage, clock, logger, handlers, nodeId: owner = 'server' } = deps
  // Other types are from newer versions, and only newer nodes can run them.
  const types = () => [...handlers.keys()]
  /** The types for which there is a slot. */
  function startable(): string[] {
    const asking = [...running.values()].filter(({ asksOthers }) => asksOthers).length
    if (running.size >= RUNNING_MAX) return []
    return types().filter((type) => asking < ASKING_MAX || !deps.asking.has(type))
  }
  const stopping = new AbortController()
  /** Running jobs by workspace. */
  const running = new Map<number, Slot>()
  const busy = () => [...running.keys()]
  let starting: Promise<void> | undefined
  let isWoken = false
  let hasReleased = false
  let timer: ReturnType<typeof setInterval> | undefined

  /** Starts waiting jobs while there are free slots. Called again if the database is down. */
  async function startWaiting(): Promise<void> {
    if (!hasReleased) {
      await storage.write((tx) => releaseJobs(tx, owner, busy()), { survives: 'process' })
      hasReleased = true
    }
    while (!stopping.signal.aborted) {
      isWoken = false
      const waiting = (of: string[]) => waitingJob(storage.read, of, clock.now(), busy())
      const next = await waiting(startable())
      if (next !== undefined) {
        await take(next)
        continue
      }
      if ((await waiting(types())) !== undefined) endTurn()
      if (!isWoken) return
    }
  }

  /** Ends the turn of a job that waits, or the longest one if it has lasted long enough. */
  function endTurn(): void {
    // While there is a slot, only jobs that ask others wait, for one of theirs.
    const wanted = [...running.values()].filter(
      ({ asksOthers }) => asksOthers || running.size >= RUNNING_MAX,
    )
    const waiting = wanted.find(({ leave }) => leave !== undefined)
    if (waiting?.leave !== undefined) {
      waiting.leave()
      return
    }
    const slots = wanted.filter(({ since }) => since !== null)
    const [longest] = slots.sort((a, b) => Number(a.since) - Number(b.since))
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
    const slot = new Slot(deps.asking.has(row.type))
    running.set(workspaceNo, slot)
    const ended = run(deps, row, { owner, slot, stopping: stopping.signal })
    slot.ended = ended.finally(() => running.delete(workspaceNo)).then(wake, failed)
  }

  function failed(err: unknown): void {
    hasReleased = false
    if (!(err instanceof StorageUnavailable)) logger.error({ err }, 'Jobs could not be run')
  }

  function wake(): void {
    isWoken = true
    if (timer === undefined || stopping.signal.aborted) return
    starting ??= startWaiting()
      .catch(failed)
      .finally(() => {
        starting = undefined
      })
  }

  return {
    /** Looks for jobs soon. */
    wake,
    /** How many jobs this process runs. */
    running: () => running.size,
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
      await starting
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

/** Runs a job that this process has taken, until it is finished or taken over. */
async function run(
  deps: RunnerDeps,
  row: JobRow,
  { owner, slot, stopping }: { owner: string; slot: Slot; stopping: AbortSignal },
): Promise<void> {
  const { storage, clock, logger, handlers, endActions, scopes, callerOf, ended: note } = deps
  const { id, type } = row
  const { job, owed: owedBefore } = jobOf(row)
  let owed = owedBefore
  const held = { id, owner }
  /** Aborted with LeaseLost, or with the AppError why the actor may not go on. */
  const ended = new AbortController()
  const turnOver = new AbortController()
  const signal = AbortSignal.any([stopping, ended.signal, turnOver.signal])
  const caller = (sql: Sql) => callerOf(sql, job, scopes.get(type) ?? SCOPE)
  const take = async (wanted: number) =>
    takeAllowance(deps, (await caller(storage.read)).workspace, wanted)
  const keep = async (tx: Transaction, values: Partial<JobRow>) => {
    if (!(await changeHeld(tx, held, values))) throw new LeaseLost()
  }
  const write = (values: Partial<JobRow>) => storage.write((tx) => keep(tx, values))
  const finish = (values: Partial<JobRow> & Pick<JobRow, 'status'>) =>
    storage.write(
      async (tx) => {
        const finished_at = clock.now()
        await keep(tx, { ...FINISHED, finished_at, ...values })
        await recordEnd(tx, endActions, await jobIn(tx, id), finished_at)
        tx.afterCommit(() => note?.(`type="${type}",status="${values.status}"`))
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
  async function wait(ms: number, state: unknown): Promise<void> {
    const until = clock.now() + ms
    const waiting = new AbortController()
    slot.leave = () => waiting.abort()
    const ends = AbortSignal.any([signal, waiting.signal])
    await setTimeout(ms, undefined, { signal: ends }).catch(() => {})
    slot.leave = undefined
    if (waiting.signal.aborted) throw new Postponed(Math.max(0, until - clock.now()), state)
    signal.throwIfAborted()
  }
  try {
    const handler = handlers.get(type)
    if (row.attempts > ATTEMPTS_MAX) throw new Error('The job takes its process down')
    await caller(storage.read)
    const result = await handler?.({
      job,
      signal,
      caller,
      take,
      wait,
      async beginStep(state) {
        signal.throwIfAborted()
        while (owed > 0) {
          const { count, waitMs } = await take(owed)
          owed -= count
          if (count === 0) await wait(waitMs, state)
        }
      },
      async checkpoint(tx, made) {
        signal.throwIfAborted()
        const now = clock.now()
        await caller(tx)
        await addFolders(tx, job, made.folders ?? [])
        const owes = owed + Math.floor(tx.recorded.bytes / BYTES_PER_REQUEST)
        await keep(tx, { ...columnsOf(made, owes), attempts: 0, lease_until: now + LEASE_MS })
        slot.since ??= now
        tx.afterCommit(() => {
          owed = owes
        })
        if (slot.isWanted) tx.afterCommit(() => turnOver.abort(new TurnOver()))
      },
    })
    await finish({ status: 'succeeded', ...(result && { result: JSON.stringify(result) }) })
  } catch (thrown) {
    const error = ended.signal.aborted ? ended.signal.reason : thrown
    if (error instanceof LeaseLost) return
    if (error instanceof Postponed || (turnOver.signal.aborted && !ended.signal.aborted)) {
      const { ms, state } = error instanceof Postponed ? error : { ms: 0, state: undefined }
      const later = { lease_owner: null, lease_until: clock.now() + ms, attempts: 0 }
      await write({ ...columnsOf({ state }, owed), ...later }).catch(ignoreLost)
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
