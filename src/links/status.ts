import { type RawBuilder, sql } from 'kysely'
import type { LinksTable } from '../storage/index.ts'

/** What a link's status can be, in the order of precedence: the first that applies is shown. */
export const STATUSES = [
  'blocked',
  'disabled',
  'expired',
  'exhausted',
  'scheduled',
  'active',
] as const
export type Status = (typeof STATUSES)[number]

type Conditions = Pick<LinksTable, 'enabled' | 'starts_at' | 'expires_at' | 'max_clicks'> & {
  blocked: number
  uses: number
}

/** The status of a link at a time. `statusSql` says the same to the database. */
export function statusOf(link: Conditions, nowMs: number): Status {
  if (link.blocked !== 0) return 'blocked'
  if (link.enabled === 0) return 'disabled'
  if (link.expires_at !== null && link.expires_at <= nowMs) return 'expired'
  if (link.max_clicks !== null && link.uses >= link.max_clicks) return 'exhausted'
  if (link.starts_at !== null && link.starts_at > nowMs) return 'scheduled'
  return 'active'
}

/** Whether the row `l` of `links` has a status. */
export function statusSql(status: Status, nowMs: number): RawBuilder<boolean> {
  return sql<boolean>`(CASE
    WHEN l.blocked <> 0 THEN 'blocked'
    WHEN l.enabled = 0 THEN 'disabled'
    WHEN l.expires_at <= ${nowMs} THEN 'expired'
    WHEN l.uses >= l.max_clicks THEN 'exhausted'
    WHEN l.starts_at > ${nowMs} THEN 'scheduled'
    ELSE 'active' END) = ${status}`
}

/**
 * True of every link that may have another status than active. Says word for word what the partial
 * index `links_special` covers, without which the database would read every link.
 */
export const HAS_CONDITIONS = sql<boolean>`(l.enabled = 0 OR l.blocked <> 0
  OR l.starts_at IS NOT NULL OR l.expires_at IS NOT NULL OR l.max_clicks IS NOT NULL)`

/** Whether the redirect must read the link's row, or may answer from the slug's alone. */
export function isSpecial(
  link: Pick<
    LinksTable,
    'enabled' | 'starts_at' | 'expires_at' | 'max_clicks' | 'password_hash' | 'forward_query'
  > & { blocked: number },
): 0 | 1 {
  return link.enabled === 0 ||
    link.blocked !== 0 ||
    link.forward_query !== 0 ||
    link.starts_at !== null ||
    link.expires_at !== null ||
    link.max_clicks !== null ||
    link.password_hash !== null
    ? 1
    : 0
}
