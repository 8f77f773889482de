import { request } from '../../api/client.ts'
import { type ApiPage, pagedQuery } from '../../api/paged-query.ts'
import type { Actor } from '../members/person.ts'

/** One change: who, what, before and after. */
export interface AuditEntry {
  id: string
  at: string
  actor: Actor
  action: string
  target: { type: string; id: string; label: string }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** What the log is narrowed down to; all of it stands in the address. */
export interface AuditFilter {
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
  after?: string | undefined
  before?: string | undefined
}

export const auditQuery = (workspace: string, filter: AuditFilter) =>
  pagedQuery([workspace, 'audit', filter], (cursor, signal) =>
    request<ApiPage<AuditEntry>>('GET', '/api/v1/audit', {
      query: { ...filter, ...cursor },
      signal,
    }),
  )
