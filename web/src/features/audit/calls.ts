import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import type { AuditSearch } from './search.ts'

/** One change: who, what, before and after. */
export type AuditEntry = Schemas['AuditEntry']

export const auditQuery = (workspace: string, filter: AuditSearch) =>
  pagedQuery([workspace, 'audit', filter], (cursor, signal) =>
    ok(
      api.GET('/api/v1/audit', { params: { query: { ...filter, ...cursor, limit: 50 } }, signal }),
    ),
  )
