import { addressKey } from '../base/client-address.ts'
import { AppError } from '../errors/index.ts'
import type { Decision, Limiter, Policy } from '../limits/index.ts'
import type { PlanLimits } from '../plans/types.ts'
import { addRateLimitHeaders, NO_LIMIT } from './respond.ts'
import type { Caller, Services } from './types.ts'

/** What a plan allows; undefined: any number of requests. */
function policyOf({ requests_per_minute: ratePerMinute, burst }: PlanLimits): Policy | undefined {
  if (ratePerMinute === null) return undefined
  return { ratePerMinute, burst: burst ?? ratePerMinute }
}

/** @throws AppError RATE_LIMITED, with whole seconds after which a retry is let through (RFC 9110 §10.2.3) */
export function assertAllowed(decision: Decision): void {
  if (decision.allowed) return
  const seconds = Math.max(1, Math.ceil(decision.retryAfterMs / 1000))
  throw new AppError('RATE_LIMITED', {
    params: { seconds },
    headers: { 'Retry-After': String(seconds) },
  })
}

/** What one person may send from all of their windows, including checks while typing. */
const PERSON_POLICY: Policy = { ratePerMinute: 1_200, burst: 600 }

/** What a person may send in all of their workspaces together; undefined: any number. */
function personAllowance({ person }: Caller): { key: string; policy: Policy } | undefined {
  if (person === undefined || person.limits === null) return undefined
  const policy = policyOf(person.limits)
  return policy && { key: `person ${person.id}`, policy }
}

/** Counts one request towards the limits that apply to it, and adds its headers to the answer. */
export class Meter {
  /** What this request was taken from, and how much. */
  #taken: { caller: Caller; policy: Policy; cost: number } | undefined
  /** The same of a write of the dashboard. */
  #planned: { caller: Caller; policy: Policy } | undefined

  constructor(
    private readonly services: Pick<
      Services,
      'limiter' | 'planLimiter' | 'anonymousLimiter' | 'anonymousPerMinute' | 'clock'
    >,
    private readonly headers: Record<string, string>,
  ) {}

  /**
   * Takes the request from the allowances of the key's workspace and of the person who made the
   * key; a request that isn't permitted takes nothing. @throws AppError RATE_LIMITED
   */
  async take(caller: Caller, permitted: boolean, cost = 1): Promise<void> {
    const { limiter, clock } = this.services
    const now = clock.now()
    const { no, plan } = caller.workspace
    const policy = policyOf(plan.limits)
    if (policy === undefined) {
      const decision = { remaining: NO_LIMIT, fullAfterMs: 0 }
      return addRateLimitHeaders(this.headers, NO_LIMIT, decision, now)
    }
    const { take, look } = limiter
    const key = String(no)
    const decision = await (permitted ? take(key, policy, now, cost) : look(key, policy, now))
    addRateLimitHeaders(this.headers, policy.ratePerMinute, decision, now)
    assertAllowed(decision)
    if (!permitted) return
    this.#taken = { caller, policy, cost }
    await this.#takeOfPerson(limiter, caller, policy, cost)
  }

  /**
   * Takes a write of the dashboard from the same allowances as API keys use.
   * @throws AppError RATE_LIMITED
   */
  async takePlan(caller: Caller, cost = 1): Promise<void> {
    const { planLimiter, clock } = this.services
    const { no, plan } = caller.workspace
    const policy = policyOf(plan.limits)
    if (policy === undefined) return
    assertAllowed(await planLimiter.take(String(no), policy, clock.now(), cost))
    this.#planned = { caller, policy }
    await this.#takeOfPerson(planLimiter, caller, policy, cost)
  }

  /**
   * Makes the request cost as much as several. Refused, it costs nothing.
   * @throws AppError RATE_LIMITED
   */
  async charge(cost: number): Promise<void> {
    if (cost <= 1) return
    if (this.#taken !== undefined) {
      const { caller } = this.#taken
      await this.refund()
      await this.take(caller, true, cost)
    } else if (this.#planned !== undefined) {
      const { caller, policy } = this.#planned
      await this.#giveBack(this.services.planLimiter, caller, policy, 1)
      await this.takePlan(caller, cost)
    }
  }

  /** Several workspaces allow a person no more than one plan; refused, the workspace loses nothing. */
  async #takeOfPerson(limiter: Limiter, caller: Caller, own: Policy, cost: number): Promise<void> {
    const allowance = personAllowance(caller)
    if (allowance === undefined) return
    const now = this.services.clock.now()
    const decision = await limiter.take(allowance.key, allowance.policy, now, cost)
    if (decision.allowed) return
    this.#taken = undefined
    await limiter.refund(String(caller.workspace.no), own, now, cost)
    assertAllowed(decision)
  }

  /** Counts a request without a caller by its address. @throws AppError RATE_LIMITED */
  async takeAnonymous(address: string): Promise<void> {
    const { anonymousLimiter, anonymousPerMinute: burst, clock } = this.services
    const policy = { ratePerMinute: burst, burst }
    assertAllowed(await anonymousLimiter.take(addressKey(address), policy, clock.now()))
  }

  /** Counts a request of a signed-in person. @throws AppError RATE_LIMITED */
  async takePerson(userId: string): Promise<void> {
    const { limiter, clock } = this.services
    assertAllowed(await limiter.take(userId, PERSON_POLICY, clock.now()))
  }

  /** Gives the request back: answers 403 cost nothing. */
  async refund(): Promise<void> {
    if (this.#taken === undefined) return
    const { caller, policy, cost } = this.#taken
    this.#taken = undefined
    const { limiter, clock } = this.services
    const decision = await this.#giveBack(limiter, caller, policy, cost)
    addRateLimitHeaders(this.headers, policy.ratePerMinute, decision, clock.now())
  }

  async #giveBack(limiter: Limiter, caller: Caller, policy: Policy, cost: number) {
    const now = this.services.clock.now()
    const person = personAllowance(caller)
    if (person !== undefined) await limiter.refund(person.key, person.policy, now, cost)
    return limiter.refund(String(caller.workspace.no), policy, now, cost)
  }
}
