import { addressKey } from '../base/client-address.ts'
import { AppError } from '../errors/index.ts'
import type { Decision, Limiter, Policy } from '../limits/index.ts'
import type { PlanLimits } from '../plans/types.ts'
import type { Services } from './services.ts'
import type { Caller } from './types.ts'

/** What a plan allows; undefined: any number of requests. */
function policyOf({ requests_per_minute: ratePerMinute, burst }: PlanLimits): Policy | undefined {
  if (ratePerMinute === null) return undefined
  return { ratePerMinute, burst: burst ?? ratePerMinute }
}

/** The largest number that a structured header can hold (RFC 8941 §3.3.1): no limit at all. */
const NO_LIMIT = 999_999_999_999_999

/**
 * The state of the allowance (draft-ietf-httpapi-ratelimit-headers-10), and the older headers that
 * many clients read. Both say when the whole burst is there again.
 */
function addRateLimitHeaders(
  headers: Record<string, string>,
  ratePerMinute: number,
  { remaining, fullAfterMs }: Pick<Decision, 'remaining' | 'fullAfterMs'>,
  now: number,
): void {
  headers['RateLimit-Policy'] = `"api";q=${ratePerMinute};w=60`
  headers.RateLimit = `"api";r=${remaining};t=${Math.ceil(fullAfterMs / 1000)}`
  headers['X-RateLimit-Limit'] = String(ratePerMinute)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(Math.ceil((now + fullAfterMs) / 1000))
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
  /** What this request was taken from. */
  #taken: { caller: Caller; policy: Policy } | undefined

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
  async take(caller: Caller, permitted: boolean): Promise<void> {
    const { limiter, clock } = this.services
    const now = clock.now()
    const { no, plan } = caller.workspace
    const policy = policyOf(plan.limits)
    if (policy === undefined) {
      const decision = { remaining: NO_LIMIT, fullAfterMs: 0 }
      return addRateLimitHeaders(this.headers, NO_LIMIT, decision, now)
    }
    const decision = await (permitted ? limiter.take : limiter.look)(String(no), policy, now)
    addRateLimitHeaders(this.headers, policy.ratePerMinute, decision, now)
    assertAllowed(decision)
    if (!permitted) return
    this.#taken = { caller, policy }
    await this.#takeOfPerson(limiter, caller, policy)
  }

  /**
   * Takes a write of the dashboard from the same allowances as API keys use.
   * @throws AppError RATE_LIMITED
   */
  async takePlan(caller: Caller): Promise<void> {
    const { planLimiter, clock } = this.services
    const { no, plan } = caller.workspace
    const policy = policyOf(plan.limits)
    if (policy === undefined) return
    assertAllowed(await planLimiter.take(String(no), policy, clock.now()))
    await this.#takeOfPerson(planLimiter, caller, policy)
  }

  /** Several workspaces allow a person no more than one plan; refused, the workspace loses nothing. */
  async #takeOfPerson(limiter: Limiter, caller: Caller, own: Policy): Promise<void> {
    const allowance = personAllowance(caller)
    if (allowance === undefined) return
    const now = this.services.clock.now()
    const decision = await limiter.take(allowance.key, allowance.policy, now)
    if (decision.allowed) return
    this.#taken = undefined
    await limiter.refund(String(caller.workspace.no), own, now)
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
    const { caller, policy } = this.#taken
    this.#taken = undefined
    const { limiter, clock } = this.services
    const now = clock.now()
    const decision = await limiter.refund(String(caller.workspace.no), policy, now)
    addRateLimitHeaders(this.headers, policy.ratePerMinute, decision, now)
    const person = personAllowance(caller)
    if (person !== undefined) await limiter.refund(person.key, person.policy, now)
  }
}
