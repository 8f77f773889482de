import type { Plan } from '../plans/types.ts'

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

/** Who asks. Accounts with sessions join this union when the dashboard comes. */
export type Caller = {
  kind: 'api_key'
  keyId: string
  scopes: ReadonlySet<Scope>
  workspace: CallerWorkspace
}

/** Finds the caller behind a Bearer credential; null: malformed, unknown, revoked or expired. */
export type Authenticate = (credential: string) => Promise<Caller | null>
