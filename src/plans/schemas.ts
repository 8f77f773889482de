import { z } from '@hono/zod-openapi'
import { DEFAULT_PLANS } from './defaults.ts'
import { type ListedPlan, listPlan } from './listing.ts'
import type { Plan } from './types.ts'

/** What the reference shows as the plans. */
export const PLANS_EXAMPLE: { data: ListedPlan[] } = {
  data: DEFAULT_PLANS.map((plan: Plan) => listPlan(plan, 'en')),
}

const limit = (description: string) => z.int().min(0).nullable().openapi({ description })

/** A plan; its limits are those that are enforced. */
export const PlanSchema = z
  .object({
    id: z.string(),
    name: z.string().openapi({ description: 'In the language of the answer.' }),
    description: z.string().nullable(),
    price: z.object({
      amount: z
        .int()
        .min(0)
        .nullable()
        .openapi({ description: 'In minor units of the currency (cents); null: not for sale.' }),
      currency: z.string().openapi({ description: 'ISO 4217.' }),
      interval: z.enum(['month', 'year']),
    }),
    limits: z
      .object({
        requests_per_minute: limit('Requests of all keys of the workspace together.'),
        burst: limit('Requests that may come at once.'),
        links: limit('Links that exist at a time.'),
        api_keys: limit('Keys that are neither revoked nor expired.'),
        members: limit('People in the workspace.'),
        domains: limit('Domains of the workspace.'),
        clicks_per_month: limit('Clicks that are counted.'),
        analytics_retention_days: limit('How long clicks are kept.'),
      })
      .openapi({ description: 'Null is unlimited.' }),
    features: z
      .array(z.string())
      .openapi({ description: 'Stable ids, the same in every language, like `custom_slugs`.' }),
    default: z.boolean().openapi({ description: 'Whether a new workspace gets it.' }),
  })
  .openapi('Plan', { example: PLANS_EXAMPLE.data[0] })

/** All plans. */
export const PlanListSchema = z.object({ data: z.array(PlanSchema) }).openapi('PlanList')
