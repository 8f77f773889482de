import ipaddr from 'ipaddr.js'
import { AppError } from '../errors/index.ts'
import type { Decision, Limiter, Policy } from '../limits/index.ts'
import type { PlanLimits } from '../plans/types.ts'
import type { Services } from './services.ts'
import type { Caller } from './types.ts'

/** A plan's limit, as it is enforced and as it is announced. */
export interface Allowance {
  policy: Policy
  /** What the headers call the limit: the plan's requests, and the seconds they are for. */
  announced: string
}

const allowances = new WeakMap<PlanLimits, Allowance>()

/** What a plan allows; undefined: any number of requests. */
export function allowanceOf(limits: PlanLimits): Allowance | undefined {
  const { requests_per_minute: ratePerMinute } = limits
  if (ratePerMinute === null) return undefined
  let allowance = allowances.get(limits)
  if (allowance === undefined) {
    const burst = limits.burst ?? ratePerMinute
    allowance = {
      policy: { ratePerMinute, burst },
      announced: `"api";q=${ratePerMinute};w=60`,
    }
    allowances.set(limits, allowance)
  }
  return allowance
}

/**
 * The state of the allowance (draft-ietf-httpapi-ratelimit-headers-10), and the older headers that
 * many clients read. Both tell when the whole burst is there again.
 */
export function addRateLimitHeaders(
  headers: Record<string, string>,
  allowance: Allowance,
  decision: Decision,
  now: number,
): void {
  const { remaining, fullAfterMs } = decision
  headers['RateLimit-Policy'] = allowance.announced
  headers.RateLimit = `"api";r=${remaining};t=${Math.ceil(fullAfterMs / 1000)}`
  headers['X-RateLimit-Limit'] = String(allowance.policy.ratePerMinute)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(Math.ceil((now + fullAfterMs) / 1000))
}

/** The largest number that a structured header can hold (RFC 8941 §3.3.1): no limit at all. */
const NO_LIMIT = '999999999999999'

/** The same of a plan without a limit, so that every client finds what it looks for. */
export function addNoLimitHeaders(headers: Record<string, string>, now: number): void {
  headers['RateLimit-Policy'] = `"api";q=${NO_LIMIT};w=60`
  headers.RateLimit = `"api";r=${NO_LIMIT};t=0`
  headers['X-RateLimit-Limit'] = NO_LIMIT
  headers['X-RateLimit-Remaining'] = NO_LIMIT
  headers['X-RateLimit-Reset'] = String(Math.ceil(now / 1000))
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

/**
 * What anonymous requests are counted by: the address, of IPv6 the /64, because whoever has one
 * address there usually has them all.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return parsed.parts.slice(0, 4).join(':')
}

/** What one person may send from all of their windows, including checks while typing. */
const PERSON_POLICY: Policy = { ratePerMinute: 1_200, burst: 600 }

/** What a person may send in all of their workspaces together; undefined: any number. */
function personAllowance({ person }: Caller): { key: string; policy: Policy } | undefined {
  if (person === undefined || person.limits === null) return undefined
  const allowance = allowanceOf(person.limits)
  return allowance && { key: `person ${person.id}`, policy: allowance.policy }
}

/** Counts one request towards the limits that apply to it, and adds its headers to the answer. */
export class Meter {
  /** Whom this request was taken from. */
  #taken: { caller: Caller; allowance: Allowance } | undefined

  constructor(
    private readonly services: Pick<
      Services,
      'limiter' | 'planLimiter' | 'anonymousLimiter' | 'anonymousPolicy' | 'clock'
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
    const allowance = allowanceOf(plan.limits)
    if (allowance === undefined) return addNoLimitHeaders(this.headers, now)
    const decision = await (permitted ? limiter.take : limiter.look)(
      String(no),
      allowance.policy,
      now,
    )
    addRateLimitHeaders(this.headers, allowance, decision, now)
    assertAllowed(decision)
    if (!permitted) return
    this.#taken = { caller, allowance }
    await this.#takeOfPerson(limiter, caller, allowance)
  }

  /**
   * Takes a write of the dashboard from the same allowances as API keys use.
   * @throws AppError RATE_LIMITED
   */
  async takePlan(caller: Caller): Promise<void> {
    const { planLimiter, clock } = this.services
    const { no, plan } = caller.workspace
    const allowance = allowanceOf(plan.limits)
    if (allowance === undefined) return
    assertAllowed(await planLimiter.take(String(no), allowance.policy, clock.now()))
    await this.#takeOfPerson(planLimiter, caller, allowance)
  }

  /** Several workspaces allow a person no more than one plan; refused, the workspace loses nothing. */
  async #takeOfPerson(limiter: Limiter, caller: Caller, own: Allowance): Promise<void> {
    const allowance = personAllowance(caller)
    if (allowance === undefined) return
    const now = this.services.clock.now()
    const decision = await limiter.take(allowance.key, allowance.policy, now)
    if (decision.allowed) return
    this.#taken = undefined
    await limiter.refund(String(caller.workspace.no), own.policy, now)
    assertAllowed(decision)
  }

  /** Counts a request without a caller by its address. @throws AppError RATE_LIMITED */
  async takeAnonymous(address: string): Promise<void> {
    const { anonymousLimiter, anonymousPolicy, clock } = this.services
    assertAllowed(await anonymousLimiter.take(addressKey(address), anonymousPolicy, clock.now()))
  }

  /** Counts a request of a signed-in person. @throws AppError RATE_LIMITED */
  async takePerson(userId: string): Promise<void> {
    const { limiter, clock } = this.services
    assertAllowed(await limiter.take(userId, PERSON_POLICY, clock.now()))
  }

  /** Gives the request back: answers 403 cost nothing. */
  async refund(): Promise<void> {
    if (this.#taken === undefined) return
    const { caller, allowance } = this.#taken
    this.#taken = undefined
    const { limiter, clock } = this.services
    const now = clock.now()
    const decision = await limiter.refund(String(caller.workspace.no), allowance.policy, now)
    addRateLimitHeaders(this.headers, allowance, decision, now)
    const person = personAllowance(caller)
    if (person !== undefined) await limiter.refund(person.key, person.policy, now)
  }
}
