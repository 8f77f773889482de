import type { Plan, PlanLimits } from '../plans/types.ts'

/** What a key may do. */
export type Scope = 'links:read' | 'links:write'

/** A workspace as a request needs it. */
export interface CallerWorkspace {
  no: number
  id: string
  /** A locale of ours, or null. */
  language: string | null
  plan: Plan
}

/** What a person may do in a workspace, from most to least. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** What a caller may be allowed to do: keys hold scopes, people what their role permits. */
export type Permission =
  | Scope
  | 'keys:manage'
  | 'members:manage'
  | 'workspace:manage'
  | 'audit:read'
  | 'instance:manage'

/** Whose request it is: the person in the dashboard, or who made the API key. */
export interface CallerPerson {
  id: string
  /** What they may send in all of their workspaces together; null: any number. */
  limits: PlanLimits | null
}

/** A program with an API key. */
export interface KeyCaller {
  kind: 'api_key'
  keyId: string
  /** For the audit log; its id when absent. */
  keyName?: string
  scopes: ReadonlySet<Permission>
  workspace: CallerWorkspace
  /** Absent: the operator made the key. */
  person?: CallerPerson
}

/** A person in the dashboard, in one of their workspaces. */
export interface SessionCaller {
  kind: 'session'
  sessionId: string
  userId: string
  /** The person's e-mail address, for the audit log. */
  email: string
  role: Role
  scopes: ReadonlySet<Permission>
  workspace: CallerWorkspace
  person?: CallerPerson
}

/** A person who is signed in, whatever the workspace. */
export interface Person {
  sessionId: string
  userId: string
  email: string
  name: string | null
  /** A locale of ours, or null. */
  language: string | null
  instanceOwner: boolean
  /** When this session was opened, or last confirmed. Milliseconds since the epoch. */
  confirmedAt: number
}

/** How the dashboard's API finds out who asks. Asked anew on each request. */
export interface Sessions {
  /** The person behind the cookies; null: nobody, or a session that has ended. */
  personOf(headers: Headers): Promise<Person | null>
  /** The person in one of their workspaces; null: there is none of that id, or it isn't theirs. */
  memberOf(person: Person, workspaceId: string): Promise<SessionCaller | null>
}

/** Who asks. */
export type Caller = KeyCaller | SessionCaller

/** Finds the caller behind a Bearer credential; null: malformed, unknown, revoked or expired. */
export type Authenticate = (credential: string) => Promise<Caller | null>
