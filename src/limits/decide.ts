/** What a caller may do: so many requests a minute in the long run, so many at once. */
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
  /** Milliseconds until one more would be let through; 0 while `remaining` is above 0. */
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
 *
 * @param cost how many requests to take: 1; 0 only looks; −1 gives one back.
 */
export function decide(
  state: LimitState | undefined,
  { ratePerMinute, burst }: Policy,
  now: number,
  cost: 1 | 0 | -1 = 1,
): Decision {
  const capacity = burst * REQUEST
  const given = state === undefined ? 0 : Math.max(0, now - state.at) * ratePerMinute
  const before = Math.min(capacity, Math.max(0, (state?.used ?? 0) - given))
  const after = Math.max(0, before + cost * REQUEST)
  const allowed = after <= capacity
  const used = allowed ? after : before
  return {
    allowed,
    state: { at: now, used },
    remaining: Math.floor((capacity - used) / REQUEST),
    retryAfterMs: Math.ceil(Math.max(0, used + REQUEST - capacity) / ratePerMinute),
    fullAfterMs: Math.ceil(used / ratePerMinute),
  }
}
