import { z } from '@hono/zod-openapi'
import { writerOf } from '../features/audit/index.ts'
import { type Api, endpoint, permits } from '../http/index.ts'
import { pageAnswer, pageSuccess } from '../http/page.ts'
import { AppError } from '../lib/errors/index.ts'
import { checked } from '../lib/validation/checked.ts'
import { parseQueryTime } from '../lib/validation/timestamp.ts'
import { ValidationIssue } from '../lib/validation/validation-issue.ts'
import { registerExportRoutes } from './api/export-routes.ts'
import {
  AUDIENCES,
  notFoundOf,
  pathParams,
  questionOf,
  READ,
  type Registration,
  type StatisticsRoutesDeps,
} from './api/parts.ts'
import { isGroup, LISTED } from './columns.ts'
import { MEMBERS_MAX } from './members.ts'
import { type CheckedQuery, createQuerySchemas } from './query.ts'
import {
  CLICK_EXAMPLE,
  ClickListSchema,
  SparklinesSchema,
  STATS_EXAMPLE,
  StatsSchema,
  TOP_EXAMPLE,
  TopSchema,
} from './schemas.ts'

/** The endpoints of statistics: reports, single clicks, the live stream, exports. */
export function registerStatisticsRoutes(api: Pick<Api, 'add'>, deps: StatisticsRoutesDeps): void {
  const queries = createQuerySchemas(() => deps.statistics.domains)
  registerReportRoutes({ api, deps, queries })
  registerClickRoutes({ api, deps, queries })
  registerExportRoutes({ api, deps, queries })
  registerDeletionRoute({ api, deps })
}

/** Reports: numbers over time, and top values of each dimension. */
function registerReportRoutes({ api, deps, queries }: Registration): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    const dimensions = LISTED.filter(
      (name) => of === 'workspace' || (name !== 'link' && !isGroup(name)),
    )

    endpoint(api, {
      ...READ,
      path: `${prefix}/stats`,
      operationId: `get${operation}Stats`,
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
      errors: notFoundOf(audience),
      async handler(call) {
        const stats = await deps.statistics.stats(questionOf(call), call.request.signal)
        return { status: 200, body: stats }
      },
    })

    endpoint(api, {
      ...READ,
      path: `${prefix}/stats/{dimension}`,
      operationId: `list${operation}TopValues`,
      summary: `Top values of a dimension, of ${whose}`,
      description:
        'The values with the most clicks, and the sum of all others. Together their clicks are the ' +
        'total of the same query' +
        (of === 'workspace'
          ? '; with `tag`, which counts a click for each tag that the link has now, they are at ' +
            'least that. Deleted links have no tags and no folder here. Tags can’t be listed in a ' +
            `workspace with more than ${MEMBERS_MAX.toLocaleString('en')} of them on its links.`
          : '.'),
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
      errors: ['NOT_FOUND', ...notFoundOf(audience)],
      async handler(call) {
        const dimension = dimensions.find((name) => name === call.params.dimension)
        if (dimension === undefined) throw new AppError('NOT_FOUND')
        const { signal } = call.request
        const body = await deps.statistics.top(questionOf(call), dimension, signal)
        // A link's title isn't part of its statistics.
        if (!permits(call.caller, 'links:read')) for (const row of body.data) delete row.title
        return { status: 200, body }
      },
    })
  }
}

/** Single clicks: pages of them, and the live stream. */
function registerClickRoutes({ api, deps, queries }: Registration): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    endpoint(api, {
      ...READ,
      path: `${prefix}/clicks`,
      operationId: `list${operation}Clicks`,
      summary: `List clicks of ${whose}`,
      description:
        'Single clicks, newest first, as far back as the plan keeps them. Follow `next_cursor` ' +
        'until it is null; new clicks don’t shift the pages. A cursor is valid only with the ' +
        'filters that it came from.',
      params: pathParams(audience, {}),
      query: queries[of].clicks,
      success: pageSuccess('One page of clicks.', ClickListSchema, CLICK_EXAMPLE),
      errors: ['BAD_REQUEST', ...notFoundOf(audience)],
      handler: async (call) =>
        pageAnswer(call, await deps.statistics.clicks(questionOf(call), call.request.signal)),
    })
  }

  endpoint(api, {
    ...READ,
    path: '/api/v1/clicks/stream',
    operationId: 'streamClicks',
    summary: 'Stream new clicks',
    description:
      'New clicks as server-sent events (`data` is a click as in the list, `id` its id), in the ' +
      'order of their time. After a disconnect, `Last-Event-ID` resumes after that click without ' +
      'loss or repeats; browsers’ `EventSource` sends it by itself. A comment is sent every 15 ' +
      'seconds. A client that reads nothing for 20 seconds is disconnected, and one whose key is ' +
      'revoked within a second. A workspace can have 20 streams open; beyond that the response is ' +
      '429.',
    query: queries.workspace.stream,
    success: {
      status: 200,
      description: 'The events.',
      contentType: 'text/event-stream',
      schema: z.string(),
      example: `id: ${CLICK_EXAMPLE.id}\ndata: ${JSON.stringify(CLICK_EXAMPLE)}\n\n`,
    },
    errors: ['BAD_REQUEST'],
    handler(call) {
      const { caller, request, stillPermitted } = call
      const { query } = questionOf(call)
      const resume = {
        header: request.headers.get('last-event-id'),
        parameter: (call.query as CheckedQuery).last_event_id,
      }
      return {
        status: 200,
        stream: () => deps.statistics.stream(caller, query, resume, stillPermitted),
        headers: {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-store',
          // nginx buffers responses by default.
          'X-Accel-Buffering': 'no',
        },
      }
    },
  })
}

const DeletionQuery = z.object({
  before: checked(z.string(), parseQueryTime).openapi({
    param: {
      description: 'Clicks before then: RFC 3339, or a date for its midnight in UTC.',
    },
    type: 'string',
    example: '2026-05-01',
  }),
})

/** The endpoint that deletes clicks of a link. */
function registerDeletionRoute({ api, deps }: Pick<Registration, 'api' | 'deps'>): void {
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
      'Deletes clicks permanently, from reports, exports and the counters of the link. Of clicks ' +
      'that are no longer kept, only totals per UTC day exist: those of whole days before the time ' +
      'are deleted. Clicks that were only counted have no dates: they are deleted if the last ' +
      'click was before the time. Repeating the request changes nothing.',
    params,
    query: DeletionQuery,
    success: { status: 204, description: 'The clicks are deleted.' },
    errors: ['LINK_NOT_FOUND'],
    async handler(call) {
      const { id } = call.params as { id: string }
      const { deletions } = deps.statistics
      const answer = await call.mutate((tx) =>
        deletions.request(tx, writerOf(call), id, call.query.before),
      )
      if (!call.dryRun) await deletions.runSoon()
      return answer
    },
  })
}

/** The most links of one request. */
const SPARKLINES_MAX = 100

const ids = checked(z.string(), (text) => {
  const list = [...new Set(text.split(',').filter((id) => id !== ''))]
  if (list.length === 0) return new ValidationIssue('REQUIRED')
  return list.length > SPARKLINES_MAX
    ? new ValidationIssue('TOO_MANY', { max: SPARKLINES_MAX })
    : list
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
    ...READ,
    path: '/api/v1/links/sparklines',
    operationId: 'getSparklines',
    summary: 'Get clicks per day of several links',
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
      return { status: 200, body: await deps.statistics.sparklines(caller, query.ids, signal) }
    },
  })
}
