import type { Clock } from '../base/clock.ts'
import type { Decision, Limiter } from '../limits/index.ts'
import { allowanceOf, assertAllowed } from './rate-limit.ts'
import type { Caller } from './types.ts'

interface Counting {
  limiter: Limiter
  clock: Clock
}

/**
 * Takes a request from what a person may send in all of their workspaces together, so that many
 * workspaces give nobody more than one plan. When that is used up, the workspace gets its request
 * back. @throws AppError RATE_LIMITED
 */
export async function takeOfPerson({ limiter, clock }: Counting, caller: Caller): Promise<void> {
  const limit = limitOf(caller)
  if (limit === undefined) return
  const now = clock.now()
  const decision = await limiter.take(limit.key, limit.policy, now)
  if (decision.allowed) return
  const own = allowanceOf(caller.workspace.plan.limits)
  if (own !== undefined) await limiter.refund(String(caller.workspace.no), own.policy, now)
  assertAllowed(decision)
}

/** Gives the person a request back. */
export async function refundToPerson({ limiter, clock }: Counting, caller: Caller): Promise<void> {
  const limit = limitOf(caller)
  if (limit !== undefined) await limiter.refund(limit.key, limit.policy, clock.now())
}

/**
 * Takes a request of the dashboard from the allowances of its workspace and of its person, which
 * API keys use as well. @throws AppError RATE_LIMITED
 */
export async function takeOfPlan(counting: Counting, caller: Caller): Promise<void> {
  const { no, plan } = caller.workspace
  const own = allowanceOf(plan.limits)
  if (own === undefined) return
  const { limiter, clock } = counting
  const decision: Decision = await limiter.take(String(no), own.policy, clock.now())
  assertAllowed(decision)
  await takeOfPerson(counting, caller)
}

function limitOf({ person }: Caller) {
  if (person === undefined || person.limits === null) return undefined
  const allowance = allowanceOf(person.limits)
  return allowance && { key: `person ${person.id}`, policy: allowance.policy }
}
