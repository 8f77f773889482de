import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, endpoint, personOf } from '../../http/index.ts'
import { pageAnswer, pageOf, pageParameters } from '../../http/page.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { checked } from '../../lib/validation/checked.ts'
import { operatorActor } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import {
  InstanceWorkspaceListSchema,
  InstanceWorkspaceSchema,
  PlanChangeSchema,
} from './schemas.ts'
import type { Workspace, WorkspaceService } from './service.ts'

const PATH = '/api/v1/instance/workspaces'
const TAG = 'Instance'
const SEARCH_MAX = 200

const Query = z.object({
  search: checked(z.string(), (text) => text.slice(0, SEARCH_MAX)).optional(),
  ...pageParameters,
})

/** The dashboard's endpoints for the instance owner, across all workspaces. */
export function registerInstanceRoutes(
  api: Pick<Api, 'add'>,
  deps: {
    workspaces: Pick<WorkspaceService, 'search' | 'setPlan'>
    plans: Pick<Plans, 'all' | 'find'>
    cursors: Cursors
  },
): void {
  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: null,
    person: 'instance owner',
    operationId: 'listInstanceWorkspaces',
    tag: TAG,
    summary: 'List the workspaces of the instance',
    query: Query,
    success: {
      status: 200,
      description: 'The newest first; `search` takes a part of the name, or an id.',
      schema: InstanceWorkspaceListSchema,
    },
    errors: ['FORBIDDEN', 'BAD_REQUEST'],
    async handler(call) {
      const { search = '', limit, cursor } = call.query
      const binding = JSON.stringify(['instance workspaces', search])
      const below =
        cursor === undefined ? null : (deps.cursors.decode(cursor, binding)[0] as number)
      const found = await deps.workspaces.search(search, { below, limit: limit + 1 })
      const page = pageOf(found, limit, ({ no }) => deps.cursors.encode([no], binding))
      return pageAnswer(call, { ...page, data: page.data.map(toInstanceWorkspace) })
    },
  })

  endpoint(api, {
    method: 'patch',
    path: `${PATH}/{id}`,
    scope: null,
    person: 'instance owner',
    operationId: 'setPlan',
    tag: TAG,
    summary: 'Change the plan of a workspace',
    params: z.object({ id: z.string() }),
    body: PlanChangeSchema,
    success: { status: 200, description: 'The workspace.', schema: InstanceWorkspaceSchema },
    errors: ['FORBIDDEN', 'WORKSPACE_NOT_FOUND'],
    async handler(call) {
      const person = personOf(call)
      const { plan } = call.body
      if (deps.plans.find(plan) === undefined) {
        const allowed = deps.plans.all.map(({ id }) => id)
        throw invalid({ field: 'plan', code: 'INVALID_VALUE', params: { allowed } })
      }
      // Ids only: a name could match another workspace.
      if (!call.params.id.startsWith('wsp_')) throw new AppError('WORKSPACE_NOT_FOUND')
      const actor = operatorActor(person, call.requestId)
      return call.mutate(async (tx) => ({
        status: 200,
        body: toInstanceWorkspace(await deps.workspaces.setPlan(tx, call.params.id, plan, actor)),
      }))
    },
  })
}

function toInstanceWorkspace({ usage, ...workspace }: Workspace) {
  const { no: _, slug_length: __, slug_style: ___, slug_prefix: ____, ...shared } = workspace
  return { ...shared, ...usage }
}
