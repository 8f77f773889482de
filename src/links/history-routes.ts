import { z } from '@hono/zod-openapi'
import { ActorSchema, askerOf } from '../audit/index.ts'
import { type Api, endpoint } from '../http/index.ts'
import { pageLinks } from '../http/page-links.ts'
import { whole } from '../validation/checked.ts'
import type { HistoryEntry } from './history.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from './list-query.ts'
import { answer, ETAG, LINK_EXAMPLE, LinkParams, LinkSchema, PATH, TAG } from './schemas.ts'
import type { LinkService } from './service.ts'

const EXAMPLE: HistoryEntry = {
  id: 'aud_4711',
  at: LINK_EXAMPLE.updated_at,
  actor: { type: 'api_key', id: 'key_01hzy3v9k2q4r6s8t0v2w4x6y8', label: 'Newsletter' },
  action: 'link.updated',
  changes: { title: { from: null, to: LINK_EXAMPLE.title } },
  version: LINK_EXAMPLE.version,
}

const EntrySchema = z
  .object({
    id: z.string().openapi({ description: 'Identifies the entry in its workspace.' }),
    at: z.string().openapi({ format: 'date-time', description: 'When it was changed, in UTC.' }),
    actor: ActorSchema,
    action: z
      .enum([
        'link.created',
        'link.updated',
        'link.deleted',
        'link.restored',
        'link.blocked',
        'link.unblocked',
      ])
      .openapi({ description: 'What was done.' }),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).openapi({
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['from', 'to'],
        properties: { from: {}, to: {} },
      },
      description:
        'The fields that changed: what each was, and what it has been since. Of the password ' +
        'only `has_password`.',
    }),
    version: z.int().openapi({ description: "The link's version since." }),
  })
  .openapi('LinkHistoryEntry', { example: EXAMPLE })

const ListSchema = z
  .object({
    data: z.array(EntrySchema).openapi({ description: 'The changes, the newest first.' }),
    pagination: z
      .object({
        limit: z.int().openapi({ description: 'The most entries that this page could have.' }),
        has_more: z.boolean().openapi({ description: 'Whether a page follows this one.' }),
        next_cursor: z
          .string()
          .nullable()
          .openapi({ description: 'The `cursor` of the next page. Null: this is the last.' }),
      })
      .openapi({ description: 'Where this page lies in the list.' }),
  })
  .openapi('LinkHistory')

const Query = z.object({
  limit: whole(LIMIT_MAX)
    .optional()
    .openapi({
      param: { description: `The most entries of a page. Default: ${LIMIT_DEFAULT}.` },
      type: 'integer',
      minimum: 1,
      maximum: LIMIT_MAX,
      example: LIMIT_DEFAULT,
    }),
  cursor: z
    .string()
    .optional()
    .openapi({ param: { description: '`next_cursor` of the page before.' } }),
})

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

/** The endpoints of a link's past: what was changed, and getting it back. */
export function registerLinkHistoryRoutes(
  api: Pick<Api, 'add'>,
  deps: { links: LinkService },
): void {
  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}/history`,
    scope: 'links:read',
    operationId: 'getLinkHistory',
    tag: TAG,
    summary: "Get a link's history",
    description:
      'Every change of the link: by whom, when, and what each field was before. Also of a deleted ' +
      'link, for as long as it can be restored.',
    params: LinkParams,
    query: Query,
    success: {
      status: 200,
      description: 'One page of changes, the newest first.',
      schema: ListSchema,
      headers: { Link: 'The next and the first page (RFC 8288).' },
      example: {
        data: [EXAMPLE],
        pagination: { limit: 25, has_more: false, next_cursor: null },
      },
    },
    errors: ['LINK_NOT_FOUND', 'BAD_REQUEST'],
    async handler({ caller, params, query: { limit = LIMIT_DEFAULT, cursor }, request, baseUrl }) {
      const body = await deps.links.history(caller, params.id, { limit, cursor })
      const position = { ...body.pagination, prev_cursor: null }
      return { status: 200, body, headers: { Link: pageLinks(baseUrl, request.url, position) } }
    },
  })

  endpoint(api, {
    method: 'post',
    path: `${PATH}/{id}/restore`,
    scope: 'links:write',
    operationId: 'restoreLink',
    tag: TAG,
    summary: 'Restore a link',
    description:
      'Brings back a link that was deleted within the last 7 days, with its id, slugs, tags and ' +
      'clicks; it counts towards the plan again. With `version`, the state of that version becomes ' +
      'the newest one, checked as an update is. The history tells the versions.',
    params: LinkParams,
    body: RestoreBody,
    bodyOptional: true,
    bodyExample: { version: 2 },
    success: {
      status: 200,
      description: 'The link as it is now.',
      schema: LinkSchema,
      headers: ETAG,
      example: LINK_EXAMPLE,
    },
    errors: ['LINK_NOT_FOUND', 'SLUG_TAKEN', 'PLAN_LIMIT_REACHED', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { body, caller, params, ifMatch, mutate } = call
      const prepared = await deps.links.prepareRestore(caller, params.id, body.version)
      return mutate(async (tx) =>
        answer(200, await deps.links.restore(tx, askerOf(call), params.id, prepared, ifMatch)),
      )
    },
  })
}
