import { z } from '@hono/zod-openapi'
import type { AuditAction } from './actions.ts'

/** Who made a change, as the API shows it. */
export const ActorSchema = z
  .object({
    type: z.enum(['user', 'api_key', 'command', 'system']).openapi({
      description:
        'A person in the dashboard, a program with an API key, the command line, or Slugline itself.',
    }),
    id: z.string().nullable().openapi({ description: "The user's or key's id." }),
    name: z.string().openapi({
      description:
        'Name of the key at that time, or name of the person; the email address where people ask ' +
        'who may read the audit log.',
    }),
  })
  .openapi('Actor')

/** Who makes a change. The name stays readable after the user or key is deleted. */
export interface Actor extends z.infer<typeof ActorSchema> {
  /** The id of the request; null for the command line. */
  requestId: string | null
  /** Of a job: the number of its entry in the log, under which its changes are listed. */
  group?: number | undefined
}

/** The operator at the command line. The name is the same in every language. */
export const COMMAND_LINE: Actor = {
  type: 'command',
  id: null,
  name: 'command line',
  requestId: null,
}

/** Slugline itself, for automatic changes. */
export const SYSTEM: Actor = { type: 'system', id: null, name: 'Slugline', requestId: null }

/** Used in place of a workspace's number for entries about an account or the instance. */
export const INSTANCE = 0

/** Fields with their values, as the API returns them. Never a secret. */
export type Fields = Readonly<Record<string, unknown>>

/** The kind of target of an action: the first part of its name. */
type Subject = AuditAction extends `${infer S}.${string}` ? S : never

/** A change, to be recorded in its own transaction. */
export interface Change {
  workspaceNo: number
  /** Milliseconds since the epoch. */
  at: number
  action: AuditAction
  target: { type: Subject; id: string; label: string }
  /** Only fields that changed; absent: none. */
  before?: Fields | undefined
  after?: Fields | undefined
  /** Of a link, after the change. */
  version?: number
  /**
   * The object after the change, or before its deletion, as the API returns it: makes the entry an
   * event of the workspace's feed. Without names of people, which can be erased, and without figures
   * that other objects or clicks change.
   */
  object?: Fields | undefined
}
