import { policyOf } from '../../http/meter.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Limiter } from '../../platform/limits/index.ts'
import type { Writer } from '../audit/index.ts'

/** How many requests a job waits for at most. */
const STEP = 10

/** How many requests were taken; 0: wait first, for `waitMs`. */
export interface Allowance {
  count: number
  waitMs: number
}

/** Dependencies of {@link takeAllowance}. */
export interface PaceDeps {
  clock: Clock
  /** Of the API requests of workspaces. */
  limiter: Limiter
}

/**
 * Takes up to `wanted` requests of a workspace's allowance, for work of a job that costs as much as a
 * request. Half of the burst is left to requests.
 */
export async function takeAllowance(
  { clock, limiter }: PaceDeps,
  { no, plan }: Writer['workspace'],
  wanted: number,
): Promise<Allowance> {
  const policy = policyOf(plan.limits)
  if (policy === undefined) return { count: wanted, waitMs: 0 }
  const key = String(no)
  const kept = Math.floor(policy.burst / 2)
  const free = (await limiter.look(key, policy, clock.now())).remaining - kept
  const count = Math.min(wanted, free)
  if (count >= 1 && (await limiter.take(key, policy, clock.now(), count)).allowed) {
    return { count, waitMs: 0 }
  }
  // Then several at a time, because each step costs something as well.
  const next = Math.max(1, Math.min(wanted, kept, STEP))
  return { count: 0, waitMs: Math.ceil((Math.max(1, next - free) * 60_000) / policy.ratePerMinute) }
}
