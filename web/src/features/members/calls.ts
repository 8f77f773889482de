import { queryOptions } from '@tanstack/react-query'
import { request, type Schemas } from '../../api/client.ts'
import type { Role } from '../../api/session.ts'

export type Member = Schemas['Member']

/** An open invitation; `url` if it isn't sent by email. */
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

/** What happens to the API keys of a person who loses the permission for keys. */
const keysOf = (keep: boolean) => (keep ? 'keep' : 'revoke')

export function changeRole(userId: string, role: Role, keepKeys: boolean): Promise<Member> {
  return request('PATCH', `/api/v1/members/${userId}`, { body: { role, keys: keysOf(keepKeys) } })
}

/** Removes someone, or the person themselves, from the workspace. */
export function removeMember(userId: string, keepKeys: boolean): Promise<void> {
  return request('DELETE', `/api/v1/members/${userId}`, { query: { keys: keysOf(keepKeys) } })
}

export function invite(email: string, role: Role): Promise<OpenInvitation> {
  return request('POST', '/api/v1/invitations', { body: { email, role } })
}

export function withdraw(id: string): Promise<void> {
  return request('DELETE', `/api/v1/invitations/${id}`)
}
