import { addressKey } from '../base/client-address.ts'
import { createMemoryLimiter } from '../limits/index.ts'

/** Limits the visits of one address (of IPv6 the /64) at one link. */
export interface VisitLimit {
  /** Takes one visit. Returns the seconds to wait before the next is let through; 0: none. */
  take(linkSeq: number, address: string, now: number): number
}

/**
 * Counts in this process's memory: visits are answered without asking anything else.
 *
 * @param perMinute null: there is no limit
 */
export function createVisitLimit(perMinute: number | null): VisitLimit | undefined {
  if (perMinute === null) return undefined
  const limiter = createMemoryLimiter()
  const policy = { ratePerMinute: perMinute, burst: perMinute }
  return {
    take(linkSeq, address, now) {
      const key = `${linkSeq} ${addressKey(address)}`
      const { allowed, retryAfterMs } = limiter.take(key, policy, now)
      return allowed ? 0 : Math.max(1, Math.ceil(retryAfterMs / 1000))
    },
  }
}
