import { AppError } from '../../lib/errors/index.ts'

/** Runs work, `places` at a time. Of each purpose at most `waitingMax` wait; the first ones have priority. */
export function createWorkQueue<P extends string>(
  places: number,
  purposes: readonly P[],
  waitingMax = 64,
) {
  const waiting = new Map(purposes.map((purpose) => [purpose, createFairQueue(waitingMax)]))
  let running = 0
  return {
    /**
     * Runs `work` when its group is next.
     * @param group a workspace or an address: groups of one purpose alternate.
     * @throws AppError SERVICE_UNAVAILABLE with Retry-After when too many wait.
     */
    async run<T>(purpose: P, group: string, work: () => Promise<T>): Promise<T> {
      if (running >= places) await waiting.get(purpose)?.wait(group)
      else running++
      try {
        return await work()
      } finally {
        // The place is handed over, so that no other work gets it.
        if (![...waiting.values()].some((queue) => queue.admit())) running--
      }
    },
  }
}

/**
 * The only queue of a process for argon2, because each hash takes a core and up to 64 MiB. Sign-ins
 * have priority over passwords of links.
 */
export function createHashQueue(places = 2, waitingMax = 64) {
  return createWorkQueue(places, ['signIn', 'link'], waitingMax)
}

export type HashQueue = ReturnType<typeof createHashQueue>

/**
 * Groups alternate. When the queue is full, new work displaces that of the group with the most
 * waiting, so that no group blocks the others.
 */
function createFairQueue(waitingMax: number) {
  /** Waiting work by group; no group is empty. */
  const groups = new Map<string, PromiseWithResolvers<void>[]>()
  let count = 0
  return {
    async wait(group: string): Promise<void> {
      const own = groups.get(group) ?? []
      if (count >= waitingMax) {
        const most = [...groups.values()].reduce((a, b) => (b.length > a.length ? b : a), own)
        if (most.length <= own.length + 1) throw queueFull()
        most.pop()?.reject(queueFull())
        count--
      }
      const turn = Promise.withResolvers<void>()
      own.push(turn)
      groups.set(group, own)
      count++
      await turn.promise
    },
    /** Starts the next one. False: nothing waits. */
    admit(): boolean {
      const [next] = groups
      if (next === undefined) return false
      const [group, waiters] = next
      waiters.shift()?.resolve()
      groups.delete(group)
      if (waiters.length > 0) groups.set(group, waiters)
      count--
      return true
    },
  }
}

function queueFull(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '2' } })
}
