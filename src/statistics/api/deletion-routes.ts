import { z } from '@hono/zod-openapi'
import { askerOf } from '../../audit/index.ts'
import { endpoint } from '../../http/index.ts'
import { checked } from '../../validation/checked.ts'
import { parseQueryTime } from '../../validation/timestamp.ts'
import { AUDIENCES, pathParams, type Registration } from './parts.ts'

const Query = z.object({
  before: checked(z.string(), parseQueryTime).openapi({
    param: {
      description: 'Clicks before then: RFC 3339, or a date for its midnight in UTC.',
    },
    type: 'string',
    example: '2026-05-01',
  }),
})

/** The endpoint that deletes clicks of a link. */
export function registerDeletionRoute({ api, deps }: Pick<Registration, 'api' | 'deps'>): void {
  const params = pathParams(AUDIENCES[0], {})
  endpoint(api, {
    method: 'delete',
    path: '/api/v1/links/{id}/clicks',
    scope: 'links:write',
    dryRun: true,
    operationId: 'deleteLinkClicks',
    tag: 'Statistics',
    summary: "Delete a link's clicks before a time",
    description:
      'For good: from reports, exports and the counters of the link. Of clicks older than the plan ' +
      'keeps them, totals of whole UTC days go. Clicks that were only counted have no dates: they go ' +
      'where the last click was before that time. Done again it changes nothing.',
    params,
    query: Query,
    success: { status: 204, description: 'The clicks are gone.' },
    errors: ['LINK_NOT_FOUND'],
    async handler(call) {
      const { id } = call.params as { id: string }
      const { deletions } = deps.statistics
      const answer = await call.mutate((tx) =>
        deletions.request(tx, askerOf(call), id, call.query.before),
      )
      if (!call.dryRun) await deletions.runSoon()
      return answer
    },
  })
}
