import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../http/index.ts'
import { pageOf } from '../http/page.ts'
import { answerMade, answerOne, describeOne } from '../http/respond.ts'
import {
  VIEW_EXAMPLE,
  VIEWS_MAX,
  ViewCreateSchema,
  ViewListSchema,
  ViewPatchSchema,
  ViewSchema,
} from './schemas.ts'
import { type ViewService, viewAskerOf } from './service.ts'

const PATH = '/api/v1/views'
const TAG = 'Views'
const Params = z.object({ id: z.string() })

const one = describeOne('view', ViewSchema, VIEW_EXAMPLE)

/** The dashboard's endpoints for saved views of the list of links. */
export function registerViewRoutes(api: Pick<Api, 'add'>, deps: { views: ViewService }): void {
  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: 'links:read',
    operationId: 'listViews',
    tag: TAG,
    summary: 'List saved views',
    description: `One’s own and shared ones by name: all of them, ${2 * VIEWS_MAX} at most.`,
    success: { status: 200, description: 'The views.', schema: ViewListSchema },
    handler: async (call) => ({
      status: 200,
      body: pageOf(await deps.views.list(viewAskerOf(call)), 2 * VIEWS_MAX, String),
    }),
  })

  endpoint(api, {
    method: 'post',
    path: PATH,
    // Everyone may have their own; the service checks who may share.
    scope: 'links:read',
    operationId: 'createView',
    tag: TAG,
    summary: 'Save a view',
    body: ViewCreateSchema,
    bodyExample: { name: VIEW_EXAMPLE.name, filter: { tag: ['spring'] }, sort: 'clicks' },
    success: one(201, 'The view.'),
    errors: ['FORBIDDEN'],
    handler: (call) =>
      call.mutate(async (tx) =>
        answerMade(PATH, await deps.views.create(tx, viewAskerOf(call), call.body)),
      ),
  })

  endpoint(api, {
    method: 'patch',
    path: `${PATH}/{id}`,
    scope: 'links:read',
    operationId: 'updateView',
    tag: TAG,
    summary: 'Change a saved view',
    description: 'What is given replaces what was there; a filter as a whole.',
    params: Params,
    body: ViewPatchSchema,
    bodyExample: { name: 'Spring' },
    success: one(200, 'The view as it is now.'),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'FORBIDDEN'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { params, body, ifMatch } = call
        return answerOne(await deps.views.update(tx, viewAskerOf(call), params.id, body, ifMatch))
      }),
  })

  endpoint(api, {
    method: 'delete',
    path: `${PATH}/{id}`,
    scope: 'links:read',
    operationId: 'deleteView',
    tag: TAG,
    summary: 'Delete a saved view',
    params: Params,
    success: { status: 204, description: 'The view is gone.' },
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'FORBIDDEN'],
    handler: (call) =>
      call.mutate((tx) => deps.views.remove(tx, viewAskerOf(call), call.params.id, call.ifMatch)),
  })
}
