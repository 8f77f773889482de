import type { AuditAction } from './actions.ts'

/** Who makes a change, as the audit log remembers it. */
export interface Actor {
  type: 'user' | 'api_key' | 'command'
  /** A user's or key's id; null for the command line. */
  id: string | null
  /** E-mail address or key name: it stays readable when the user or key is gone. */
  label: string
  /** Of the request that asked for it; null for the command line. */
  requestId: string | null
}

/** The operator at the command line. The label is the same in every language. */
export const COMMAND_LINE: Actor = {
  type: 'command',
  id: null,
  label: 'command line',
  requestId: null,
}

/** Stands in the place of a workspace's number for what concerns an account or the instance. */
export const INSTANCE = 0

/** Fields with their values, as the API gives them out. Never a secret. */
export type Fields = Readonly<Record<string, unknown>>

/** One change, to be recorded in the transaction that makes it. */
export interface Change {
  workspaceNo: number
  /** Milliseconds since the epoch. */
  at: number
  action: AuditAction
  target: {
    type:
      | 'link'
      | 'api_key'
      | 'member'
      | 'invitation'
      | 'workspace'
      | 'account'
      | 'block'
      | 'clicks'
    id: string
    label: string
  }
  /** Only fields that changed. */
  before: Fields
  after: Fields
  /** Of a link, after the change. */
  version?: number
}
