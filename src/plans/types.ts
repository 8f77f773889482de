/** What a plan allows; null is unlimited. */
export interface PlanLimits {
  requests_per_minute: number | null
  /** Requests that may come at once. */
  burst: number | null
  links: number | null
  /** Slugs and aliases together, of all links. */
  addresses: number | null
  api_keys: number | null
  members: number | null
  domains: number | null
  clicks_per_month: number | null
  analytics_retention_days: number | null
}

/** A plan as it is enforced; names and descriptions are localised where it is listed. */
export interface Plan {
  id: string
  /** `amount` in minor units of the currency. */
  price: { amount: number | null; currency: string; interval: 'month' | 'year' }
  limits: PlanLimits
  /** Stable ids, like `custom_slugs`; listed as they stand, and never enforced. */
  features: readonly string[]
  default: boolean
  /** Given by an operator's file; absent: the catalogue's words for the plan's id. */
  name?: string | Readonly<Record<string, string>>
  description?: string | Readonly<Record<string, string>>
}
