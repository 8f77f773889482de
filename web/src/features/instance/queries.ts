import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'

/** A workspace as the instance's owner sees it. */
export type InstanceWorkspace = Schemas['InstanceWorkspace']

export const instanceWorkspacesQuery = (search: string) =>
  pagedQuery(['instance', 'workspaces', search], (cursor, signal) => {
    const query = { ...(search !== '' && { search }), ...cursor, limit: 50 }
    return ok(api.GET('/api/v1/instance/workspaces', { params: { query }, signal }))
  })

export function setPlan(id: string, plan: string): Promise<InstanceWorkspace> {
  return ok(
    api.PATCH('/api/v1/instance/workspaces/{id}', { params: { path: { id } }, body: { plan } }),
  )
}
