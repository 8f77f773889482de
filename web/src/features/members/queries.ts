import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { everyItem } from '../../api/every-item.ts'
import type { Role } from '../../api/session.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

export type Member = Schemas['Member']

/** An open invitation; `url` if it isn't sent by email. */
export type OpenInvitation = Schemas['Invitation']

export const membersQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'members'),
    queryFn: ({ signal }) =>
      everyItem((query) => ok(api.GET('/api/v1/members', { params: { query }, signal }))),
  })

export const invitationsQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'invitations'),
    queryFn: ({ signal }) =>
      everyItem((query) => ok(api.GET('/api/v1/invitations', { params: { query }, signal }))),
  })

/** What happens to the API keys of a person who loses the permission for keys. */
const keysOf = (keep: boolean) => (keep ? ('keep' as const) : ('revoke' as const))
const at = (user_id: string) => ({ path: { user_id } })

export function changeRole(userId: string, role: Role, keepKeys: boolean): Promise<Member> {
  const body = { role, keys: keysOf(keepKeys) }
  return ok(api.PATCH('/api/v1/members/{user_id}', { params: at(userId), body }))
}

/** Removes someone, or the person themselves, from the workspace. */
export async function removeMember(userId: string, keepKeys: boolean): Promise<void> {
  const query = { keys: keysOf(keepKeys) }
  await ok(api.DELETE('/api/v1/members/{user_id}', { params: { ...at(userId), query } }))
}

export function invite(email: string, role: Role): Promise<OpenInvitation> {
  return ok(api.POST('/api/v1/invitations', { body: { email, role } }))
}

export async function withdraw(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/invitations/{id}', { params: { path: { id } } }))
}
