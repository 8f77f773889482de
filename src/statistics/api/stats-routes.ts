import { z } from '@hono/zod-openapi'
import { AppError } from '../../errors/index.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { askedOf, type CheckedQuery, LINK_DIMENSIONS, type QuerySchemas } from '../query.ts'
import { STATS_EXAMPLE, StatsSchema, TOP_EXAMPLE, TopSchema } from '../schemas.ts'
import { DIMENSIONS, type Dimension } from '../types.ts'
import { AUDIENCES, linkIdOf, pathParams, type StatisticsRoutesDeps, TAG } from './parts.ts'

/** Reports: numbers over time, and the values of each dimension with the most clicks. */
export function registerReportRoutes(
  api: Pick<Api, 'add'>,
  deps: StatisticsRoutesDeps,
  queries: QuerySchemas,
): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    const dimensions: readonly Dimension[] = of === 'link' ? LINK_DIMENSIONS : DIMENSIONS

    endpoint(api, {
      method: 'get',
      path: `${prefix}/stats`,
      scope: 'links:read',
      operationId: `get${operation}Stats`,
      tag: TAG,
      summary: `Clicks of ${whose} over time`,
      description:
        'How many clicks there were, of how many visitors, in all and by interval. Every filter ' +
        'combines with every other. Uniques are counted per UTC day: of a longer time they are ' +
        'the sum of its days. Clicks older than the plan keeps them are still in totals and ' +
        'series, by UTC day, as long as no filter is set.',
      params: pathParams(audience, {}),
      query: queries[of].stats,
      success: {
        status: 200,
        description: 'The numbers.',
        schema: StatsSchema,
        example: STATS_EXAMPLE,
      },
      errors: ['LINK_NOT_FOUND'],
      async handler({ caller, params, query, request: { signal } }) {
        const checked = query as CheckedQuery
        const asked = { ...askedOf(checked), interval: checked.interval }
        return {
          status: 200,
          body: { data: await deps.statistics.stats(caller, linkIdOf(params), asked, signal) },
        }
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
        'The values with the most clicks, and all others together: their clicks add up to the ' +
        'total of the same question.',
      params: pathParams(audience, {
        dimension: z.string().openapi({
          description: 'What clicks are told apart by.',
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
      async handler({ caller, params, query, request: { signal } }) {
        const dimension = dimensions.find((name) => name === params.dimension)
        if (dimension === undefined) throw new AppError('NOT_FOUND')
        const checked = query as CheckedQuery
        const asked = { ...askedOf(checked), limit: checked.limit }
        const list = await deps.statistics.top(caller, linkIdOf(params), dimension, asked, signal)
        return { status: 200, body: list }
      },
    })
  }
}
