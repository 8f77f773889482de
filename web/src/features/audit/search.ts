import { defined, textOf } from '../../app/search-params.ts'

const FILTERS = ['kind', 'action', 'actor', 'target', 'after', 'before', 'search'] as const

/** The filters of the audit log, all of them in the URL. */
export type AuditSearch = Partial<Record<(typeof FILTERS)[number], string>>

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return defined(Object.fromEntries(FILTERS.map((name) => [name, textOf(search[name])])))
}
