import { addressKey } from '../lib/base/client-address.ts'
import type { Clock } from '../lib/base/clock.ts'
import { AppError } from '../lib/errors/index.ts'
import type { PlanLimits } from '../model/plans/types.ts'
import type { Decision, Limiter, Policy } from '../platform/limits/index.ts'
import type { Caller } from './callers.ts'
import { addRateLimitHeaders } from './respond.ts'

/** How many bytes of changes are recorded for one request of the rate limit, where many are. */
export const BYTES_PER_REQUEST = 256 * 1024

/** The rate limit of a plan; undefined: none. */
export function policyOf({
  requests_per_minute: ratePerMinute,
  burst,
}: PlanLimits): Policy | undefined {
  if (ratePerMinute === null) return undefined
  return { ratePerMinute, burst: burst ?? ratePerMinute }
}

/** @throws AppError RATE_LIMITED, with `Retry-After` in whole seconds (RFC 9110 §10.2.3) */
export function assertAllowed(decision: Decision): void {
  if (decision.allowed) return
  const seconds = Math.max(1, Math.ceil(decision.retryAfterMs / 1000))
  throw new AppError('RATE_LIMITED', {
    params: { seconds },
    headers: { 'Retry-After': String(seconds) },
  })
}

/** The limit of one person in all of their windows, including checks while typing. */
const PERSON_POLICY: Policy = { ratePerMinute: 1_200, burst: 600 }

/** The limit of a person across all of their workspaces; undefined: none. */
function personAllowance({ person }: Caller): { key: string; policy: Policy } | undefined {
  if (person === undefined || person.limits === null) return undefined
  const policy = policyOf(person.limits)
  return policy && { key: `person ${person.id}`, policy }
}

/** A refusal for a request that will cost `ahead` instead of `cost`, so that a retry succeeds. */
function waitingFor(
  decision: Decision,
  { ratePerMinute, burst }: Policy,
  cost: number,
  ahead: number,
): Decision {
  const more = Math.min(ahead, burst) - Math.min(cost, burst)
  const retryAfterMs = decision.retryAfterMs + Math.max(0, more) * (60_000 / ratePerMinute)
  return { ...decision, retryAfterMs }
}

/** What requests are counted with. */
interface MeterDeps {
  limiter: Limiter
  planLimiter: Limiter
  anonymousLimiter: Limiter
  anonymousPerMinute: number
  clock: Clock
}

/** What a request was counted by. */
interface Taken {
  caller: Caller
  policy: Policy
  cost: number
  /** False: a write of the dashboard. */
  isKey: boolean
}

/** Counts a request towards its limits, and adds the rate limit headers to the response. */
export class Meter {
  #taken: Taken | undefined
  /** What a refused request may cost once its body is read. */
  costAhead: () => number | Promise<number> = () => 1

  constructor(
    private readonly services: MeterDeps,
    private readonly headers: Record<string, string>,
  ) {}

  /** The most that a request can cost; null: there is no limit. */
  get burst(): number | null {
    return this.#taken?.policy.burst ?? null
  }

  /**
   * Counts the request towards the limits of the key's workspace and of the person who made the
   * key; a request without permission isn't counted. @throws AppError RATE_LIMITED
   */
  async take(caller: Caller, permitted: boolean, cost = 1): Promise<void> {
    const { limiter, clock } = this.services
    const now = clock.now()
    const { no, plan } = caller.workspace
    const policy = policyOf(plan.limits)
    if (policy === undefined) return
    const { take, look } = limiter
    const key = String(no)
    const decision = await (permitted ? take(key, policy, now, cost) : look(key, policy, now))
    addRateLimitHeaders(this.headers, policy.ratePerMinute, decision, now)
    await this.#assertAllowed(decision, policy, cost)
    if (!permitted) return
    this.#taken = { caller, policy, cost, isKey: true }
    await this.#takeOfPerson(limiter, caller, policy, cost)
  }

  /**
   * Counts a write of the dashboard towards the same limits as API keys.
   * @throws AppError RATE_LIMITED
   */
  async takePlan(caller: Caller, cost = 1): Promise<void> {
    const { planLimiter, clock } = this.services
    const { no, plan } = caller.workspace
    const policy = policyOf(plan.limits)
    if (policy === undefined) return
    const decision = await planLimiter.take(String(no), policy, clock.now(), cost)
    await this.#assertAllowed(decision, policy, cost)
    this.#taken = { caller, policy, cost, isKey: false }
    await this.#takeOfPerson(planLimiter, caller, policy, cost)
  }

  /** Raises the cost of the request. If refused, it costs nothing. @throws AppError RATE_LIMITED */
  async charge(cost: number): Promise<void> {
    if (cost <= 1 || this.#taken === undefined) return
    const { caller, isKey } = this.#taken
    await this.#giveBack(this.#taken)
    this.costAhead = () => cost
    await (isKey ? this.take(caller, true, cost) : this.takePlan(caller, cost))
  }

  /** @throws AppError RATE_LIMITED */
  async #assertAllowed(decision: Decision, policy: Policy, cost: number): Promise<void> {
    if (decision.allowed) return
    assertAllowed(waitingFor(decision, policy, cost, await this.costAhead()))
  }

  /** Several workspaces give a person no more than one plan; if refused, it is refunded. */
  async #takeOfPerson(limiter: Limiter, caller: Caller, own: Policy, cost: number): Promise<void> {
    const allowance = personAllowance(caller)
    if (allowance === undefined) return
    const now = this.services.clock.now()
    const decision = await limiter.take(allowance.key, allowance.policy, now, cost)
    if (decision.allowed) return
    this.#taken = undefined
    await limiter.refund(String(caller.workspace.no), own, now, cost)
    await this.#assertAllowed(decision, allowance.policy, cost)
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

  /** Refunds the request of a key: responses with 403 cost nothing. */
  async refund(): Promise<void> {
    if (!this.#taken?.isKey) return
    const { ratePerMinute } = this.#taken.policy
    const decision = await this.#giveBack(this.#taken)
    addRateLimitHeaders(this.headers, ratePerMinute, decision, this.services.clock.now())
  }

  async #giveBack({ caller, policy, cost, isKey }: Taken) {
    this.#taken = undefined
    const limiter = isKey ? this.services.limiter : this.services.planLimiter
    const now = this.services.clock.now()
    const person = personAllowance(caller)
    if (person !== undefined) await limiter.refund(person.key, person.policy, now, cost)
    return limiter.refund(String(caller.workspace.no), policy, now, cost)
  }
}
