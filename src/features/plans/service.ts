import type { Plan } from '../../model/plans/types.ts'

/** `clicks_per_month` of the plans that limit it, by plan id. */
export function clickLimitsOf(plans: readonly Plan[]): Record<string, number> {
  return Object.fromEntries(
    plans.flatMap(({ id, limits: { clicks_per_month: limit } }) =>
      limit === null ? [] : [[id, limit]],
    ),
  )
}

/**
 * The plans of this instance, both as listed and as enforced. `plans` come from `loadPlans`: in the
 * order of the file, with unique ids and exactly one default.
 */
export function createPlans(plans: readonly Plan[]) {
  const byId = new Map(plans.map((plan) => [plan.id, plan]))
  const fallback = plans.find((plan) => plan.default)
  if (fallback === undefined) throw new Error('No plan is the default')
  return {
    all: plans,
    /** The plan of new workspaces. */
    default: fallback,
    find: (id: string) => byId.get(id),
    /**
     * The plan of an id. One that is no longer in the file yields the default plan; `serve` refuses
     * to start with such an id, so this only applies until the restart.
     */
    of: (id: string) => byId.get(id) ?? fallback,
  }
}

export type Plans = ReturnType<typeof createPlans>
