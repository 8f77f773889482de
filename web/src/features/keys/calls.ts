import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'

/** A key, without its secret. */
export type ApiKey = Schemas['ApiKey']

/** The response of creating and rotating; `key` is never shown again. */
export type MadeKey = Schemas['NewApiKey']

/** All keys of the workspace: plans limit their number. */
export const keysQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'keys'],
    queryFn: async ({ signal }) => (await ok(api.GET('/api/v1/keys', { signal }))).data,
  })

export function createKey(body: Schemas['ApiKeyCreate']): Promise<MadeKey> {
  return ok(api.POST('/api/v1/keys', { body }))
}

export async function revokeKey(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/keys/{id}', { params: { path: { id } } }))
}

export function rotateKey(id: string, overlapHours: number): Promise<MadeKey> {
  const body = { overlap_hours: overlapHours }
  return ok(api.POST('/api/v1/keys/{id}/rotate', { params: { path: { id } }, body }))
}
