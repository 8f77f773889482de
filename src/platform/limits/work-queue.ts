import { AppError } from '../../lib/errors/index.ts'

interface WaitOptions {
  /** A workspace or an address: groups alternate. Default: all work is one group. */
  group?: string
  /** Urgent work goes first. */
  isUrgent?: boolean
  /** Work whose signal aborts while it waits is not run. */
  signal?: AbortSignal | undefined
}

/** Runs work, `places` at a time. At most `waitingMax` urgent and as many others wait. */
export function createWorkQueue(places: number, waitingMax = Number.POSITIVE_INFINITY) {
  const urgent = createFairQueue(waitingMax)
  const others = createFairQueue(waitingMax)
  let running = 0
  let last = ''
  return {
    /**
     * Runs `work` when its group is next.
     * @throws AppError SERVICE_UNAVAILABLE with Retry-After when too many wait; the signal's reason
     */
    async run<T>(work: () => Promise<T>, options: WaitOptions = {}): Promise<T> {
      const { group = '', isUrgent = false, signal } = options
      signal?.throwIfAborted()
      if (running >= places) await (isUrgent ? urgent : others).wait(group, signal)
      else running++
      last = group
      try {
        return await work()
      } finally {
        // The place is handed over, so that no other work gets it.
        if (!urgent.startNext(last) && !others.startNext(last)) running--
      }
    },
  }
}

/**
 * The only queue of a process for argon2, because each hash takes a core and up to 64 MiB. Sign-ins
 * have priority over passwords of links.
 */
export function createHashQueue(places = 2, waitingMax = 64) {
  const queue = createWorkQueue(places, waitingMax)
  return {
    /** See {@link createWorkQueue}. @param group a workspace or an address */
    run: <T>(purpose: 'signIn' | 'link', group: string, work: () => Promise<T>): Promise<T> =>
      queue.run(work, { group, isUrgent: purpose === 'signIn' }),
  }
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
    async wait(group: string, signal: AbortSignal | undefined): Promise<void> {
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
      const leave = () => {
        const waiters = groups.get(group) ?? []
        const place = waiters.indexOf(turn)
        if (place < 0) return
        waiters.splice(place, 1)
        if (waiters.length === 0) groups.delete(group)
        count--
        turn.reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave)
      await turn.promise.finally(() => signal?.removeEventListener('abort', leave))
    },
    /** Starts the next one, of another group than the last if possible. False: nothing waits. */
    startNext(last: string): boolean {
      const [first, second] = groups
      const next = first?.[0] === last ? (second ?? first) : first
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
