import type { Actor } from '../audit/index.ts'
import type { Transaction } from '../storage/index.ts'

/** How far a job is. */
export interface Progress {
  /** Items that are dealt with, the failed ones among them. */
  done: number
  /** Null: not known yet. */
  total: number | null
  failed: number
}

/** A job as its handler gets it. */
export interface Job<Input = unknown, State = unknown> {
  readonly id: string
  readonly workspaceNo: number
  /** Who asked for it: what it changes is recorded as theirs. */
  readonly actor: Actor
  readonly input: Input
  /** Of the last checkpoint; null: it has none yet. */
  readonly state: State | null
  readonly progress: Progress
}

/** What a checkpoint records; what is absent stays. */
export interface Checkpoint<State> {
  progress?: Partial<Progress>
  state?: State
  /** What the job gives out so far, also if it is cancelled or fails later. */
  result?: object
}

/** One run of a job: from its start, or from where an earlier run ended. */
export interface JobRun<Input = unknown, State = unknown> {
  readonly job: Job<Input, State>
  /** Aborted when the job is cancelled, when another process has it, or when this one stops. */
  readonly signal: AbortSignal
  /**
   * Records how far the job is, in the transaction of the step that got it there: both are
   * committed or neither. Throws when the job isn't this run's any more, which undoes the step. Let
   * that error pass.
   */
  readonly checkpoint: (tx: Transaction, made: Checkpoint<State>) => Promise<void>
}

/**
 * Does the work of one type of jobs, in steps. Each step is one short transaction, at most a few
 * hundred milliseconds, whose last statement is `checkpoint`. A run may end anywhere, by `kill -9` for
 * instance: the next one, of this process or another node, begins with the `state` of the last
 * checkpoint that was committed, so nothing is done twice and nothing is left out.
 *
 * Whatever a step needs from outside of the database happens before its transaction. The result is
 * what it returns; an AppError that it throws is the job's `error`. While the database is away, the
 * job waits and is run again.
 *
 * @example
 * jobs.register('numbers.add', async ({ job, checkpoint }: JobRun<{ upTo: number }, { n: number }>) => {
 *   let { n } = job.state ?? { n: 0 }
 *   while (n < job.input.upTo) {
 *     await storage.write(
 *       async (tx) => {
 *         await addNumbers(tx, n, n + 100)
 *         await checkpoint(tx, { progress: { done: n + 100 }, state: { n: n + 100 } })
 *       },
 *       { workspaceNo: job.workspaceNo },
 *     )
 *     // After the commit: a transaction may be run more than once.
 *     n += 100
 *   }
 *   return { added: n }
 * })
 */
export type JobHandler<Input, State> = (run: JobRun<Input, State>) => Promise<object | null>
