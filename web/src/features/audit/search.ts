import { defined, textOf } from '../../app/search-params.ts'
import type { AuditFilter } from './calls.ts'

/** The filters of the audit log in the URL. */
export type AuditSearch = { [K in keyof AuditFilter]?: string }

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return defined({
    action: textOf(search.action),
    actor: textOf(search.actor),
    target: textOf(search.target),
    after: textOf(search.after),
    before: textOf(search.before),
  })
}
