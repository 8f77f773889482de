/** How many requests are taken; 0 only reads; a negative number refunds. */
export type Cost = number

type Apply<T> = (key: string, policy: Policy, now: number, cost: Cost) => T

/** A limiter based on a decision function. */
export function limiterOf<T>(apply: Apply<T>) {
  return {
    /** Takes `cost` requests of the caller's allowance if they are available. */
    take: (key: string, policy: Policy, now: number, cost = 1) => apply(key, policy, now, cost),
    /** The allowance, without taking anything. */
    look: (key: string, policy: Policy, now: number) => apply(key, policy, now, 0),
    /** Refunds what `take` took for a request that turned out to be free. */
    refund: (key: string, policy: Policy, now: number, cost = 1) => apply(key, policy, now, -cost),
  }
}

/**
 * Limits the requests of many callers. Times are milliseconds since the epoch. Limiters that call
 * another machine return a promise, which never rejects.
 */
export type Limiter = ReturnType<typeof limiterOf<Decision | Promise<Decision>>>

interface Entry extends LimitState {
  /** From this time on the entry is equivalent to no entry. */
  fullAt: number
}

/**
 * A limiter in memory. It forgets callers whose full burst is available again, and above
 * `entriesMax` the oldest one: memory stays bounded, whatever addresses are tried.
 */
export function createMemoryLimiter(entriesMax = 100_000) {
  const entries = new Map<string, Entry>()
  let hand = entries.entries()

  /** Checks two entries for each one added, so that expired ones go faster than new ones arrive. */
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
      Object.assign(entry, { at, used, fullAt })
    } else if (used > 0) {
      sweep(at)
      if (entries.size >= entriesMax) entries.delete(entries.keys().next().value as string)
      entries.set(key, { at, used, fullAt })
    }
  }

  const apply: Apply<Decision> = (key, policy, now, cost) => {
    const entry = entries.get(key)
    const decision = decide(entry, policy, now, cost)
    keep(key, entry, decision.state, now + decision.fullAfterMs)
    return decision
  }

  return {
    ...limiterOf(apply),
    apply,
    /** Takes over a caller's state from elsewhere. */
    put(key: string, { ratePerMinute }: Policy, state: LimitState): void {
      const fullAt = state.at + Math.ceil(state.used / ratePerMinute)
      keep(key, entries.get(key), state, fullAt)
    },
    get size() {
      return entries.size
    },
  }
}

/** The limit of a caller. */
export interface Policy {
  ratePerMinute: number
  burst: number
}

/** The stored state of a caller. */
export interface LimitState {
  /** The time of `used`, in milliseconds since the epoch. */
  at: number
  /** How much of the burst is used up, in 1/60,000 of a request. */
  used: number
}

/** A decision, and the allowance after it. */
export interface Decision {
  allowed: boolean
  state: LimitState
  /** Requests that would be allowed now. */
  remaining: number
  /** Milliseconds until a request of the same cost would be allowed; 0: now. */
  retryAfterMs: number
  /** Milliseconds until the full burst is available; 0: it is. */
  fullAfterMs: number
}

/**
 * One request in the units of {@link LimitState}. A rate of n per minute restores n units per
 * millisecond: integers throughout, so that rounding never allows an extra request.
 */
const REQUEST = 60_000

/**
 * GCRA as a continuous-state leaky bucket (ITU-T Recommendation I.371, annex A). Within t minutes
 * it allows at most `burst + t × ratePerMinute` requests, and exactly that many when more are made.
 * A clock that steps back changes nothing.
 */
export function decide(
  state: LimitState | undefined,
  { ratePerMinute, burst }: Policy,
  now: number,
  cost: Cost = 1,
): Decision {
  const capacity = burst * REQUEST
  const given = state === undefined ? 0 : Math.max(0, now - state.at) * ratePerMinute
  const before = Math.min(capacity, Math.max(0, (state?.used ?? 0) - given))
  // A cost above the burst takes all of it: it would never be allowed otherwise.
  const wanted = Math.min(cost, burst) * REQUEST
  const after = Math.max(0, before + wanted)
  const allowed = after <= capacity
  const used = allowed ? after : before
  return {
    allowed,
    state: { at: now, used },
    remaining: Math.floor((capacity - used) / REQUEST),
    retryAfterMs: Math.ceil(
      Math.max(0, used + Math.max(wanted, REQUEST) - capacity) / ratePerMinute,
    ),
    fullAfterMs: Math.ceil(used / ratePerMinute),
  }
}
