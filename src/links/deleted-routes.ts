import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess } from '../http/page.ts'
import { DeletedLinkListSchema, LINK_EXAMPLE } from './schemas.ts'
import type { LinkService } from './service.ts'

const Query = z.object({
  id: z
    .string()
    .optional()
    .openapi({ param: { description: 'Only the link with this id.' }, example: LINK_EXAMPLE.id }),
  ...pageParameters,
})

/** Register it before `/links/{id}`, which accepts any word as an id. */
export function registerDeletedLinksRoute(
  api: Pick<Api, 'add'>,
  deps: { links: LinkService },
): void {
  const { id, destination_url, slug, domain, short_url, title } = LINK_EXAMPLE
  const times = {
    deleted_at: '2026-05-04T10:00:00.000Z',
    restorable_until: '2026-05-11T10:00:00.000Z',
  }
  const example = { id, destination_url, slug, domain, short_url, title, ...times }
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
    success: pageSuccess('One page of deleted links.', DeletedLinkListSchema, example),
    errors: ['BAD_REQUEST'],
    handler: async (call) =>
      pageAnswer(call, await deps.links.listDeleted(call.caller, call.query)),
  })
}
