import { type Plan, UNLIMITED } from './types.ts'

/** What every plan can do: stable ids, for whoever lists plans to put into words. */
const FEATURES = ['custom_slugs', 'aliases', 'passwords', 'scheduling', 'click_limits'] as const

/**
 * The plans that come with Slugline; their names and descriptions stand in the message
 * catalogues. A limit is set here only when it is enforced.
 */
export const DEFAULT_PLANS: readonly Plan[] = [
  {
    id: 'free',
    price: { amount: 0, currency: 'EUR', interval: 'month' },
    limits: {
      ...UNLIMITED,
      requests_per_minute: 60,
      burst: 60,
      links: 1_000,
      addresses: 3_000,
      api_keys: 10,
      members: 1,
      analytics_retention_days: 365,
    },
    features: FEATURES,
    default: true,
  },
  {
    id: 'pro',
    price: { amount: 1_900, currency: 'EUR', interval: 'month' },
    limits: {
      ...UNLIMITED,
      requests_per_minute: 600,
      burst: 600,
      links: 100_000,
      addresses: 300_000,
      api_keys: 50,
      members: 10,
      analytics_retention_days: 730,
    },
    features: FEATURES,
    default: false,
  },
  {
    id: 'business',
    price: { amount: 9_900, currency: 'EUR', interval: 'month' },
    limits: {
      ...UNLIMITED,
      requests_per_minute: 3_000,
      burst: 3_000,
      links: 5_000_000,
      addresses: 15_000_000,
      api_keys: 200,
      members: 100,
      analytics_retention_days: 1_825,
    },
    features: FEATURES,
    default: false,
  },
  {
    id: 'unlimited',
    price: { amount: null, currency: 'EUR', interval: 'month' },
    limits: UNLIMITED,
    features: FEATURES,
    default: false,
  },
]
