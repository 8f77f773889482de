import { AppError } from '../errors/index.ts'

/** What a password is hashed or checked for: sign-ins go before the passwords of links. */
export type HashPurpose = 'signIn' | 'link'

/**
 * The one queue of a process for all argon2 work: each hash takes a core and up to 64 MiB. It runs
 * `places` at a time; of each purpose at most `waitingMax` wait.
 */
export function createHashQueue(places = 2, waitingMax = 64) {
  const waiting = { signIn: createFairQueue(waitingMax), link: createFairQueue(waitingMax) }
  let running = 0
  return {
    /**
     * Runs `work` when it is its group's turn.
     * @param group a workspace or an address: groups of one purpose take turns.
     * @throws AppError SERVICE_UNAVAILABLE with Retry-After when too many wait.
     */
    async run<T>(purpose: HashPurpose, group: string, work: () => Promise<T>): Promise<T> {
      if (running >= places) await waiting[purpose].wait(group)
      else running++
      try {
        return await work()
      } finally {
        // The place is handed over, so no other work takes it in between.
        if (!waiting.signIn.admit() && !waiting.link.admit()) running--
      }
    },
  }
}

export type HashQueue = ReturnType<typeof createHashQueue>

/**
 * Groups take turns. When all places are taken, a newcomer takes one from the group that has most
 * of them, so that no group keeps the others out.
 */
function createFairQueue(waitingMax: number) {
  /** Those who wait; no group is empty. */
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
    /** Lets the next one in. False: nothing waits. */
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
