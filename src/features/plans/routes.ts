import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageOfAll, pageParameters } from '../../http/page.ts'
import { listPlan } from './listing.ts'
import { PLANS_EXAMPLE, PlanListSchema } from './schemas.ts'
import type { Plans } from './service.ts'

/** `GET /api/v1/plans`: public, and the same for all readers of a language. */
export function registerPlanRoutes(
  api: Pick<Api, 'add'>,
  deps: { plans: Plans; cursors: Cursors },
): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/plans',
    scope: null,
    operationId: 'listPlans',
    tag: 'Plans',
    summary: 'List plans',
    description:
      'The plans of this instance, with the limits that are enforced. Needs no API key. Names ' +
      'and descriptions are in the language of the response.',
    query: z.object(pageParameters),
    success: {
      status: 200,
      description: 'One page of plans, in the order of their size.',
      schema: PlanListSchema,
      headers: {
        'Content-Language': 'The language of the names and descriptions.',
        Link: 'The next and the first page (RFC 8288).',
      },
      example: PLANS_EXAMPLE,
    },
    errors: ['BAD_REQUEST'],
    cacheControl: 'public, max-age=300',
    handler(call) {
      const { cursors, plans } = deps
      const page = pageOfAll(cursors, ['plans'], [...plans.all.entries()], call.query, ([i]) => [i])
      const data = page.data.map(([, plan]) => listPlan(plan, call.locale))
      return pageAnswer(call, { ...page, data })
    },
  })
}
