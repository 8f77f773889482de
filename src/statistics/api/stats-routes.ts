import { z } from '@hono/zod-openapi'
import { AppError } from '../../errors/index.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { DIMENSIONS } from '../columns.ts'
import type { QuerySchemas } from '../query.ts'
import { STATS_EXAMPLE, StatsSchema, TOP_EXAMPLE, TopSchema } from '../schemas.ts'
import { AUDIENCES, pathParams, questionOf, type StatisticsRoutesDeps, TAG } from './parts.ts'

/** Reports: numbers over time, and top values of each dimension. */
export function registerReportRoutes(
  api: Pick<Api, 'add'>,
  deps: StatisticsRoutesDeps,
  queries: QuerySchemas,
): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    const dimensions = DIMENSIONS.filter((name) => of === 'workspace' || name !== 'link')

    endpoint(api, {
      method: 'get',
      path: `${prefix}/stats`,
      scope: 'links:read',
      operationId: `get${operation}Stats`,
      tag: TAG,
      summary: `Clicks of ${whose} over time`,
      description:
        'Clicks and unique visitors, in total and per interval. Filters can be combined. Unique ' +
        'visitors are counted per UTC day; those of a longer time are the sum of its days. Clicks ' +
        'older than the plan keeps them are included by UTC day, unless a filter is set.',
      params: pathParams(audience, {}),
      query: queries[of].stats,
      success: {
        status: 200,
        description: 'The numbers.',
        schema: StatsSchema,
        example: STATS_EXAMPLE,
      },
      errors: ['LINK_NOT_FOUND'],
      async handler(call) {
        const data = await deps.statistics.stats(questionOf(call), call.request.signal)
        return { status: 200, body: { data } }
      },
    })

    endpoint(api, {
      method: 'get',
      path: `${prefix}/stats/{dimension}`,
      scope: 'links:read',
      operationId: `list${operation}TopValues`,
      tag: TAG,
      summary: `Top values of a dimension, of ${whose}`,
      description:
        'The values with the most clicks, and the sum of all others. Together their clicks are the ' +
        'total of the same query.',
      params: pathParams(audience, {
        dimension: z.string().openapi({
          description: 'The dimension to group clicks by.',
          enum: [...dimensions],
          example: 'country',
        }),
      }),
      query: queries[of].top,
      success: {
        status: 200,
        description: 'The values, most clicks first.',
        schema: TopSchema,
        example: TOP_EXAMPLE,
      },
      errors: ['NOT_FOUND', 'LINK_NOT_FOUND'],
      async handler(call) {
        const dimension = dimensions.find((name) => name === call.params.dimension)
        if (dimension === undefined) throw new AppError('NOT_FOUND')
        const { signal } = call.request
        return {
          status: 200,
          body: await deps.statistics.top(questionOf(call), dimension, signal),
        }
      },
    })
  }
}
