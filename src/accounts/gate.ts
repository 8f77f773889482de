import { AppError } from '../errors/index.ts'

/** Lets a few in at a time; some wait, the rest are turned away. */
export interface Gate {
  /** @throws AppError SERVICE_UNAVAILABLE when too many wait already. */
  pass<T>(work: () => Promise<T>): Promise<T>
}

/** A gate for `atOnce`, with room for `waiting` before it. */
export function createGate(atOnce: number, waiting: number): Gate {
  let inside = 0
  const queue: (() => void)[] = []

  return {
    async pass(work) {
      if (inside >= atOnce) {
        if (queue.length >= waiting) {
          throw new AppError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '2' } })
        }
        // Whoever leaves hands over the place.
        await new Promise<void>((enter) => queue.push(enter))
      } else {
        inside++
      }
      try {
        return await work()
      } finally {
        const next = queue.shift()
        if (next === undefined) inside--
        else next()
      }
    },
  }
}
