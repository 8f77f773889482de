import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { everyItem } from '../../api/every-item.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

/** A key, without its secret. */
export type ApiKey = Schemas['ApiKey']

/** What a key is restricted to; null: nothing. */
export type Restrictions = ApiKey['restrictions']

/** Restrictions to set; null ends one. */
export type RestrictionsPatch = NonNullable<Schemas['ApiKeyPatch']['restrictions']>

/** The response of creating and rotating; `key` is never shown again. */
export type MadeKey = Schemas['CreatedApiKey']

/** All keys of the workspace: plans limit their number. */
export const keysQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'keys'),
    queryFn: ({ signal }): Promise<ApiKey[]> =>
      everyItem((page) => {
        const query = { ...page, include_revoked: 'true' } as const
        return ok(api.GET('/api/v1/keys', { params: { query }, signal }))
      }),
  })

export function createKey(body: Schemas['ApiKeyCreate']): Promise<MadeKey> {
  return ok(api.POST('/api/v1/keys', { body }))
}

export async function updateKey(id: string, body: Schemas['ApiKeyPatch']): Promise<void> {
  await ok(api.PATCH('/api/v1/keys/{id}', { params: { path: { id } }, body }))
}

export async function revokeKey(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/keys/{id}', { params: { path: { id } } }))
}

export function rotateKey(id: string, overlapHours: number): Promise<MadeKey> {
  const body = { overlap_seconds: overlapHours * 3600 }
  return ok(api.POST('/api/v1/keys/{id}/rotate', { params: { path: { id } }, body }))
}
