/** No limits: the defaults of a plan. */
export const UNLIMITED = {
  requests_per_minute: null,
  /** Requests allowed in a burst. */
  burst: null,
  links: null,
  /** Slugs and aliases of all links together. */
  addresses: null,
  api_keys: null,
  members: null,
  domains: null,
  clicks_per_month: null,
  analytics_retention_days: null,
} as const

/** What a plan allows; null is unlimited. */
export type PlanLimits = Record<keyof typeof UNLIMITED, number | null>

/** A plan as it is enforced; names and descriptions are localized where plans are listed. */
export interface Plan {
  id: string
  /** `amount` in minor units of the currency. */
  price: { amount: number | null; currency: string; interval: 'month' | 'year' }
  limits: PlanLimits
  /** Stable ids, like `custom_slugs`; only listed, never enforced. */
  features: readonly string[]
  default: boolean
  /** Set by an operator's file; absent: the catalogue's texts for the plan's id. */
  name?: string | Readonly<Record<string, string>> | undefined
  description?: string | Readonly<Record<string, string>> | undefined
}
