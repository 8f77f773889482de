import { addressKey } from '../base/client-address.ts'
import { createMemoryLimiter } from '../limits/index.ts'

/** Limits the visits of one address (IPv6: /64) to one link. */
export interface VisitLimit {
  /** Counts a visit. Returns the seconds until the next is allowed; 0: now. */
  take(linkSeq: number, address: string, now: number): number
}

/**
 * Counts in this process's memory, because visits are answered without network access.
 * @param perMinute null: unlimited
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
