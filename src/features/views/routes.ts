import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageOfAll, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { memberPrincipalOf } from '../members/service.ts'
import {
  VIEW_EXAMPLE,
  VIEWS_MAX,
  type View,
  ViewCreateSchema,
  ViewListSchema,
  ViewPatchSchema,
  ViewSchema,
} from './schemas.ts'
import type { ViewService } from './service.ts'

const PATH = '/api/v1/views'
/** Everyone may have their own views; the service checks who may share. */
const ANYONE = { scope: 'links:read', tag: 'Views' } as const
const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({ id: z.string() }),
}

const one = describeOne('view', ViewSchema, VIEW_EXAMPLE)

/** The dashboard's endpoints for saved views of the list of links, and saved filters of the statistics. */
export function registerViewRoutes(
  api: Pick<Api, 'add'>,
  deps: { views: ViewService; cursors: Cursors },
): void {
  endpoint(api, {
    ...ANYONE,
    method: 'get',
    path: PATH,
    operationId: 'listViews',
    summary: 'List saved views',
    description: `The caller’s own views and the shared ones, by name, ${2 * VIEWS_MAX} at most.`,
    query: z.object(pageParameters),
    success: pageSuccess('One page of views.', ViewListSchema, VIEW_EXAMPLE),
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const caller = memberPrincipalOf(call)
      const views = await deps.views.list(caller)
      const binding = ['views', caller.workspace.no, caller.userId]
      const keyOf = ({ name, id }: View) => [foldCase(name), id]
      return pageAnswer(call, pageOfAll(deps.cursors, binding, views, call.query, keyOf))
    },
  })

  endpoint(api, {
    ...ANYONE,
    method: 'post',
    path: PATH,
    operationId: 'createView',
    summary: 'Save a view',
    body: ViewCreateSchema,
    bodyExample: { name: VIEW_EXAMPLE.name, filter: { tag: ['spring'] }, sort: 'clicks' },
    success: one(201, 'The view.'),
    errors: ['FORBIDDEN', 'VIEW_TAKEN'],
    handler: (call) =>
      call.mutate(async (tx) =>
        answerCreated(PATH, await deps.views.create(tx, memberPrincipalOf(call), call.body)),
      ),
  })

  endpoint(api, {
    ...ANYONE,
    ...BY_ID,
    method: 'patch',
    operationId: 'updateView',
    summary: 'Update a saved view',
    description: 'The given fields replace the stored ones; `filter` is replaced as a whole.',
    body: ViewPatchSchema,
    bodyExample: { name: 'Spring' },
    current: async (call) =>
      (await deps.views.list(memberPrincipalOf(call))).find(({ id }) => id === call.params.id),
    success: one(200, 'The view as it is now.'),
    errors: ['VIEW_NOT_FOUND', 'VIEW_TAKEN', 'PRECONDITION_FAILED', 'FORBIDDEN'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { params, body, ifMatch } = call
        return answerOk(
          await deps.views.update(tx, memberPrincipalOf(call), params.id, body, ifMatch),
        )
      }),
  })

  endpoint(api, {
    ...ANYONE,
    ...BY_ID,
    method: 'delete',
    operationId: 'deleteView',
    summary: 'Delete a saved view',
    success: { status: 204, description: 'The view is gone.' },
    errors: ['VIEW_NOT_FOUND', 'PRECONDITION_FAILED', 'FORBIDDEN'],
    handler: (call) =>
      call.mutate((tx) =>
        deps.views.remove(tx, memberPrincipalOf(call), call.params.id, call.ifMatch),
      ),
  })
}
