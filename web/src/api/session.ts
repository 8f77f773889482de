import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'

/** What somebody may be in a workspace. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** A workspace of the person. */
export interface SessionWorkspace {
  id: string
  name: string
  role: Role
  plan: string
  language: string | null
  /** A second factor must be set up before it can be used. */
  needs_two_factor: boolean
  /** Whether there is a logo to ask for. */
  has_logo: boolean
  /** RFC 3339. */
  created_at: string
}

/** The person. */
export interface SessionUser {
  id: string
  email: string
  name: string
  /** Where the picture is. */
  picture: string | null
  language: string | null
  two_factor_enabled: boolean
  /** False: single sign-on or passkeys only. */
  has_password: boolean
  instance_owner: boolean
  may_create_workspaces: boolean
}

/** What is known before anything is asked. */
export interface Session {
  user: SessionUser | null
  workspaces: SessionWorkspace[]
  instance: {
    claimed: boolean
    sign_up: 'open' | 'invitation' | 'closed'
    sign_in: { password: boolean; passkey: boolean; oidc: { id: string; name: string }[] }
    mail: boolean
    /** Whether the prices of plans are charged. */
    sells_plans: boolean
    version: string
    base_url: string
    default_domain: string
    domains: string[]
    languages: string[]
  }
}

/** The session; asked once at the start, and again after whatever changes it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => request<Session>('GET', '/api/v1/session'),
  staleTime: 5 * 60_000,
})

/** What roles may do, as the server has it. */
const MAY = {
  'links:read': ['owner', 'admin', 'member', 'viewer'],
  'links:write': ['owner', 'admin', 'member'],
  'domains:write': ['owner', 'admin'],
  'keys:manage': ['owner', 'admin'],
  'members:manage': ['owner', 'admin'],
  'audit:read': ['owner', 'admin'],
  'workspace:manage': ['owner'],
} as const satisfies Record<string, readonly Role[]>

/** Something that a role allows or not. */
export type Permission = keyof typeof MAY

/** Whether a role may do something. The server decides; this hides what it would refuse. */
export function may(role: Role, permission: Permission): boolean {
  return (MAY[permission] as readonly Role[]).includes(role)
}
