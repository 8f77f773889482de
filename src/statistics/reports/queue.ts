import { StatisticsUnavailable } from '../types.ts'

/** Runs heavy queries one at a time, each within a deadline that includes its wait. */
export interface QueryQueue {
  /** @throws StatisticsUnavailable after the deadline */
  run<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
}

export function createQueryQueue(deadlineMs: number): QueryQueue {
  let last: Promise<void> = Promise.resolve()
  return {
    async run(work, signal) {
      const late = AbortSignal.timeout(deadlineMs)
      const until = signal === undefined ? late : AbortSignal.any([signal, late])
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      try {
        await abortable(before, until)
        return await work(until)
      } catch (cause) {
        if (!late.aborted || signal?.aborted) throw cause
        throw new StatisticsUnavailable('A heavy query takes too long', { cause })
      } finally {
        // A query that left the queue early must not let the next one overtake the running one.
        void before.then(resolve)
      }
    },
  }
}

/** Rejects as soon as the signal aborts. */
async function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
