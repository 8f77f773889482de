import type { Plan } from './types.ts'

/** `clicks_per_month` of the plans that have one, by their ids. */
export function clickLimitsOf(plans: readonly Plan[]): Record<string, number> {
  return Object.fromEntries(
    plans.flatMap(({ id, limits: { clicks_per_month: limit } }) =>
      limit === null ? [] : [[id, limit]],
    ),
  )
}

/**
 * The plans of this instance: one source for what is listed and what is enforced. `plans` as
 * `loadPlans` gives them: in the order of the file, with unique ids and exactly one default.
 */
export function createPlans(plans: readonly Plan[]) {
  const byId = new Map(plans.map((plan) => [plan.id, plan]))
  const fallback = plans.find((plan) => plan.default)
  if (fallback === undefined) throw new Error('No plan is the default')
  return {
    all: plans,
    /** What a workspace gets when nothing else is asked for. */
    default: fallback,
    find: (id: string) => byId.get(id),
    /**
     * The plan that a workspace's `plan_id` stands for. An id that the file no longer has gets the
     * default plan; `serve` refuses to start on one, so this only bridges the time until then.
     */
    of: (id: string) => byId.get(id) ?? fallback,
  }
}

export type Plans = ReturnType<typeof createPlans>
