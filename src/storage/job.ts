import type { Transaction } from './storage.ts'

/** A transaction that was asked for, and what its last run has left to do. */
export interface Job {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  /** What is put off until the commit. */
  late: (() => Promise<unknown>)[]
  /** What follows the commit. */
  effects: (() => void)[]
  outcome: { value: unknown } | { reason: unknown } | undefined
}

/** A job, and the promise of its result. */
export function createJob<T>(work: (tx: Transaction) => Promise<T>): {
  job: Job
  result: Promise<T>
} {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const job: Job = {
    work,
    resolve: resolve as (value: unknown) => void,
    reject,
    late: [],
    effects: [],
    outcome: undefined,
  }
  return { job, result: promise }
}

/** Begins a run anew. Gives the part of the transaction that collects what is put off. */
export function hooksOf(job: Job): Pick<Transaction, 'beforeCommit' | 'afterCommit'> {
  job.late = []
  job.effects = []
  return {
    beforeCommit: (write) => void job.late.push(write),
    afterCommit: (effect) => void job.effects.push(effect),
  }
}

/** Writes what was put off, job by job. */
export async function writeLate(jobs: readonly Job[]): Promise<void> {
  for (const { late } of jobs) for (const write of late) await write()
}
