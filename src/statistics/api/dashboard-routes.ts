import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { checked } from '../../validation/checked.ts'
import { Fault } from '../../validation/fault.ts'
import { SparklinesSchema } from '../schemas.ts'
import { type StatisticsRoutesDeps, TAG } from './parts.ts'

/** The most links of one request. */
const SPARKLINES_MAX = 100

const ids = checked(z.string(), (text) => {
  const list = [...new Set(text.split(',').filter((id) => id !== ''))]
  if (list.length === 0) return new Fault('REQUIRED')
  return list.length > SPARKLINES_MAX ? new Fault('TOO_MANY', { max: SPARKLINES_MAX }) : list
})

/**
 * Endpoints for the dashboard. Register them before the endpoints of links, because
 * `/links/sparklines` also matches `/links/{id}`.
 */
export function registerStatisticsDashboardRoutes(
  api: Pick<Api, 'add'>,
  deps: StatisticsRoutesDeps,
): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/links/sparklines',
    scope: 'links:read',
    operationId: 'getSparklines',
    tag: TAG,
    summary: 'Clicks per day of some links',
    query: z.object({
      ids: ids.openapi({
        param: { description: `Ids of links, separated by commas, at most ${SPARKLINES_MAX}.` },
        type: 'string',
        example: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
      }),
    }),
    success: {
      status: 200,
      description: 'By link id; unknown links are left out.',
      schema: SparklinesSchema,
    },
    async handler({ caller, query, request: { signal } }) {
      const data = await deps.statistics.sparklines(caller, query.ids, signal)
      return { status: 200, body: { data } }
    },
  })
}
