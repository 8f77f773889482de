import { type Api, endpoint } from '../../http/index.ts'
import { listPlan } from './listing.ts'
import { PLANS_EXAMPLE, PlanListSchema } from './schemas.ts'
import type { Plans } from './service.ts'

/** `GET /api/v1/plans`: public, and the same for all readers of a language. */
export function registerPlanRoutes(api: Pick<Api, 'add'>, { plans }: { plans: Plans }): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/plans',
    scope: null,
    operationId: 'listPlans',
    tag: 'Plans',
    summary: 'List plans',
    description:
      'The plans of this instance, with the limits that are enforced. Needs no API key. Names ' +
      'and descriptions are in the language of the answer.',
    success: {
      status: 200,
      description: 'The plans, in the order of their size.',
      schema: PlanListSchema,
      headers: { 'Content-Language': 'The language of the names and descriptions.' },
      example: PLANS_EXAMPLE,
    },
    cacheControl: 'public, max-age=300',
    handler: ({ locale }) => ({
      status: 200,
      body: { data: plans.all.map((plan) => listPlan(plan, locale)) },
    }),
  })
}
