import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageLinks, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import { writerOf } from '../audit/index.ts'
import { registerBulkRoutes } from './bulk/routes.ts'
import { createLinkSchemas } from './fields.ts'
import { createListQuerySchema, listQueryOf } from './list-query.ts'
import { registerLookupRoutes } from './lookup-routes.ts'
import { BY_EXTERNAL_ID, BY_ID, registerOneLinkRoutes } from './one-link-routes.ts'
import {
  DeletedLinkListSchema,
  HISTORY_EXAMPLE,
  LINK_EXAMPLE,
  LinkHistorySchema,
  LinkListSchema,
  LinkSchema,
} from './schemas.ts'
import type { LinkService } from './service.ts'

const PATH = '/api/v1/links'
const READ = { scope: 'links:read', tag: 'Links' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'Links' } as const

const oneLink = describeOne('link', LinkSchema, LINK_EXAMPLE)

const CreateQuery = z.object({
  if_exists: z
    .enum(['return'])
    .optional()
    .openapi({
      param: {
        description:
          '`return`: if a link has the same destination, domain and every other field of the body, ' +
          'the newest such link is returned with 200, and nothing is created. Not with a `password`.',
      },
      example: 'return',
    }),
})

/** The endpoints of links: list, create, get, update, delete; history and restore. */
export function registerLinkRoutes(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  const { rules } = deps.links
  const schemas = createLinkSchemas(rules)
  const { create } = schemas

  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listLinks',
    summary: 'List links',
    description:
      'The links of the workspace that match all the filters, a page at a time. Follow ' +
      '`next_cursor` until it is null: no remaining link is skipped or repeated, even if others ' +
      'are created or deleted. A cursor is only valid for the filters and the order that it came ' +
      'from.',
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
    async handler(call) {
      const { query, request, baseUrl } = call
      const list = await deps.links.list(writerOf(call), listQueryOf(query))
      const headers = { Link: pageLinks(baseUrl, request.url, list.pagination) }
      return { status: 200, body: list, headers }
    },
  })

  endpoint(api, {
    ...WRITE,
    scope: 'links:create',
    method: 'post',
    path: PATH,
    operationId: 'createLink',
    summary: 'Create a link',
    description:
      'Only `destination_url` is required. The same destination twice creates two links, unless ' +
      '`if_exists` says otherwise. With an `Idempotency-Key` a repeated request creates one.',
    query: CreateQuery,
    body: create,
    bodyExample: {
      destination_url: LINK_EXAMPLE.destination_url,
      slug: LINK_EXAMPLE.slug,
      tags: LINK_EXAMPLE.tags,
    },
    success: { ...oneLink(200, 'With `if_exists`: the link that existed.'), created: 'The link.' },
    errors: ['SLUG_TAKEN', 'EXTERNAL_ID_TAKEN', 'PLAN_LIMIT_REACHED'],
    async handler(call) {
      const { body, mutate, query } = call
      const { if_exists: ifExists } = query
      const caller = writerOf(call)
      const prepared = await deps.links.prepareCreate(caller, body, ifExists)
      return mutate(
        async (tx) => {
          const { link, isNew } = await deps.links.findOrCreate(tx, caller, prepared, ifExists)
          const warned = deps.links.warned(link, call)
          return isNew ? answerCreated(PATH, warned) : answerOk(warned)
        },
        { together: ifExists === undefined },
      )
    },
  })

  registerLookupRoutes(api, deps, schemas)
  registerDeletedLinksRoute(api, deps)
  registerOneLinkRoutes(api, deps, schemas, BY_EXTERNAL_ID)
  registerOneLinkRoutes(api, deps, schemas, BY_ID)
  registerHistoryRoutes(api, deps)
  registerBulkRoutes(api, deps)
}

const DeletedQuery = z.object({
  id: z
    .string()
    .optional()
    .openapi({ param: { description: 'Only the link with this id.' }, example: LINK_EXAMPLE.id }),
  ...pageParameters,
})

function registerDeletedLinksRoute(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  const { id, destination_url, slug, domain, short_url, title } = LINK_EXAMPLE
  const times = {
    deleted_at: '2026-05-04T10:00:00.000Z',
    restorable_until: '2026-05-11T10:00:00.000Z',
  }
  const example = { id, destination_url, slug, domain, short_url, title, ...times }
  endpoint(api, {
    ...READ,
    method: 'get',
    path: `${PATH}/deleted`,
    operationId: 'listDeletedLinks',
    summary: 'List deleted links',
    description:
      'Links that were deleted within the last 7 days, the last one first. ' +
      '`POST /links/{id}/restore` brings one back.',
    query: DeletedQuery,
    success: pageSuccess('One page of deleted links.', DeletedLinkListSchema, example),
    errors: ['BAD_REQUEST'],
    handler: async (call) =>
      pageAnswer(call, await deps.links.listDeleted(call.caller, call.query)),
  })
}

const RestoreBody = z
  .strictObject({
    version: z
      .int()
      .min(1)
      .optional()
      .openapi({
        description:
          'The version whose state is to be restored, as a new version. Absent: a deleted link ' +
          'comes back as it was, and any other stays as it is.',
        example: 2,
      }),
  })
  .openapi('LinkRestore')

/** The endpoints of a link's history and its restore. */
function registerHistoryRoutes(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: `${PATH}/{id}/history`,
    operationId: 'getLinkHistory',
    summary: "Get a link's history",
    description:
      'Every change of the link: by whom, when, and what each field was before. Also of a deleted ' +
      'link, for as long as it can be restored.',
    params: BY_ID.params,
    query: z.object(pageParameters),
    success: pageSuccess(
      'One page of changes, the newest first.',
      LinkHistorySchema,
      HISTORY_EXAMPLE,
    ),
    errors: ['LINK_NOT_FOUND', 'BAD_REQUEST'],
    handler: async (call) =>
      pageAnswer(call, await deps.links.history(call.caller, call.params.id, call.query)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/restore`,
    operationId: 'restoreLink',
    summary: 'Restore a link',
    description:
      'Brings back a link that was deleted within the last 7 days, with its id, slugs, tags and ' +
      'clicks; it counts towards the plan again. With `version`, the state of that version ' +
      'becomes the newest one, checked as an update is. The history has the versions.',
    params: BY_ID.params,
    body: RestoreBody,
    bodyOptional: true,
    bodyExample: { version: 2 },
    success: oneLink(200, 'The link as it is now.'),
    errors: [
      'LINK_NOT_FOUND',
      'SLUG_TAKEN',
      'EXTERNAL_ID_TAKEN',
      'PLAN_LIMIT_REACHED',
      'PRECONDITION_FAILED',
    ],
    async handler(call) {
      const { body, caller, params, ifMatch, mutate } = call
      const prepared = await deps.links.prepareRestore(caller, params.id, body.version)
      return mutate(async (tx) => {
        const link = await deps.links.restore(tx, writerOf(call), params.id, prepared, ifMatch)
        return answerOk(deps.links.warned(link, call))
      })
    },
  })
}
