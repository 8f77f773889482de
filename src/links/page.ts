import { sql } from 'kysely'
import type { Sql } from '../storage/index.ts'
import {
  type Fragment,
  type LinkFilter,
  linksIn,
  matching,
  rowTests,
  smallestSet,
} from './filter.ts'
import { LINK_WITH_COUNTERS } from './store.ts'
import type { Counters, LinkRow } from './types.ts'
import { beyond, directionOf, type Sort, type Walk, walkSql } from './walk.ts'

/** A link of a page, with the key by which it was sorted. */
export type PageRow = LinkRow & Counters & { k: number | string }

/** Which links to fetch. */
export interface PageQuery extends Walk {
  filter: LinkFilter
  offset: number
  limit: number
  /** All that match, where they are few. */
  seqs?: readonly number[] | undefined
  /** How many links are few. */
  few: number
  nowMs: number
}

/** So many times as many links as are few are tested, before all that match are sorted instead. */
const STEPS = 4

/**
 * The links of one page, in order. Few that match are sorted. Many are found by walking the sort's
 * index and testing each link, unless those that match are far away.
 */
export async function fetchPage(sqlx: Sql, query: PageQuery): Promise<PageRow[]> {
  const { filter, range, offset, limit, seqs, few } = query
  if (seqs !== undefined) {
    return seqs.length === 0 ? [] : hydrate(sqlx, query, sorted(query, linksIn(seqs)))
  }
  const steps = offset + STEPS * few
  const found = await hydrate(sqlx, query, walked(query, steps))
  if (found.length === limit || !(await hasMore(sqlx, query, steps))) return found
  const candidates = await smallestSet(sqlx, filter, range, few)
  return hydrate(sqlx, query, sorted(query, candidates))
}

const KEYS: Readonly<Record<Sort, Fragment>> = {
  created_at: sql`l.seq`,
  updated_at: sql`l.updated_at`,
  slug: sql`l.slug_key`,
  clicks: sql`coalesce((SELECT c.total FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
  last_clicked_at: sql`coalesce(
    (SELECT c.last_clicked_at FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
}

/** All that match, sorted. */
function sorted(query: PageQuery, candidates: Fragment | null): Fragment {
  const { filter, range, sort, after, nowMs } = query
  const where =
    after === null ? sql`` : sql` WHERE (k, seq) ${beyond(query)} (${after.key}, ${after.seq})`
  const direction = directionOf(query)
  return sql`SELECT k, seq FROM (
      SELECT ${KEYS[sort]} AS k, l.seq AS seq ${matching(filter, range, nowMs, candidates)}
    ) m${where} ORDER BY k ${direction}, seq ${direction}`
}

/**
 * What matches of the next links of a sort. Each test is a question of its own: PostgreSQL would
 * make joins of them, and read all that match before it gives the first.
 */
function walked(query: PageQuery, steps: number): Fragment {
  const { filter, range, nowMs } = query
  const tests = filter.tags.map(
    (tag): Fragment => sql`(SELECT 1 FROM link_tags t WHERE t.workspace_no = ${filter.workspaceNo}
      AND t.tag_key = ${tag} AND t.link_seq = w.seq) IS NOT NULL`,
  )
  if (!range.whole) tests.unshift(sql`w.seq BETWEEN ${range.low} AND ${range.high}`)
  // Nothing where the link is gone and its counters are still there.
  tests.push(sql`(SELECT ${rowTests(filter, nowMs)} FROM links l WHERE l.seq = w.seq)`)
  // Without an order of its own: with one, PostgreSQL would plan to read the whole walk.
  return sql`SELECT k, seq FROM (${walkSql(query, steps)}) w WHERE ${sql.join(tests, sql` AND `)}`
}

async function hasMore(sqlx: Sql, query: PageQuery, steps: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM (${walkSql(query, steps + 1)}) w LIMIT 1 OFFSET ${steps}`.execute(sqlx.db)
  return rows.length > 0
}

/** The rows of the first keys, in one statement with them: they are of one moment. */
async function hydrate(sqlx: Sql, query: PageQuery, keys: Fragment): Promise<PageRow[]> {
  const { limit, offset } = query
  const direction = directionOf(query)
  const { rows } = await sql<PageRow>`
    WITH page AS (${keys} LIMIT ${limit} OFFSET ${offset})
    SELECT page.k AS k, ${LINK_WITH_COUNTERS}
    FROM page JOIN links l ON l.seq = page.seq LEFT JOIN link_counters c ON c.link_seq = l.seq
    ORDER BY page.k ${direction}, page.seq ${direction}`.execute(sqlx.db)
  return rows
}
