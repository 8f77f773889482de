import type { Plan } from './types.ts'

/** The plans of this instance: one source for what is listed and what is enforced. */
export interface Plans {
  /** All of them, in the order of the file. */
  readonly all: readonly Plan[]
  /** What a workspace gets when nothing else is asked for. */
  readonly default: Plan
  /** The plan of that id, or undefined. */
  find(id: string): Plan | undefined
  /**
   * The plan that a workspace's `plan_id` stands for. An id that the file no longer has gets the
   * default plan; `serve` refuses to start on one, so this only bridges the time until then.
   */
  of(id: string): Plan
}

/** `clicks_per_month` of the plans that have one, by their ids. */
export function clickLimitsOf(plans: readonly Plan[]): Record<string, number> {
  return Object.fromEntries(
    plans.flatMap(({ id, limits: { clicks_per_month: limit } }) =>
      limit === null ? [] : [[id, limit]],
    ),
  )
}

/** `plans` as `loadPlans` gives them: unique ids, exactly one default. */
export function createPlans(plans: readonly Plan[]): Plans {
  const byId = new Map(plans.map((plan) => [plan.id, plan]))
  const fallback = plans.find((plan) => plan.default)
  if (fallback === undefined) throw new Error('No plan is the default')
  return {
    all: plans,
    default: fallback,
    find: (id) => byId.get(id),
    of: (id) => byId.get(id) ?? fallback,
  }
}
