import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { everyItem } from '../../api/every-item.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

export type Domain = Schemas['Domain']
export type DomainSetup = Schemas['DomainSetup']
export type DomainPatch = Schemas['DomainPatch']

/** All domains of the workspace: plans limit their number. */
export function domainsQuery(workspace: string) {
  return queryOptions({
    queryKey: workspaceKey(workspace, 'domains'),
    queryFn: ({ signal }) =>
      everyItem((query) => ok(api.GET('/api/v1/domains', { params: { query }, signal }))),
  })
}

/** How often a domain is checked again until it is ready. */
const CHECK_MS = 10_000

/** What a domain still needs, checked while the page is open. */
export function setupQuery(workspace: string, { id, status }: Pick<Domain, 'id' | 'status'>) {
  return queryOptions({
    queryKey: workspaceKey(workspace, 'domains', id, status, 'setup'),
    queryFn: ({ signal }) => ok(api.GET('/api/v1/domains/{id}/setup', { ...at(id), signal })),
    refetchInterval: ({ state }) =>
      status === 'pending' || state.data?.ready === true ? false : CHECK_MS,
    retry: false,
  })
}

const at = (id: string) => ({ params: { path: { id } } })

export function addDomain(host: string): Promise<Domain> {
  return ok(api.POST('/api/v1/domains', { body: { host } }))
}

export function verifyDomain(id: string): Promise<Domain> {
  return ok(api.POST('/api/v1/domains/{id}/verify', at(id)))
}

/** Looks for the record of a domain that isn't verified, as long as a page shows it. */
export const VERIFY_MS = CHECK_MS

export function updateDomain(id: string, body: DomainPatch): Promise<Domain> {
  return ok(api.PATCH('/api/v1/domains/{id}', { ...at(id), body }))
}

export async function deleteDomain(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/domains/{id}', at(id)))
}
