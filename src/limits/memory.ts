/** How many requests are taken; 0 only looks; below, so many are given back. */
export type Cost = number

type Apply<T> = (key: string, policy: Policy, now: number, cost: Cost) => T

/** A limiter by the function that decides. */
export function limiterOf<T>(apply: Apply<T>) {
  return {
    /** Takes a request from the caller's allowance, or several, if they are there. */
    take: (key: string, policy: Policy, now: number, cost = 1) => apply(key, policy, now, cost),
    /** What is left; takes nothing. */
    look: (key: string, policy: Policy, now: number) => apply(key, policy, now, 0),
    /** Gives back what `take` took for a request that costs nothing after all. */
    refund: (key: string, policy: Policy, now: number, cost = 1) => apply(key, policy, now, -cost),
  }
}

/**
 * Counts the requests of many callers. Times are milliseconds since the epoch. A promise comes from
 * limiters that ask another machine; it never rejects.
 */
export type Limiter = ReturnType<typeof limiterOf<Decision | Promise<Decision>>>

interface Entry extends LimitState {
  /** From then on the entry says no more than its absence would. */
  fullAt: number
}

/**
 * A limiter in this process's memory. It forgets callers who have their whole allowance again, and
 * beyond `entriesMax` the one seen first: memory stays bounded, whatever addresses are tried.
 */
export function createMemoryLimiter(entriesMax = 100_000) {
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
    /** Takes over what is known of a caller from elsewhere. */
    put(key: string, { ratePerMinute }: Policy, state: LimitState): void {
      const fullAt = state.at + Math.ceil(state.used / ratePerMinute)
      keep(key, entries.get(key), state, fullAt)
    },
    get size() {
      return entries.size
    },
  }
}

/** What a caller may do: so many requests per minute, with a burst of so many. */
export interface Policy {
  ratePerMinute: number
  burst: number
}

/** What is remembered of one caller. */
export interface LimitState {
  /** When `used` was true, in milliseconds since the epoch. */
  at: number
  /** How much of the burst is used up, in 1/60,000 of a request. */
  used: number
}

/** A verdict, and what is left after it. */
export interface Decision {
  allowed: boolean
  state: LimitState
  /** Requests that would be let through right now. */
  remaining: number
  /** Milliseconds until as many more would be let through, at least one; 0: now. */
  retryAfterMs: number
  /** Milliseconds until the whole burst is there again; 0 when it is. */
  fullAfterMs: number
}

/**
 * One request in the units of {@link LimitState}. A rate of n per minute gives n units back each
 * millisecond: whole numbers throughout, so that no rounding ever lets a request too many pass.
 */
const REQUEST = 60_000

/**
 * GCRA, in the form of a continuous-state leaky bucket (ITU-T Recommendation I.371, annex A).
 * Over any span of t minutes it lets at most `burst + t × ratePerMinute` requests through, and
 * just that many when more are offered. A clock that steps back gives nothing and takes nothing.
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
  // What costs more than the whole burst takes all of it: it would never be let through otherwise.
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
