import { type Api, endpoint } from '../../http/index.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { compose } from '../../lib/validation/text.ts'
import { writerOf } from '../audit/index.ts'
import type { WorkspaceRemoval } from './removal.ts'
import { WorkspaceChangeSchema, WorkspaceDeleteSchema, WorkspaceSchema } from './schemas.ts'
import type { Workspace, WorkspaceService } from './service.ts'

const PATH = '/api/v1/workspace'
const TAG = 'Workspace'

/** The dashboard's endpoints of the caller's workspace. */
export function registerWorkspaceRoutes(
  api: Pick<Api, 'add'>,
  deps: {
    workspaces: Pick<WorkspaceService, 'find' | 'get' | 'update'>
    removal: WorkspaceRemoval
  },
): void {
  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: 'links:read',
    operationId: 'getWorkspace',
    tag: TAG,
    summary: 'Get the workspace',
    success: { status: 200, description: 'The workspace.', schema: WorkspaceSchema },
    async handler({ caller }) {
      const workspace = await deps.workspaces.find(caller.workspace.id)
      if (workspace === undefined) throw new AppError('WORKSPACE_NOT_FOUND')
      return { status: 200, body: toWorkspace(workspace) }
    },
  })

  endpoint(api, {
    method: 'patch',
    path: PATH,
    scope: 'workspace:manage',
    operationId: 'updateWorkspace',
    tag: TAG,
    summary: 'Update the workspace',
    body: WorkspaceChangeSchema,
    success: { status: 200, description: 'The workspace.', schema: WorkspaceSchema },
    handler: (call) =>
      call.mutate(async (tx) => {
        const { workspace, actor } = writerOf(call)
        const changed = await deps.workspaces.update(tx, workspace.id, call.body, actor)
        return { status: 200, body: toWorkspace(changed) }
      }),
  })

  endpoint(api, {
    method: 'delete',
    path: PATH,
    scope: 'workspace:manage',
    fresh: true,
    // Its idempotency record would outlive the workspace.
    secret: true,
    operationId: 'deleteWorkspace',
    tag: TAG,
    summary: 'Delete the workspace',
    body: WorkspaceDeleteSchema,
    success: { status: 204, description: 'It is deleted permanently.' },
    async handler(call) {
      const answer = await call.mutate(async (tx) => {
        const { workspace, actor } = writerOf(call)
        const found = await deps.workspaces.get(tx, workspace.id)
        if (compose(call.body.confirm_name).trim() !== found.name) {
          throw invalid({ field: 'confirm_name', code: 'NAME_MISMATCH' })
        }
        await deps.removal.remove(tx, found, actor)
      })
      // The rest is deleted in the background; the timer retries after a failure.
      deps.removal.purge().catch(() => {})
      return answer
    },
  })
}

function toWorkspace({ no: _, usage: __, ...workspace }: Workspace) {
  return workspace
}
