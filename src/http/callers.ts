import type { View } from '../lib/base/view.ts'
import type { Restrictions } from '../model/keys/restrictions.ts'
import type { Scope } from '../model/keys/scopes.ts'
import type { Plan, PlanLimits } from '../model/plans/types.ts'

/** A workspace, as far as requests need it. */
export interface CallerWorkspace {
  no: number
  id: string
  /** A supported locale, or null. */
  language: string | null
  plan: Plan
}

/** The roles of a workspace, from most to least permissions. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** A permission: keys have scopes, people those of their role. */
export type Permission =
  | Scope
  | 'members:manage'
  | 'workspace:manage'
  | 'audit:read'
  | 'instance:manage'

/** The person in the dashboard, or who made the API key. */
interface CallerPerson {
  id: string
  /** Of who made an API key: their role in its workspace now; null: not a member. */
  role?: string | null
  /** Their rate limit across all of their workspaces; null: none. */
  limits: PlanLimits | null
}

interface AnyCaller extends View {
  scopes: ReadonlySet<Permission>
  workspace: CallerWorkspace
  /** Absent: the operator made the key. */
  person?: CallerPerson
}

/** Whether a version may be changed, according to the request's `If-Match`. */
export type IfMatch = (version: number) => boolean

/** A program with an API key. */
export interface KeyCaller extends AnyCaller {
  kind: 'api_key'
  keyId: string
  /** For the audit log; its id when absent. */
  keyName?: string
  /** What it is restricted to, as it is stored. */
  restrictions?: Restrictions | undefined
}

/** A person in the dashboard, in one of their workspaces. */
interface SessionCaller extends AnyCaller {
  kind: 'session'
  sessionId: string
  userId: string
  /** The person's email address, for the audit log. */
  email: string
  role: Role
}

/** A signed-in person, in any workspace. */
export interface Person {
  sessionId: string
  userId: string
  email: string
  name: string | null
  /** A supported locale, or null. */
  language: string | null
  instanceOwner: boolean
  /** When this session was opened or last confirmed. Milliseconds since the epoch. */
  confirmedAt: number
}

/** Identifies callers of the dashboard's API, on each request. */
export interface Sessions {
  /** The person of the cookies; null: no session, or an expired one. */
  personOf(headers: Headers): Promise<Person | null>
  /** The person in one of their workspaces; null: not found, or not a member. */
  memberOf(person: Person, workspaceId: string): Promise<SessionCaller | null>
}

/** The caller of a request. */
export type Caller = KeyCaller | SessionCaller

/**
 * Identifies the caller of a Bearer credential that a client sends from an address; null: malformed,
 * unknown, revoked, expired, or not to be used from there.
 */
export type Authenticate = (credential: string, address: string) => Promise<Caller | null>
