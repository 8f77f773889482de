import { type Decision, decide, type LimitState, type Policy } from './decide.ts'

/**
 * Counts the requests of many callers. Times are milliseconds since the epoch. A promise comes from
 * limiters that ask another machine; it never rejects.
 */
export interface Limiter {
  /** Takes one request from the caller's allowance, if there is one. */
  take(key: string, policy: Policy, now: number): Decision | Promise<Decision>
  /** What is left; takes nothing. */
  look(key: string, policy: Policy, now: number): Decision | Promise<Decision>
  /** Gives back what {@link take} took for a request that costs nothing after all. */
  refund(key: string, policy: Policy, now: number): Decision | Promise<Decision>
}

/** A limiter in this process's memory; it answers at once. */
export interface MemoryLimiter extends Limiter {
  take(key: string, policy: Policy, now: number): Decision
  look(key: string, policy: Policy, now: number): Decision
  refund(key: string, policy: Policy, now: number): Decision
  /** Takes over what is known of a caller from elsewhere. */
  put(key: string, policy: Policy, state: LimitState): void
  readonly size: number
}

interface Entry extends LimitState {
  /** From then on the entry says no more than its absence would. */
  fullAt: number
}

/**
 * A limiter in this process's memory. It forgets whoever has the whole allowance again, and
 * beyond `entriesMax` the one seen first: memory stays bounded, whatever addresses are tried.
 */
export function createMemoryLimiter(entriesMax = 100_000): MemoryLimiter {
  const entries = new Map<string, Entry>()
  let hand = entries.entries()

  /** Looks at two entries for each one that is added, so that the dead go faster than they come. */
  function sweep(now: number): void {
    for (let looked = 0; looked < 2; looked++) {
      const next = hand.next()
      if (next.done) {
        hand = entries.entries()
        return
      }
      const [key, entry] = next.value
      if (entry.fullAt <= now) entries.delete(key)
    }
  }

  function keep(key: string, entry: Entry | undefined, { at, used }: LimitState, fullAt: number) {
    if (entry !== undefined) {
      entry.at = at
      entry.used = used
      entry.fullAt = fullAt
    } else if (used > 0) {
      sweep(at)
      if (entries.size >= entriesMax) entries.delete(entries.keys().next().value as string)
      entries.set(key, { at, used, fullAt })
    }
  }

  function apply(key: string, policy: Policy, now: number, cost: 1 | 0 | -1): Decision {
    const entry = entries.get(key)
    const decision = decide(entry, policy, now, cost)
    keep(key, entry, decision.state, now + decision.fullAfterMs)
    return decision
  }

  return {
    take: (key, policy, now) => apply(key, policy, now, 1),
    look: (key, policy, now) => apply(key, policy, now, 0),
    refund: (key, policy, now) => apply(key, policy, now, -1),
    put(key, { ratePerMinute }, state) {
      const fullAt = state.at + Math.ceil(state.used / ratePerMinute)
      keep(key, entries.get(key), state, fullAt)
    },
    get size() {
      return entries.size
    },
  }
}
