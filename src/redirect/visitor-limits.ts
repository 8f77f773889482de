import { addressKey } from '../lib/base/client-address.ts'
import type { Clock } from '../lib/base/clock.ts'
import { createMemoryLimiter, type Limiter } from '../platform/limits/index.ts'
import type { GuessLimit, VisitLimit } from './types.ts'

/** Per address and link: five at once, then one every twelve seconds. */
const PAIR = { ratePerMinute: 5, burst: 5 }
/** Per address across links: every guess costs a core tens of milliseconds. */
const ADDRESS = { ratePerMinute: 20, burst: 20 }
/** Wrong guesses of all addresses, per link. */
const LINK = { ratePerMinute: 30, burst: 60 }

/**
 * The limits on guessing links' passwords. An address is one of IPv4, or a /64 of IPv6. The limit
 * per link is checked last: a single address can't use it up.
 */
export function createGuessLimit(limiter: Limiter, clock: Clock): GuessLimit {
  return {
    async take(target, address) {
      const from = addressKey(address)
      const limits = [
        [`address ${from}`, ADDRESS],
        [`${target} ${from}`, PAIR],
        [`link ${target}`, LINK],
      ] as const
      for (const [key, policy] of limits) {
        const { allowed, retryAfterMs } = await limiter.take(key, policy, clock.now())
        const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
        if (!allowed) return { allowed, retryAfterSeconds }
      }
      return { allowed: true, retryAfterSeconds: 0 }
    },
    async right(target) {
      await limiter.refund(`link ${target}`, LINK, clock.now())
    },
  }
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
