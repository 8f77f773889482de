import { StatisticsUnavailable } from '../types.ts'

/** Runs work in its order of arrival. @param atOnce how much runs concurrently */
export function createQueue(atOnce: number) {
  const waiting: (() => void)[] = []
  let running = 0

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (running < atOnce) {
      running++
      return
    }
    const turn = Promise.withResolvers<void>()
    const leave = () => {
      const place = waiting.indexOf(turn.resolve)
      if (place < 0) return
      waiting.splice(place, 1)
      turn.reject(signal?.reason)
    }
    waiting.push(turn.resolve)
    signal?.addEventListener('abort', leave)
    await turn.promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  return {
    /** Rejects with the signal's reason when it aborts while the work waits. */
    async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      await enter(signal)
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}

/** Runs heavy queries one at a time, each within a deadline that includes its wait. */
export function createQueryQueue(deadlineMs: number) {
  const queue = createQueue(1)
  return {
    /** @throws StatisticsUnavailable after the deadline */
    async run<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      const late = AbortSignal.timeout(deadlineMs)
      const until = signal === undefined ? late : AbortSignal.any([signal, late])
      try {
        return await queue.run(() => work(until), until)
      } catch (cause) {
        if (!late.aborted || signal?.aborted) throw cause
        throw new StatisticsUnavailable('A heavy query takes too long', { cause })
      }
    },
  }
}
