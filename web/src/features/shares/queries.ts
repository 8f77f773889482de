import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

export type Share = Schemas['Share']
export type ShareSubject = Share['subject']
export type Show = Share['show'][number]

export { SHOW_DEFAULT, SHOW_NAMES } from '@src/statistics/shares/show.ts'

const PAGE_SIZE = 50

/** The key of all queries of a workspace's shares. */
export const sharesKey = (workspace: string) => workspaceKey(workspace, 'shares')

/** The shares of a workspace, the newest first, a page at a time. */
export function sharesQuery(workspace: string) {
  return pagedQuery(sharesKey(workspace), (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...cursor }
    return ok(api.GET('/api/v1/shares', { params: { query }, signal }))
  })
}

/** @throws ApiError */
export function createShare(body: Schemas['ShareCreate']): Promise<Share> {
  return ok(api.POST('/api/v1/shares', { body }))
}

/** @throws ApiError */
export function updateShare(id: string, body: Schemas['SharePatch']): Promise<Share> {
  return ok(api.PATCH('/api/v1/shares/{id}', { params: { path: { id } }, body }))
}

/** @throws ApiError */
export async function deleteShare(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/shares/{id}', { params: { path: { id } } }))
}
