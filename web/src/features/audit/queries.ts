import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import { KINDS, kindNamed } from './kinds.ts'
import type { AuditSearch } from './search.ts'

/** One change: who, what, before and after. */
export type AuditEntry = Schemas['AuditEntry']

/** The log; a job has one entry for all its changes, unless something particular is looked for. */
export const auditQuery = (workspace: string, filter: AuditSearch) => {
  const { kind, action, ...others } = filter
  const known = kindNamed(kind)
  const parts = action !== undefined ? [action] : known && [...KINDS[known].parts]
  const isParticular = [action, others.target, others.search].some((each) => each !== undefined)
  const grouped = isParticular ? 'false' : 'true'
  return entriesQuery(workspace, { ...others, ...(parts && { action: parts }), grouped })
}

/** The changes of a job. */
export const changesQuery = (workspace: string, group: string) => entriesQuery(workspace, { group })

type Filter = Omit<AuditSearch, 'kind' | 'action'> & {
  action?: string[]
  grouped?: 'true' | 'false'
  group?: string
}

function entriesQuery(workspace: string, filter: Filter) {
  return pagedQuery(workspaceKey(workspace, 'audit', filter), (cursor, signal) =>
    ok(
      api.GET('/api/v1/audit', { params: { query: { ...filter, ...cursor, limit: 50 } }, signal }),
    ),
  )
}
