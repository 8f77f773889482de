import { type Plan, type PlanLimits, UNLIMITED } from '../../model/plans/types.ts'

/** The features of every plan: stable ids, which clients describe. */
const FEATURES = ['custom_slugs', 'aliases', 'passwords', 'scheduling', 'click_limits'] as const

/** A plan with these limits. `amount`: cents per month. */
function plan(id: string, amount: number | null, limits: Partial<PlanLimits>): Plan {
  return {
    id,
    price: { amount, currency: 'EUR', interval: 'month' },
    limits: { ...UNLIMITED, ...limits },
    features: FEATURES,
    default: id === 'free',
  }
}

/**
 * The built-in plans; their names and descriptions are in the message catalogues. A limit is set
 * here only if it is enforced.
 */
export const DEFAULT_PLANS: readonly Plan[] = [
  plan('free', 0, {
    requests_per_minute: 60,
    burst: 60,
    links: 1_000,
    addresses: 3_000,
    api_keys: 10,
    members: 1,
    domains: 3,
    analytics_retention_days: 365,
  }),
  plan('pro', 1_900, {
    requests_per_minute: 600,
    burst: 600,
    links: 100_000,
    addresses: 300_000,
    api_keys: 50,
    members: 10,
    domains: 10,
    analytics_retention_days: 730,
  }),
  plan('business', 9_900, {
    requests_per_minute: 3_000,
    burst: 3_000,
    links: 5_000_000,
    addresses: 15_000_000,
    api_keys: 200,
    members: 100,
    domains: 100,
    analytics_retention_days: 1_825,
  }),
  plan('unlimited', null, {}),
]
