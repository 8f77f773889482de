import { request, type Schemas } from '../../api/client.ts'
import { type ApiPage, pagedQuery } from '../../api/paged-query.ts'

/** One change: who, what, before and after. */
export type AuditEntry = Schemas['AuditEntry']

/** The filter of the log, all of it in the URL. */
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
