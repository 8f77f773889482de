import { z } from '@hono/zod-openapi'
import { listOf, PAGE_LIMIT } from '../../http/page.ts'
import { DEFAULT_PLANS } from './defaults.ts'
import { listPlan } from './listing.ts'

/** The reference's example. */
export const PLANS_EXAMPLE = {
  data: DEFAULT_PLANS.map((plan) => listPlan(plan, 'en')),
  pagination: {
    limit: PAGE_LIMIT.default,
    has_more: false,
    next_cursor: null,
    total: DEFAULT_PLANS.length,
  },
}

const limit = (description: string) => z.int().min(0).nullable().openapi({ description })

/** What a plan allows. */
export const PlanLimitsSchema = z
  .object({
    requests_per_minute: limit('API requests per minute, of all keys of the workspace together.'),
    burst: limit('API requests that are allowed in a burst, after a pause.'),
    links: limit('Links that exist at a time.'),
    addresses: limit('Slugs and aliases of these links together.'),
    api_keys: limit('API keys that are neither revoked nor expired.'),
    members: limit('People in the workspace.'),
    domains: limit('Short domains of the workspace.'),
    clicks_per_month: limit('Clicks that are counted in a month.'),
    analytics_retention_days: limit(
      'Days for which single clicks are kept; of older ones the numbers per day stay.',
    ),
  })
  .openapi({ description: 'What the plan allows, as it is enforced. Null: unlimited.' })
  .openapi('PlanLimits')

/** A plan; its limits are enforced. */
export const PlanSchema = z
  .object({
    id: z.string().openapi({ description: 'Stable, the same in every language, like `pro`.' }),
    name: z.string().openapi({ description: 'In the language of the response.' }),
    description: z
      .string()
      .nullable()
      .openapi({ description: 'A sentence in the language of the response. Null: none.' }),
    price: z
      .object({
        amount: z.int().min(0).nullable().openapi({
          description: 'In minor units of the currency: 1900 is 19.00 EUR. Null: not for sale.',
        }),
        currency: z.string().openapi({ description: 'Three letters of ISO 4217, like `EUR`.' }),
        interval: z
          .enum(['month', 'year'])
          .openapi({ description: 'How often the amount is due.' }),
      })
      .openapi({ description: 'What the plan costs.' }),
    limits: PlanLimitsSchema,
    features: z
      .array(z.string())
      .openapi({ description: 'What the plan offers, as stable ids like `custom_slugs`.' }),
    default: z
      .boolean()
      .openapi({ description: 'Whether new workspaces get this plan; true of exactly one.' }),
  })
  .openapi('Plan', { example: PLANS_EXAMPLE.data[0] })

export const PlanListSchema = listOf(PlanSchema).openapi('PlanList')
