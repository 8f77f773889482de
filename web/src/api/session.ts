import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas, sessionEnded } from './client.ts'

/** The session, loaded before anything else. */
export type Session = Schemas['Session']
/** The person. */
export type SessionUser = NonNullable<Session['user']>
/** A workspace of the person. */
export type SessionWorkspace = Session['workspaces'][number]
/** The roles of members of a workspace. */
export type Role = SessionWorkspace['role']

/** The session; loaded at the start, and again after changes. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  async queryFn({ client, queryKey }): Promise<Session> {
    const read = () => ok(api.GET('/api/v1/session'))
    const session = await read()
    const hasEnded = session.user === null && client.getQueryData<Session>(queryKey)?.user
    return hasEnded && (await sessionEnded()) ? read() : session
  },
  staleTime: 5 * 60_000,
})

/** The permissions of roles, as on the server. */
const MAY = {
  'links:read': ['owner', 'admin', 'member', 'viewer'],
  'links:write': ['owner', 'admin', 'member'],
  'domains:write': ['owner', 'admin'],
  'keys:write': ['owner', 'admin'],
  'members:manage': ['owner', 'admin'],
  'webhooks:read': ['owner', 'admin'],
  'audit:read': ['owner', 'admin'],
  'workspace:manage': ['owner'],
} as const satisfies Record<string, readonly Role[]>

/** Something that a role allows or not. */
export type Permission = keyof typeof MAY

/** Whether a role has a permission. The server enforces it; this hides what it would refuse. */
export function may(role: Role, permission: Permission): boolean {
  return (MAY[permission] as readonly Role[]).includes(role)
}
