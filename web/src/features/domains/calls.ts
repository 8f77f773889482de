import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'

export type Domain = Schemas['Domain']
export type DomainPatch = Schemas['DomainPatch']

/** The first hundred: plans limit their number. */
export function domainsQuery(workspace: string) {
  const query = { limit: 100 }
  return queryOptions({
    queryKey: [workspace, 'domains'],
    queryFn: async ({ signal }) =>
      (await ok(api.GET('/api/v1/domains', { params: { query }, signal }))).data,
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
