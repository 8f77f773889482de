import { StatisticsUnavailable } from '../types.ts'

/**
 * Runs work in its order of arrival; those whom it is for take turns.
 * @param atOnce how much runs concurrently
 */
export function createQueue(atOnce: number) {
  const waiting: { enter(): void; whose: number }[] = []
  let running = 0
  let last: number | undefined

  async function enter(whose: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (running < atOnce) {
      running++
      return
    }
    const turn = Promise.withResolvers<void>()
    const own = { enter: turn.resolve, whose }
    const leave = () => {
      const place = waiting.indexOf(own)
      if (place < 0) return
      waiting.splice(place, 1)
      turn.reject(signal?.reason)
    }
    waiting.push(own)
    signal?.addEventListener('abort', leave)
    await turn.promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  return {
    /** Rejects with the signal's reason when it aborts while the work waits. */
    async run<T>(work: () => Promise<T>, signal?: AbortSignal, whose = 0): Promise<T> {
      await enter(whose, signal)
      last = whose
      try {
        return await work()
      } finally {
        const other = waiting.findIndex((it) => it.whose !== last)
        const [next] = waiting.splice(Math.max(0, other), 1)
        if (next === undefined) running--
        else next.enter()
      }
    },
  }
}

/** Runs heavy queries one at a time. They may wait as long as they may take. */
export function createQueryQueue(deadlineMs: number) {
  const queue = createQueue(1)
  return {
    /** @throws StatisticsUnavailable after the deadline */
    async run<T>(
      work: (signal: AbortSignal) => Promise<T>,
      signal: AbortSignal,
      whose: number,
    ): Promise<T> {
      let late = AbortSignal.timeout(deadlineMs)
      const until = () => AbortSignal.any([signal, late])
      try {
        return await queue.run(
          () => {
            late = AbortSignal.timeout(deadlineMs)
            return work(until())
          },
          until(),
          whose,
        )
      } catch (cause) {
        if (!late.aborted || signal.aborted) throw cause
        throw new StatisticsUnavailable('A heavy query takes too long', { cause })
      }
    },
  }
}
