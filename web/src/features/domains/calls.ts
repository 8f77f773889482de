import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { everyItem } from '../../api/every-item.ts'

export type Domain = Schemas['Domain']
export type DomainPatch = Schemas['DomainPatch']

/** All domains of the workspace: plans limit their number. */
export function domainsQuery(workspace: string) {
  return queryOptions({
    queryKey: [workspace, 'domains'],
    queryFn: ({ signal }) =>
      everyItem((query) => ok(api.GET('/api/v1/domains', { params: { query }, signal }))),
  })
}

const at = (id: string) => ({ params: { path: { id } } })

export function addDomain(host: string): Promise<Domain> {
  return ok(api.POST('/api/v1/domains', { body: { host } }))
}

export function verifyDomain(id: string): Promise<Domain> {
  return ok(api.POST('/api/v1/domains/{id}/verify', at(id)))
}

export function updateDomain(id: string, body: DomainPatch): Promise<Domain> {
  return ok(api.PATCH('/api/v1/domains/{id}', { ...at(id), body }))
}

export async function deleteDomain(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/domains/{id}', at(id)))
}
