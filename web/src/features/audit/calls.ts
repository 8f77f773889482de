import { request, type Schemas } from '../../api/client.ts'
import { type ApiPage, pagedQuery } from '../../api/paged-query.ts'
import type { AuditSearch } from './search.ts'

/** One change: who, what, before and after. */
export type AuditEntry = Schemas['AuditEntry']

export const auditQuery = (workspace: string, filter: AuditSearch) =>
  pagedQuery([workspace, 'audit', filter], (cursor, signal) =>
    request<ApiPage<AuditEntry>>('GET', '/api/v1/audit', {
      query: { ...filter, ...cursor },
      signal,
    }),
  )
