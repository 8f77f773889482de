import { askerOf } from '../audit/index.ts'
import { type Api, endpoint } from '../http/index.ts'
import { pageLinks } from '../http/page-links.ts'
import type { LinkRules } from './fields.ts'
import { registerLinkHistoryRoutes } from './history-routes.ts'
import { createListQuerySchema, listQueryOf } from './list-query.ts'
import {
  answer,
  createLinkSchemas,
  ETAG,
  LINK_EXAMPLE,
  LinkListSchema,
  LinkParams,
  LinkSchema,
  PATH,
  TAG,
} from './schemas.ts'
import type { LinkService } from './service.ts'

/** The endpoints of links: list, create, get, update, delete; history and restore. */
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
    async handler(call) {
      const { body, mutate } = call
      const prepared = await deps.links.prepareCreate(body)
      return mutate(
        async (tx) => {
          const link = await deps.links.create(tx, askerOf(call), prepared)
          return { ...answer(201, link), headers: { Location: `${PATH}/${link.id}` } }
        },
        { together: true },
      )
    },
  })

  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}`,
    scope: 'links:read',
    operationId: 'getLink',
    tag: TAG,
    summary: 'Get a link',
    params: LinkParams,
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
    params: LinkParams,
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
    async handler(call) {
      const { body, params, ifMatch, mutate } = call
      const prepared = await deps.links.preparePatch(body)
      return mutate(async (tx) =>
        answer(200, await deps.links.update(tx, askerOf(call), params.id, prepared, ifMatch)),
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
      'The redirect stops at once. The slug stays held: no other workspace ever gets it. For 7 ' +
      'days the link can be restored, with its clicks.',
    params: LinkParams,
    success: { status: 204, description: 'The link is gone.' },
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        await deps.links.remove(tx, askerOf(call), call.params.id, call.ifMatch)
        return { status: 204 }
      }),
  })

  registerLinkHistoryRoutes(api, deps)
}
