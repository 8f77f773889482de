import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import { boundedText } from '../../lib/validation/checked.ts'
import { writerOf } from '../audit/index.ts'
import {
  FOLDER_EXAMPLE,
  FOLDERS_MAX,
  FolderCreateSchema,
  FolderListSchema,
  FolderPatchSchema,
  FolderSchema,
} from './schemas.ts'
import type { FolderService } from './service.ts'

const PATH = '/api/v1/folders'
const READ = { scope: 'links:read', tag: 'Folders' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'Folders' } as const
const SEARCH_MAX = 255

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({
    id: z.string().openapi({ description: 'The id of the folder.', example: FOLDER_EXAMPLE.id }),
  }),
}

const Query = z.object({
  search: boundedText({ max: SEARCH_MAX })
    .optional()
    .openapi({ param: { description: 'A part of the name, any case.' }, example: 'summer' }),
  ...pageParameters,
})

const DeleteQuery = z.object({
  move_to: z
    .string()
    .optional()
    .openapi({
      param: {
        description:
          'The id of the folder that its links go into, or `none`. Needed unless it is empty.',
      },
      example: FOLDER_EXAMPLE.id,
    }),
})

const oneFolder = describeOne('folder', FolderSchema, FOLDER_EXAMPLE)

/** The endpoints of folders. */
export function registerFolderRoutes(
  api: Pick<Api, 'add'>,
  deps: { folders: FolderService },
): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listFolders',
    summary: 'List folders',
    description: 'The folders of the workspace by name.',
    query: Query,
    success: pageSuccess('One page of folders.', FolderListSchema, FOLDER_EXAMPLE),
    errors: ['BAD_REQUEST'],
    handler: async (call) => pageAnswer(call, await deps.folders.list(call.caller, call.query)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: PATH,
    wholeWorkspace: true,
    operationId: 'createFolder',
    summary: 'Create a folder',
    description:
      'A link is put into it by its `folder_id`; it is in one folder at most. A workspace has at ' +
      `most ${FOLDERS_MAX}.`,
    body: FolderCreateSchema,
    bodyExample: { name: FOLDER_EXAMPLE.name },
    success: oneFolder(201, 'The folder.'),
    errors: ['PLAN_LIMIT_REACHED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        return answerCreated(PATH, await deps.folders.create(tx, writerOf(call), call.body))
      }),
  })

  endpoint(api, {
    ...READ,
    ...BY_ID,
    method: 'get',
    operationId: 'getFolder',
    summary: 'Get a folder',
    success: oneFolder(200, 'The folder.'),
    errors: ['FOLDER_NOT_FOUND'],
    handler: async ({ caller, params }) => answerOk(await deps.folders.get(caller, params.id)),
  })

  registerFolderChanges(api, deps)
}

/** The endpoints that change a folder, and where its links are. */
function registerFolderChanges(api: Pick<Api, 'add'>, deps: { folders: FolderService }): void {
  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'patch',
    wholeWorkspace: true,
    operationId: 'updateFolder',
    summary: 'Update a folder',
    description: 'When all members of the workspace see a folder again, its `members` are cleared.',
    body: FolderPatchSchema,
    bodyExample: { access: 'members', members: FOLDER_EXAMPLE.members },
    success: oneFolder(200, 'The folder as it is now.'),
    errors: ['FOLDER_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { caller, params, body, ifMatch, mutate } = call
      const patch = { ...body, links: await deps.folders.linksOf(caller, params.id) }
      return mutate(async (tx) =>
        answerOk(await deps.folders.update(tx, writerOf(call), params.id, patch, ifMatch)),
      )
    },
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'delete',
    wholeWorkspace: true,
    operationId: 'deleteFolder',
    summary: 'Delete a folder',
    description: 'Its links stay: they go where `move_to` says.',
    query: DeleteQuery,
    success: { status: 204, description: 'The folder is deleted.' },
    errors: ['FOLDER_NOT_FOUND', 'FOLDER_NOT_EMPTY', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { params, query, ifMatch } = call
        await deps.folders.remove(tx, writerOf(call), params.id, query.move_to, ifMatch)
      }),
  })
}
