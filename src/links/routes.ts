import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../http/index.ts'
import type { LinkRules } from './fields.ts'
import { createListQuerySchema, listQueryOf } from './list-query.ts'
import { pageLinks } from './page-links.ts'
import { createLinkSchemas, LINK_EXAMPLE, LinkListSchema, LinkSchema } from './schemas.ts'
import type { LinkService } from './service.ts'
import type { Link } from './types.ts'

const PATH = '/api/v1/links'
const TAG = 'Links'
const ETAG = { ETag: 'The version of the link, for `If-Match` and `If-None-Match`.' }

const Params = z.object({
  id: z.string().openapi({ description: 'The id of the link.', example: LINK_EXAMPLE.id }),
})

function answer(status: 200 | 201, link: Link) {
  return { status, body: link, version: link.version }
}

/** The endpoints of links: list, create, get, update, delete. */
export function registerLinkRoutes(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  // The document is made without a service: it is only asked when a request comes.
  const rules: LinkRules = {
    checkUrl: (text) => deps.links.rules.checkUrl(text),
    get domains() {
      return deps.links.rules.domains
    },
  }
  const { create, patch } = createLinkSchemas(rules)

  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: 'links:read',
    operationId: 'listLinks',
    tag: TAG,
    summary: 'List links',
    description:
      'The links of the workspace that match all the filters, a page at a time. Follow ' +
      '`next_cursor` until it is null: no link that stays is skipped or repeated, whatever comes ' +
      'and goes meanwhile. A cursor is only good for the filters and the order it came from.',
    query: createListQuerySchema(rules),
    success: {
      status: 200,
      description: 'One page of links.',
      schema: LinkListSchema,
      headers: { Link: 'The next, previous and first page (RFC 8288).' },
      example: {
        data: [LINK_EXAMPLE],
        pagination: { limit: 25, total: 1, has_more: false, next_cursor: null, prev_cursor: null },
      },
    },
    errors: ['BAD_REQUEST'],
    async handler({ caller, query, request, baseUrl }) {
      const list = await deps.links.list(caller, listQueryOf(query))
      const headers = { Link: pageLinks(baseUrl, request.url, list.pagination) }
      return { status: 200, body: list, headers }
    },
  })

  endpoint(api, {
    method: 'post',
    path: PATH,
    scope: 'links:write',
    operationId: 'createLink',
    tag: TAG,
    summary: 'Create a link',
    description:
      'Only `destination_url` is required. The same destination twice makes two links. With an ' +
      '`Idempotency-Key` a repeated request makes one.',
    body: create,
    bodyExample: {
      destination_url: LINK_EXAMPLE.destination_url,
      slug: LINK_EXAMPLE.slug,
      tags: LINK_EXAMPLE.tags,
    },
    success: {
      status: 201,
      description: 'The link.',
      schema: LinkSchema,
      headers: { ...ETAG, Location: 'The path of the link in the API.' },
      example: LINK_EXAMPLE,
    },
    errors: ['SLUG_TAKEN', 'PLAN_LIMIT_REACHED'],
    async handler({ body, caller, mutate }) {
      const prepared = await deps.links.prepareCreate(body)
      return mutate(async (tx) => {
        const link = await deps.links.create(tx, caller, prepared)
        return { ...answer(201, link), headers: { Location: `${PATH}/${link.id}` } }
      })
    },
  })

  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}`,
    scope: 'links:read',
    operationId: 'getLink',
    tag: TAG,
    summary: 'Get a link',
    params: Params,
    success: {
      status: 200,
      description: 'The link.',
      schema: LinkSchema,
      headers: ETAG,
      example: LINK_EXAMPLE,
    },
    errors: ['LINK_NOT_FOUND'],
    handler: async ({ caller, params }) => answer(200, await deps.links.get(caller, params.id)),
  })

  endpoint(api, {
    method: 'patch',
    path: `${PATH}/{id}`,
    scope: 'links:write',
    operationId: 'updateLink',
    tag: TAG,
    summary: 'Update a link',
    description:
      'A JSON merge patch (RFC 7396): what is absent stays, null clears. A slug or domain that the ' +
      'link moves away from joins its aliases, unless the request gives `aliases`. A patch that ' +
      'changes nothing leaves the version as it is.',
    params: Params,
    body: patch,
    bodyExample: { title: 'Summer sale, extended', expires_at: null },
    success: {
      status: 200,
      description: 'The link as it is now.',
      schema: LinkSchema,
      headers: ETAG,
      example: LINK_EXAMPLE,
    },
    errors: ['LINK_NOT_FOUND', 'SLUG_TAKEN', 'PRECONDITION_FAILED'],
    async handler({ body, caller, params, ifMatch, mutate }) {
      const prepared = await deps.links.preparePatch(body)
      return mutate(async (tx) =>
        answer(200, await deps.links.update(tx, caller, params.id, prepared, ifMatch)),
      )
    },
  })

  endpoint(api, {
    method: 'delete',
    path: `${PATH}/{id}`,
    scope: 'links:write',
    operationId: 'deleteLink',
    tag: TAG,
    summary: 'Delete a link',
    description:
      'The redirect stops at once. The slug stays held: no other workspace ever gets it.',
    params: Params,
    success: { status: 204, description: 'The link is gone.' },
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: ({ caller, params, ifMatch, mutate }) =>
      mutate(async (tx) => {
        await deps.links.remove(tx, caller, params.id, ifMatch)
        return { status: 204 }
      }),
  })
}
