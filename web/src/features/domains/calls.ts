import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client.ts'

/** A domain of the workspace. */
export interface Domain {
  id: string
  host: string
  status: 'pending' | 'active' | 'failing'
  verification: {
    name: string
    value: string
    checked_at: string | null
    found: string[]
    error: string | null
    served_until: string | null
  }
  root_url: string | null
  not_found_url: string | null
  expired_url: string | null
  case_sensitive: boolean
  brand: { name: string | null; logo: true | string | null; colour: string | null } | null
  robots: string
  apple_app_site_association: object | null
  assetlinks: object[] | null
  links: number
  version: number
}

/** What can be changed. */
export type DomainPatch = Partial<
  Pick<
    Domain,
    | 'root_url'
    | 'not_found_url'
    | 'expired_url'
    | 'case_sensitive'
    | 'brand'
    | 'robots'
    | 'apple_app_site_association'
    | 'assetlinks'
  >
>

/** The first hundred: plans bound their number. */
export const domainsQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'domains'],
    queryFn: async ({ signal }) =>
      (await request<{ data: Domain[] }>('GET', '/api/v1/domains?limit=100', { signal })).data,
  })

export function addDomain(host: string): Promise<Domain> {
  return request('POST', '/api/v1/domains', { body: { host } })
}

export function verifyDomain(id: string): Promise<Domain> {
  return request('POST', `/api/v1/domains/${id}/verify`)
}

export function updateDomain(id: string, body: DomainPatch): Promise<Domain> {
  return request('PATCH', `/api/v1/domains/${id}`, { body })
}

export function deleteDomain(id: string): Promise<void> {
  return request('DELETE', `/api/v1/domains/${id}`)
}
