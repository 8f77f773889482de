import { request, type Schemas } from '../../api/client.ts'
import { type ApiPage, pagedQuery } from '../../api/paged-query.ts'

/** A workspace as the instance's owner sees it. */
export type InstanceWorkspace = Schemas['InstanceWorkspace']

export const instanceWorkspacesQuery = (search: string) =>
  pagedQuery(['instance', 'workspaces', search], (cursor, signal) =>
    request<ApiPage<InstanceWorkspace>>('GET', '/api/v1/instance/workspaces', {
      query: { search: search || undefined, ...cursor },
      signal,
    }),
  )

export function setPlan(id: string, plan: string): Promise<InstanceWorkspace> {
  return request('PATCH', `/api/v1/instance/workspaces/${id}`, { body: { plan } })
}
