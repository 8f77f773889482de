import { type RawBuilder, sql } from 'kysely'
import type { Covering, LinkBlock } from '../blocks/list.ts'
import { bySql, type Sql } from '../storage/index.ts'
import type { LinkRow } from './store.ts'

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

/** The block of a link's own addresses. */
export function blockOf({ block }: { block: string | null }): LinkBlock | null {
  return block === null ? null : (JSON.parse(block) as LinkBlock)
}

/** The status of a link at a time. `statusSql` says the same to the database. */
export function statusOf(link: LinkRow, isBlocked: boolean, nowMs: number): Status {
  if (isBlocked) return 'blocked'
  if (link.enabled === 0) return 'disabled'
  if (link.expires_at !== null && link.expires_at <= nowMs) return 'expired'
  if (link.max_clicks !== null && link.uses >= link.max_clicks) return 'exhausted'
  if (link.starts_at !== null && link.starts_at > nowMs) return 'scheduled'
  return 'active'
}

/** Whether the row `l` of `links` has a status. Names `uses`, which no index has, only if it must. */
export function statusSql(
  status: Status,
  covering: Covering | null,
  nowMs: number,
): RawBuilder<boolean> {
  const conditions: Record<Status, RawBuilder<unknown>[]> = {
    blocked: [blockedSql(covering)],
    disabled: [sql`l.enabled = 0`],
    expired: [sql`(l.expires_at IS NOT NULL AND l.expires_at <= ${nowMs})`],
    exhausted: [sql`(l.max_clicks IS NOT NULL AND l.uses >= l.max_clicks)`],
    scheduled: [sql`(l.starts_at IS NOT NULL AND l.starts_at > ${nowMs})`],
    active: [],
  }
  const before = STATUSES.slice(0, STATUSES.indexOf(status)).flatMap((other) => conditions[other])
  const all = [...conditions[status], ...before.map((condition) => sql`NOT ${condition}`)]
  return sql<boolean>`(${sql.join(all, sql` AND `)})`
}

/** The host and port of a destination; the URL standard writes a slash after them. */
const HOST = bySql({
  sqlite: sql`substr(l.target_url, instr(l.target_url, '//') + 2,
    instr(substr(l.target_url, instr(l.target_url, '//') + 2), '/') - 1)`,
  postgres: sql`split_part(l.target_url, '/', 3)`,
})

/** Whether the row `l` is blocked. `BlockList.covering` says the same of a row that was read. */
function blockedSql(covering: Covering | null): RawBuilder<unknown> {
  const tests: RawBuilder<unknown>[] = [sql`l.block IS NOT NULL`]
  if (covering?.all) tests.push(sql`TRUE`)
  for (const no of covering?.domainNos ?? []) tests.push(sql`l.domain_no = ${no}`)
  for (const host of covering?.hosts ?? []) {
    const escaped = host.replaceAll('_', '\\_')
    for (const port of ['', ':%']) {
      tests.push(sql`${HOST} LIKE ${escaped + port} ESCAPE '\\'`)
      tests.push(sql`${HOST} LIKE ${`%.${escaped}${port}`} ESCAPE '\\'`)
    }
  }
  return sql`(${sql.join(tests, sql` OR `)})`
}

/**
 * True of every link that may have another status than active. Says word for word what the partial
 * index `links_special` covers, without which the database would read every link.
 */
export const HAS_CONDITIONS = sql<boolean>`(l.enabled = 0 OR l.block IS NOT NULL
  OR l.starts_at IS NOT NULL OR l.expires_at IS NOT NULL OR l.max_clicks IS NOT NULL)`

/**
 * Differs from an earlier mark if the status of a link of the workspace has changed without a change
 * of the link: by a visit that used up `max_clicks`, or by the time.
 */
export async function statusMark(sqlx: Sql, workspaceNo: number, nowMs: number): Promise<string> {
  const links = sql`FROM links l WHERE l.workspace_no = ${workspaceNo} AND ${HAS_CONDITIONS}`
  const past = (time: RawBuilder<unknown>) => sql`CASE WHEN ${time} <= ${nowMs} THEN 1 ELSE 0 END`
  const { rows } = await sql<{ uses: number | null; past: number | null }>`SELECT
    (SELECT sum(l.uses) ${links} AND l.max_clicks IS NOT NULL) AS uses,
    (SELECT sum(${past(sql`l.starts_at`)} + ${past(sql`l.expires_at`)}) ${links}) AS past
  `.execute(sqlx.db)
  return `${rows[0]?.uses ?? 0} ${rows[0]?.past ?? 0}`
}
