import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client.ts'

/** What a key may be allowed. */
export const SCOPES = ['links:read', 'links:write', 'domains:read', 'domains:write'] as const
export type KeyScope = (typeof SCOPES)[number]

export type KeyStatus = 'active' | 'expired' | 'revoked' | 'rotating'

/** A key, without its secret. */
export interface ApiKey {
  id: string
  name: string
  prefix: string
  scopes: KeyScope[]
  created_at: string
  created_by: { email: string } | null
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  status: KeyStatus
}

/** What creating and rotating answer; `key` is never told again. */
export interface MadeKey extends ApiKey {
  key: string
}

/** All keys of the workspace: plans bound their number. */
export const keysQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'keys'],
    queryFn: async ({ signal }) =>
      (await request<{ data: ApiKey[] }>('GET', '/api/v1/keys', { signal })).data,
  })

export interface NewKey {
  name: string
  scopes: readonly KeyScope[]
  expires_at: string | null
}

export function createKey(body: NewKey): Promise<MadeKey> {
  return request('POST', '/api/v1/keys', { body })
}

export function revokeKey(id: string): Promise<void> {
  return request('DELETE', `/api/v1/keys/${id}`)
}

export function rotateKey(id: string, overlapHours: number): Promise<MadeKey> {
  return request('POST', `/api/v1/keys/${id}/rotate`, { body: { overlap_hours: overlapHours } })
}
