import { queryOptions } from '@tanstack/react-query'
import { request, type Schemas } from '../../api/client.ts'
import type { Role } from '../../api/session.ts'

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[]

export type Member = Schemas['Member']

/** An invitation that nobody has taken yet; `url` where it isn't sent by mail. */
export type OpenInvitation = Schemas['Invitation']

export const membersQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'members'],
    queryFn: async ({ signal }) =>
      (await request<{ data: Member[] }>('GET', '/api/v1/members', { signal })).data,
  })

export const invitationsQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'invitations'],
    queryFn: async ({ signal }) =>
      (await request<{ data: OpenInvitation[] }>('GET', '/api/v1/invitations', { signal })).data,
  })

/** What becomes of the API keys of a person who loses the right to have some. */
const keysOf = (keep: boolean) => (keep ? 'keep' : 'revoke')

export function changeRole(userId: string, role: Role, keepKeys: boolean): Promise<Member> {
  return request('PATCH', `/api/v1/members/${userId}`, { body: { role, keys: keysOf(keepKeys) } })
}

/** Takes somebody, or oneself, out of the workspace. */
export function removeMember(userId: string, keepKeys: boolean): Promise<void> {
  return request('DELETE', `/api/v1/members/${userId}`, { query: { keys: keysOf(keepKeys) } })
}

export function invite(email: string, role: Role): Promise<OpenInvitation> {
  return request('POST', '/api/v1/invitations', { body: { email, role } })
}

export function withdraw(id: string): Promise<void> {
  return request('DELETE', `/api/v1/invitations/${id}`)
}
