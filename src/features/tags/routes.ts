import { z } from '@hono/zod-openapi'
import { type Api, endpoint, repeatable } from '../../http/index.ts'
import { PAGE_LIMIT, pageAnswer, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import { boundedText, checked, someText } from '../../lib/validation/checked.ts'
import { BOUNDS, checkTag } from '../../model/links/values.ts'
import { writerOf } from '../audit/index.ts'
import {
  TAG_EXAMPLE,
  TAG_SORTS,
  TAGS_MAX,
  TagCreateSchema,
  TagListSchema,
  TagMergeSchema,
  TagPatchSchema,
  TagSchema,
} from './schemas.ts'
import type { TagService } from './service.ts'

const PATH = '/api/v1/tags'
const READ = { scope: 'links:read', tag: 'Tags' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'Tags' } as const

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({
    id: z.string().openapi({ description: 'The id of the tag.', example: TAG_EXAMPLE.id }),
  }),
}

const Query = z.object({
  search: boundedText({ max: BOUNDS.search })
    .optional()
    .openapi({ param: { description: 'A part of the name, any case.' }, example: 'news' }),
  name: repeatable(checked(someText, checkTag), PAGE_LIMIT.max).openapi({
    param: { description: 'Tags with this name, any case; may be given several times.' },
    example: ['newsletter'],
  }),
  sort: z
    .enum(TAG_SORTS)
    .default('name')
    .openapi({
      param: { description: '`name`, or `links`: those that most links have come first.' },
    }),
  ...pageParameters,
})

const oneTag = describeOne('tag', TagSchema, TAG_EXAMPLE)

/** The endpoints of tags. */
export function registerTagRoutes(api: Pick<Api, 'add'>, deps: { tags: TagService }): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listTags',
    summary: 'List tags',
    description:
      'The tags of the workspace, by name unless `sort` says otherwise. A tag is created when a ' +
      'link first has it.',
    query: Query,
    success: pageSuccess('One page of tags.', TagListSchema, TAG_EXAMPLE),
    errors: ['BAD_REQUEST'],
    handler: async (call) => pageAnswer(call, await deps.tags.list(call.caller, call.query)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: PATH,
    wholeWorkspace: true,
    operationId: 'createTag',
    summary: 'Create a tag',
    description: `Optional: a link creates the tags that it names. A workspace has at most ${TAGS_MAX}.`,
    body: TagCreateSchema,
    bodyExample: { name: TAG_EXAMPLE.name, color: TAG_EXAMPLE.color },
    success: oneTag(201, 'The tag.'),
    errors: ['TAG_TAKEN', 'PLAN_LIMIT_REACHED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        return answerCreated(PATH, await deps.tags.create(tx, writerOf(call), call.body))
      }),
  })

  endpoint(api, {
    ...READ,
    ...BY_ID,
    method: 'get',
    operationId: 'getTag',
    summary: 'Get a tag',
    success: oneTag(200, 'The tag.'),
    errors: ['TAG_NOT_FOUND'],
    handler: async ({ caller, params }) => answerOk(await deps.tags.get(caller, params.id)),
  })

  registerTagChanges(api, deps)
}

/** The endpoints that change a tag and all links that have it. */
function registerTagChanges(api: Pick<Api, 'add'>, deps: { tags: TagService }): void {
  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'patch',
    wholeWorkspace: true,
    operationId: 'updateTag',
    summary: 'Update a tag',
    description:
      'Every link that has the tag shows the new name immediately; their versions stay ' +
      'unchanged. The audit log gets one entry.',
    body: TagPatchSchema,
    bodyExample: { name: 'mailing' },
    success: oneTag(200, 'The tag as it is now.'),
    errors: ['TAG_NOT_FOUND', 'TAG_TAKEN', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { caller, params, body, ifMatch, mutate } = call
      const links = await deps.tags.linksOf(caller, params.id)
      const patch = { ...body, links }
      return mutate(async (tx) =>
        answerOk(await deps.tags.update(tx, writerOf(call), params.id, patch, ifMatch)),
      )
    },
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/merge`,
    wholeWorkspace: true,
    operationId: 'mergeTag',
    summary: 'Merge a tag into another',
    description: 'Its links get the other tag instead. The tag itself is deleted.',
    params: BY_ID.params,
    body: TagMergeSchema,
    bodyExample: { into: TAG_EXAMPLE.id },
    success: oneTag(200, 'The other tag.'),
    errors: ['TAG_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { caller, params, body, ifMatch, mutate } = call
      const links = await deps.tags.linksOf(caller, params.id, body.into)
      const merge = { ...body, links }
      return mutate(async (tx) =>
        answerOk(await deps.tags.merge(tx, writerOf(call), params.id, merge, ifMatch)),
      )
    },
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'delete',
    wholeWorkspace: true,
    operationId: 'deleteTag',
    summary: 'Delete a tag',
    description: 'It is removed from its links, which stay.',
    success: { status: 204, description: 'The tag is deleted.' },
    errors: ['TAG_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate((tx) => deps.tags.remove(tx, writerOf(call), call.params.id, call.ifMatch)),
  })
}
