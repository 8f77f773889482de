import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { Actor, Writer } from '../audit/index.ts'
import type { Allowance } from './pace.ts'

/** The progress of a job. */
export interface Progress {
  /** Processed items, including failed ones. */
  done: number
  /** Null: unknown yet. */
  total: number | null
  failed: number
}

/** A job in the form that its handler gets. */
export interface Job<Input = unknown, State = unknown> {
  readonly id: string
  readonly workspaceNo: number
  /** Who started it: its changes are recorded as theirs. */
  readonly actor: Actor
  readonly input: Input
  /** When it first began, in ms since the Unix epoch. */
  readonly startedAt: number
  /** From the last checkpoint; null: there was none yet. */
  readonly state: State | null
  readonly progress: Progress
}

/** What a checkpoint stores; absent fields stay. */
export interface Checkpoint<State> {
  progress?: Partial<Progress>
  state?: State
  /** The result so far, returned even if the job is cancelled or fails later. */
  result?: object
  /** The folders of the links that the step has read or changed: who can't see one can't see the job. */
  folders?: readonly (string | null | undefined)[]
}

/** One run of a job: from its start, or from where an earlier run ended. */
export interface JobRun<Input = unknown, State = unknown> {
  readonly job: Job<Input, State>
  /**
   * Aborted when the job is cancelled or taken over, when its actor may not go on, its turn is over,
   * or this process stops.
   */
  readonly signal: AbortSignal
  /**
   * Who started the job, with the rights, plan and hidden folders that they have now: read it in the
   * transaction of each step. @throws AppError if they may not go on; let that error propagate
   */
  readonly caller: (sql: Sql) => Promise<Writer>
  /**
   * Begins a step, before anything is read for it. Throws the signal's reason if it is aborted. Waits
   * until the rate limit of the workspace has room for what the steps before have recorded: each full
   * 256 KiB of a step take one request; then it may throw {@link Postponed} with `state`.
   */
  readonly beginStep: (state: State) => Promise<void>
  /** Takes up to `wanted` requests of the workspace's rate limit, for work as expensive as those. */
  readonly take: (wanted: number) => Promise<Allowance>
  /**
   * Waits without giving up the place, because starting over would cost more, unless jobs of other
   * workspaces wait for it: then it throws {@link Postponed} with `state`.
   */
  readonly wait: (ms: number, state: State) => Promise<void>
  /**
   * Stores the progress in the transaction of the step that made it, so that both are committed or
   * neither. Throws if the job no longer belongs to this run, or its actor may not go on, which rolls
   * the step back; let that error propagate.
   */
  readonly checkpoint: (tx: Transaction, made: Checkpoint<State>) => Promise<void>
}

/**
 * Thrown by a handler that has to wait: the job frees its place, and is continued with `state`, no
 * earlier than after `ms` milliseconds.
 */
export class Postponed<State> extends Error {
  override name = 'Postponed'
  constructor(
    readonly ms: number,
    readonly state: State,
  ) {
    super()
  }
}

/**
 * Does the work of one job type, in steps. Each step is a short transaction, at most a few hundred
 * milliseconds, whose last statement is `checkpoint`. A run may end anywhere, for example by
 * `kill -9`: the next one, in this or another process, starts with the `state` of the last
 * committed checkpoint, so nothing is done twice and nothing is skipped.
 *
 * A run also ends after a step when jobs of other workspaces wait for a place: `signal` is aborted,
 * which `beginStep` checks. A handler that waits for something outside throws {@link Postponed}
 * instead of sleeping, or uses `wait`.
 *
 * A step must do all I/O outside of the database before its transaction. The return value is the
 * job's result; a thrown AppError is its `error`. While the database is down the job waits, and is
 * run again.
 *
 * @example
 * jobs.register('numbers.add', async ({ job, beginStep, checkpoint }: JobRun<{ upTo: number }, { n: number }>) => {
 *   let { n } = job.state ?? { n: 0 }
 *   while (n < job.input.upTo) {
 *     await beginStep({ n })
 *     await storage.write(
 *       async (tx) => {
 *         await addNumbers(tx, n, n + 100)
 *         await checkpoint(tx, { progress: { done: n + 100 }, state: { n: n + 100 } })
 *       },
 *       { workspaceNo: job.workspaceNo },
 *     )
 *     // After the commit: a transaction may be retried.
 *     n += 100
 *   }
 *   return { added: n }
 * })
 */
export type JobHandler<Input, State> = (run: JobRun<Input, State>) => Promise<object | null>
