import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageLinks } from '../../http/page-links.ts'
import type { CheckedQuery, QuerySchemas } from '../query.ts'
import { CLICK_EXAMPLE, ClickListSchema } from '../schemas.ts'
import { AUDIENCES, pathParams, questionOf, type StatisticsRoutesDeps, TAG } from './parts.ts'

/** Single clicks: pages of them, and the live stream. */
export function registerClickRoutes(
  api: Pick<Api, 'add'>,
  deps: StatisticsRoutesDeps,
  queries: QuerySchemas,
): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    endpoint(api, {
      method: 'get',
      path: `${prefix}/clicks`,
      scope: 'links:read',
      operationId: `list${operation}Clicks`,
      tag: TAG,
      summary: `List clicks of ${whose}`,
      description:
        'Single clicks, newest first, as far back as the plan keeps them. Follow `next_cursor` ' +
        'until it is null; new clicks don’t shift the pages. A cursor is valid only with the ' +
        'filters that it came from.',
      params: pathParams(audience, {}),
      query: queries[of].clicks,
      success: {
        status: 200,
        description: 'One page of clicks.',
        schema: ClickListSchema,
        headers: { Link: 'The next and the first page (RFC 8288).' },
        example: {
          data: [CLICK_EXAMPLE],
          pagination: { limit: 25, has_more: false, next_cursor: null },
        },
      },
      errors: ['BAD_REQUEST', 'LINK_NOT_FOUND'],
      async handler(call) {
        const { request, baseUrl } = call
        const list = await deps.statistics.clicks(questionOf(call), request.signal)
        const place = { ...list.pagination, total: 0, prev_cursor: null }
        return {
          status: 200,
          body: list,
          headers: { Link: pageLinks(baseUrl, request.url, place) },
        }
      },
    })
  }

  endpoint(api, {
    method: 'get',
    path: '/api/v1/clicks/stream',
    scope: 'links:read',
    operationId: 'streamClicks',
    tag: TAG,
    summary: 'Stream new clicks',
    description:
      'New clicks as server-sent events, in the order of their time. The data of an event is a ' +
      'click, its id the click’s. After a disconnect, `Last-Event-ID` resumes after that click ' +
      'without loss or repeats, as browsers’ `EventSource` does by itself. A comment is sent ' +
      'every 15 seconds. A reader that takes nothing for 20 seconds is disconnected, and one ' +
      'whose key is revoked within a second. A workspace may have 20 streams open; beyond that ' +
      'the answer is 429.',
    query: queries.workspace.stream,
    success: {
      status: 200,
      description: 'The events.',
      contentType: 'text/event-stream',
      schema: z.string(),
      example: `id: ${CLICK_EXAMPLE.id}\ndata: ${JSON.stringify(CLICK_EXAMPLE)}\n\n`,
    },
    errors: ['BAD_REQUEST', 'LINK_NOT_FOUND'],
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
