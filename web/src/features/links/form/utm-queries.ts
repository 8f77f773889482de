import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../../api/client.ts'
import { everyItem } from '../../../api/every-item.ts'
import { workspaceKey } from '../../../api/workspace-key.ts'

export type UtmTemplate = Schemas['UtmTemplate']

/** The UTM templates of a workspace, by name. */
export const utmTemplatesQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'utm-templates'),
    queryFn: ({ signal }): Promise<UtmTemplate[]> =>
      everyItem((query) => ok(api.GET('/api/v1/utm-templates', { params: { query }, signal }))),
  })

/** @throws ApiError */
export function createUtmTemplate(body: Schemas['UtmTemplateCreate']): Promise<UtmTemplate> {
  return ok(api.POST('/api/v1/utm-templates', { body }))
}

/** @throws ApiError */
export async function deleteUtmTemplate(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/utm-templates/{id}', { params: { path: { id } } }))
}
