import { queryOptions } from '@tanstack/react-query'
import { request, type Schemas } from '../../api/client.ts'

/** The scopes of a key. */
export const SCOPES = ['links:read', 'links:write', 'domains:read', 'domains:write'] as const
export type KeyScope = (typeof SCOPES)[number]

/** A key, without its secret. */
export type ApiKey = Omit<Schemas['ApiKey'], 'scopes'> & { scopes: KeyScope[] }

/** The response of creating and rotating; `key` is never shown again. */
export interface MadeKey extends ApiKey {
  key: string
}

/** All keys of the workspace: plans limit their number. */
export const keysQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'keys'],
    queryFn: async ({ signal }) =>
      (await request<{ data: ApiKey[] }>('GET', '/api/v1/keys', { signal })).data,
  })

export function createKey(body: Schemas['ApiKeyCreate']): Promise<MadeKey> {
  return request('POST', '/api/v1/keys', { body })
}

export function revokeKey(id: string): Promise<void> {
  return request('DELETE', `/api/v1/keys/${id}`)
}

export function rotateKey(id: string, overlapHours: number): Promise<MadeKey> {
  return request('POST', `/api/v1/keys/${id}/rotate`, { body: { overlap_hours: overlapHours } })
}
