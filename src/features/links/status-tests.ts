import { type RawBuilder, sql } from 'kysely'
import type { Covering } from '../../model/blocks/list.ts'
import { SPECIAL_PREFIX } from '../../model/links/slug.ts'
import { bySql, type Sql } from '../../platform/storage/index.ts'
import { STATUSES, type Status } from './row.ts'

type Fragment = RawBuilder<unknown>

/**
 * Whether the row `l` of `links` has a status. Uses the unindexed column `uses` only if necessary.
 */
export function statusSql(status: Status, covering: Covering | null, nowMs: number): Fragment {
  const conditions: Record<Status, Fragment[]> = {
    blocked: [blockedSql(covering)],
    disabled: [sql`l.enabled = 0`],
    expired: [sql`(l.expires_at IS NOT NULL AND l.expires_at <= ${nowMs})`],
    exhausted: [sql`(l.max_clicks IS NOT NULL AND l.uses >= l.max_clicks)`],
    scheduled: [sql`(l.starts_at IS NOT NULL AND l.starts_at > ${nowMs})`],
    active: [],
  }
  const before = STATUSES.slice(0, STATUSES.indexOf(status)).flatMap((other) => conditions[other])
  const all = [...conditions[status], ...before.map((condition) => sql`NOT ${condition}`)]
  return sql`(${sql.join(all, sql` AND `)})`
}

/** The host and port of a destination, which the URL standard ends with a slash. */
const HOST = bySql({
  sqlite: sql`substr(l.target_url, instr(l.target_url, '//') + 2,
    instr(substr(l.target_url, instr(l.target_url, '//') + 2), '/') - 1)`,
  postgres: sql`split_part(l.target_url, '/', 3)`,
})

/** Whether the row `l` is blocked; the same as `BlockList.covering` for a row in memory. */
function blockedSql(covering: Covering | null): Fragment {
  const tests: Fragment[] = [sql`l.block IS NOT NULL`]
  if (covering?.all) tests.push(sql`TRUE`)
  for (const no of covering?.domainNos ?? []) tests.push(sql`l.domain_no = ${no}`)
  if (covering?.hasPrefixes) {
    tests.push(sql`EXISTS (SELECT 1 FROM slugs p WHERE p.block_id IS NOT NULL
      AND p.special = ${SPECIAL_PREFIX} AND p.workspace_no = l.workspace_no
      AND p.domain_no = l.domain_no
      AND substr(l.slug_key, 1, length(p.slug_key) + 1) = p.slug_key || '/')`)
  }
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
 * True for every link whose status may not be active. Exactly the condition of the partial index
 * `links_special`, without which the database would read every link.
 */
export const HAS_CONDITIONS = sql`(l.enabled = 0 OR l.block IS NOT NULL
  OR l.starts_at IS NOT NULL OR l.expires_at IS NOT NULL OR l.max_clicks IS NOT NULL)`

/**
 * Changes when the status of a link of the workspace changes without a change of the link: by a
 * visit that used up `max_clicks`, or by time.
 */
export async function statusMark(sqlx: Sql, workspaceNo: number, nowMs: number): Promise<string> {
  const links = sql`FROM links l WHERE l.workspace_no = ${workspaceNo} AND ${HAS_CONDITIONS}`
  const past = (time: Fragment) => sql`CASE WHEN ${time} <= ${nowMs} THEN 1 ELSE 0 END`
  const { rows } = await sql<{ uses: number | null; past: number | null }>`SELECT
    (SELECT sum(l.uses) ${links} AND l.max_clicks IS NOT NULL) AS uses,
    (SELECT sum(${past(sql`l.starts_at`)} + ${past(sql`l.expires_at`)}) ${links}) AS past
  `.execute(sqlx.db)
  return `${rows[0]?.uses ?? 0} ${rows[0]?.past ?? 0}`
}
