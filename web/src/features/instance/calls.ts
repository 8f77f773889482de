import { infiniteQueryOptions } from '@tanstack/react-query'
import { request } from '../../api/client.ts'

/** A workspace as the instance's owner sees it. */
export interface InstanceWorkspace {
  id: string
  name: string
  plan: string
  created_at: string
  members?: number
  links?: number
}

interface Page {
  data: InstanceWorkspace[]
  pagination: { limit: number; has_more: boolean; next_cursor: string | null }
}

export const instanceWorkspacesQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['instance', 'workspaces', search],
    queryFn: ({ pageParam, signal }) =>
      request<Page>('GET', '/api/v1/instance/workspaces', {
        query: { search: search || undefined, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })

export function setPlan(id: string, plan: string): Promise<InstanceWorkspace> {
  return request('PATCH', `/api/v1/instance/workspaces/${id}`, { body: { plan } })
}
