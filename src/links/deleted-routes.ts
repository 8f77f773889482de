import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../http/index.ts'
import { pageLinks } from '../http/page.ts'
import { whole } from '../validation/checked.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from './list-query.ts'
import { DeletedLinkListSchema, LINK_EXAMPLE } from './schemas.ts'
import type { LinkService } from './service.ts'

const Query = z.object({
  id: z
    .string()
    .optional()
    .openapi({ param: { description: 'Only the link with this id.' }, example: LINK_EXAMPLE.id }),
  limit: whole(LIMIT_MAX)
    .optional()
    .openapi({
      param: { description: 'How many links a page has at most.' },
      type: 'integer',
      minimum: 1,
      maximum: LIMIT_MAX,
      default: LIMIT_DEFAULT,
    }),
  cursor: z
    .string()
    .optional()
    .openapi({ param: { description: '`next_cursor` of the page before.' } }),
})

/** Register it before `/links/{id}`, which takes any word as an id. */
export function registerDeletedLinksRoute(
  api: Pick<Api, 'add'>,
  deps: { links: LinkService },
): void {
  const { id, destination_url, slug, domain, short_url, title } = LINK_EXAMPLE
  const times = {
    deleted_at: '2026-05-04T10:00:00.000Z',
    restorable_until: '2026-05-11T10:00:00.000Z',
  }
  endpoint(api, {
    method: 'get',
    path: '/api/v1/links/deleted',
    scope: 'links:read',
    operationId: 'listDeletedLinks',
    tag: 'Links',
    summary: 'List deleted links',
    description:
      'Links that were deleted within the last 7 days, the last one first. ' +
      '`POST /links/{id}/restore` brings one back.',
    query: Query,
    success: {
      status: 200,
      description: 'One page of deleted links.',
      schema: DeletedLinkListSchema,
      headers: { Link: 'The next and the first page (RFC 8288).' },
      example: {
        data: [{ id, destination_url, slug, domain, short_url, title, ...times }],
        pagination: { limit: LIMIT_DEFAULT, has_more: false, next_cursor: null },
      },
    },
    errors: ['BAD_REQUEST'],
    async handler({ caller, query: { limit = LIMIT_DEFAULT, ...query }, request, baseUrl }) {
      const body = await deps.links.listDeleted(caller, { ...query, limit })
      const position = { ...body.pagination, prev_cursor: null }
      return { status: 200, body, headers: { Link: pageLinks(baseUrl, request.url, position) } }
    },
  })
}
