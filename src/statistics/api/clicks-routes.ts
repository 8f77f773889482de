import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageLinks } from '../../http/page-links.ts'
import { askedOf, type CheckedQuery, type QuerySchemas } from '../query.ts'
import { CLICK_EXAMPLE, ClickListSchema } from '../schemas.ts'
import { AUDIENCES, linkIdOf, pathParams, type StatisticsRoutesDeps, TAG } from './parts.ts'

/** Single clicks: pages of them, and all that come. */
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
        'Single clicks, the newest first, a page at a time; as far back as the plan keeps them. ' +
        'Follow `next_cursor` until it is null: clicks that come meanwhile shift nothing. A ' +
        'cursor is only good for the filters it came from.',
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
      async handler({ caller, params, query, request, baseUrl }) {
        const { limit, cursor, ...checked } = query as CheckedQuery
        const { signal } = request
        const asked = { ...askedOf(checked), limit, cursor }
        const list = await deps.statistics.clicks(caller, linkIdOf(params), asked, signal)
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
    summary: 'Clicks as they come',
    description:
      'Server-sent events without end: the data of each is a click, its id the click’s. After a ' +
      'break, `Last-Event-ID` goes on behind the last one, without loss or repeat, as browsers’ ' +
      '`EventSource` does by itself. A comment comes every 15 seconds. A reader that takes ' +
      'nothing for 20 seconds is let go, and one whose key is revoked within a second. A ' +
      'workspace may read 20 streams at once; beyond that the answer is 429.',
    query: queries.workspace.stream,
    success: {
      status: 200,
      description: 'The events.',
      contentType: 'text/event-stream',
      schema: z.string(),
      example: `id: ${CLICK_EXAMPLE.id}\ndata: ${JSON.stringify(CLICK_EXAMPLE)}\n\n`,
    },
    errors: ['BAD_REQUEST', 'LINK_NOT_FOUND'],
    handler({ caller, query, request, stillPermitted }) {
      const { last_event_id: parameter, ...checked } = query as CheckedQuery & {
        last_event_id?: string
      }
      const resume = { header: request.headers.get('last-event-id'), parameter }
      return {
        status: 200,
        stream: () => deps.statistics.stream(caller, askedOf(checked), resume, stillPermitted),
        headers: {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-store',
          // nginx would gather events before it passes them on.
          'X-Accel-Buffering': 'no',
        },
      }
    },
  })
}
