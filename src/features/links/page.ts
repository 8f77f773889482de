import { sql } from 'kysely'
import { slugKey } from '../../model/links/slug.ts'
import { bySql, type Sql } from '../../platform/storage/index.ts'
import { isTag } from '../tags/index.ts'
import { linksIn, matching, rowTests, smallestSet } from './filter.ts'
import type { Fragment, LinkFilter, SeqRange } from './filter-types.ts'
import type { Counters, LinkRow } from './row.ts'
import { createdBetween, withoutCounters } from './row-tests.ts'
import { titleContains } from './search.ts'
import { LINK_WITH_COUNTERS } from './store.ts'

export const SORTS = [
  'created_at',
  'updated_at',
  'clicks',
  'clicks_with_imported',
  'last_clicked_at',
  'slug',
] as const
/** Only with a term: how well a link matches it. It has no index. */
export const RELEVANCE = 'relevance'
export type Sort = (typeof SORTS)[number]

/** A position in a sorted list: of a link, or next to one. Ties of the key are broken by `seq`. */
export interface Position {
  /**
   * The sort key: a time in milliseconds, a number of clicks, a slug's key. 0 if a link was never
   * clicked.
   */
  k: number | string
  seq: number
}

/** A page to fetch. */
export interface PageQuery {
  filter: LinkFilter
  range: SeqRange
  sort: Sort | typeof RELEVANCE
  descending: boolean
  /** Exclusive; null: the beginning of the list. */
  after: Position | null
  offset: number
  limit: number
  /** All matches, if there are few. */
  seqs?: readonly number[] | undefined
  /** Up to how many links count as few. */
  few: number
  nowMs: number
}

/** After testing this many times the number of few links, all matches are sorted instead. */
const STEPS = 4

/**
 * The links of a page, in order. Few matches are sorted. Many are found by reading the sort's index
 * and testing each link, unless the matches are far away.
 */
export async function fetchPage(
  sqlx: Sql,
  query: PageQuery,
): Promise<(LinkRow & Counters & Position)[]> {
  const { filter, range, offset, limit, seqs, few } = query
  if (seqs !== undefined) {
    return seqs.length === 0 ? [] : hydrate(sqlx, query, sorted(query, linksIn(seqs)))
  }
  if (query.sort === RELEVANCE) {
    return hydrate(sqlx, query, sorted(query, await smallestSet(sqlx, filter, range, few)))
  }
  const steps = offset + STEPS * few
  const found = await hydrate(sqlx, query, walked(query, steps))
  if (found.length === limit || !(await hasMore(sqlx, query, steps))) return found
  const candidates = await smallestSet(sqlx, filter, range, few)
  return hydrate(sqlx, query, sorted(query, candidates))
}

/** The rows of the first keys, in the same statement, hence from the same snapshot. */
async function hydrate(sqlx: Sql, query: PageQuery, keys: Fragment) {
  const { limit, offset } = query
  const direction = directionOf(query)
  const { rows } = await sql<LinkRow & Counters & Position>`
    WITH page AS (${keys} LIMIT ${limit} OFFSET ${offset})
    SELECT page.k AS k, ${LINK_WITH_COUNTERS}
    FROM page JOIN links l ON l.seq = page.seq LEFT JOIN link_counters c ON c.link_seq = l.seq
    ORDER BY page.k ${direction}, page.seq ${direction}`.execute(sqlx.db)
  return rows
}

/** What the indexes `link_counters_with_imported` and `link_counters_last` are on. */
const WITH_IMPORTED = bySql({
  sqlite: sql`c.with_imported`,
  postgres: sql`(c.human + c.imported)`,
})
const LAST_CLICKED = bySql({
  sqlite: sql`c.last_or_zero`,
  postgres: sql`coalesce(c.last_clicked_at, 0)`,
})

const KEYS: Readonly<Record<Sort, Fragment>> = {
  created_at: sql`l.created_at`,
  updated_at: sql`l.updated_at`,
  slug: sql`l.slug_key`,
  clicks: sql`coalesce((SELECT c.human FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
  clicks_with_imported: sql`coalesce(
    (SELECT ${WITH_IMPORTED} FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
  last_clicked_at: sql`coalesce(
    (SELECT ${LAST_CLICKED} FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
}

/** How well a link matches the term, the best most. */
function relevanceOf({ term, exact }: LinkFilter): Fragment {
  const isExact = exact.length === 0 ? sql`FALSE` : sql`l.seq IN (${sql.join(exact)})`
  const key = slugKey(term ?? '')
  return sql`(CASE WHEN ${isExact} THEN 3
    WHEN substr(l.slug_key, 1, ${[...key].length}) = ${key} THEN 2
    WHEN ${titleContains(term ?? '')} THEN 1 ELSE 0 END)`
}

/** All matches, sorted. */
function sorted(query: PageQuery, candidates: Fragment | null): Fragment {
  const { filter, range, sort, after, nowMs } = query
  const where =
    after === null ? sql`` : sql` WHERE (k, seq) ${beyond(query)} (${after.k}, ${after.seq})`
  const direction = directionOf(query)
  return sql`SELECT k, seq FROM (
      SELECT ${sort === RELEVANCE ? relevanceOf(filter) : KEYS[sort]} AS k, l.seq AS seq ${matching(filter, range, nowMs, candidates)}
    ) m${where} ORDER BY k ${direction}, seq ${direction}`
}

/**
 * The matches among the next links of the sort. Each test is a subquery: otherwise PostgreSQL would
 * use joins, and read all matches before it returns the first.
 */
function walked(query: PageQuery, steps: number): Fragment {
  const { filter, range, nowMs } = query
  const tests = filter.tagNos.map(
    (numbers): Fragment => sql`(SELECT 1 FROM link_tags t
      WHERE t.workspace_no = ${filter.workspaceNo} AND ${isTag('t', numbers)}
        AND t.link_seq = w.seq LIMIT 1) IS NOT NULL`,
  )
  if (!range.whole) tests.unshift(sql`w.seq BETWEEN ${range.low} AND ${range.high}`)
  // Nothing if the link is deleted but its counters still exist.
  tests.push(sql`(SELECT ${rowTests(filter, nowMs)} FROM links l WHERE l.seq = w.seq)`)
  // Without ORDER BY: with one, PostgreSQL would plan to read all rows.
  return sql`SELECT k, seq FROM (${walk(query, steps)}) w WHERE ${sql.join(tests, sql` AND `)}`
}

async function hasMore(sqlx: Sql, query: PageQuery, steps: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM (${walk(query, steps + 1)}) w LIMIT 1 OFFSET ${steps}`.execute(sqlx.db)
  return rows.length > 0
}

/**
 * The next `steps` links of a sort with their keys (`k`, `seq`), in order, whether they match the
 * filter or not. Counters of deleted links are included.
 *
 * It is a UNION ALL whose branches each come from an index in that order, so that the database
 * merges them and stops early. A position makes two branches, its ties and what follows them,
 * because SQLite would read all the ties of `(key, seq) < (?, ?)`, and half of all links may have no
 * clicks.
 */
function walk(query: PageQuery, steps: number): Fragment {
  const direction = directionOf(query)
  const order = sql` ORDER BY k ${direction}, seq ${direction} LIMIT ${steps}`
  const arms = armsOf(query, steps)
  if (arms.length === 1) return sql`${arms[0]}${order}`
  return bySql({
    sqlite: sql`${sql.join(arms, sql` UNION ALL `)}${order}`,
    // PostgreSQL sorts a compound as a whole, unless each branch has a LIMIT.
    postgres: sql`${sql.join(
      arms.map((arm) => sql`(${arm}${order})`),
      sql` UNION ALL `,
    )}${order}`,
  })
}

/** For `ORDER BY`. */
function directionOf({ descending }: PageQuery): Fragment {
  return descending ? sql`DESC` : sql`ASC`
}

/** The comparison with a position for what follows it. */
function beyond({ descending }: PageQuery): Fragment {
  return descending ? sql`<` : sql`>`
}

function armsOf(query: PageQuery, steps: number): Fragment[] {
  const { filter, sort } = query
  if (sort === RELEVANCE) throw new Error('It has no index')
  const links = sql`links l WHERE l.workspace_no = ${filter.workspaceNo}`
  switch (sort) {
    case 'created_at': {
      const within = sql`${links} AND ${createdBetween('l', filter)}`
      return keyed(query, within, KEYS[sort], sql`l.seq`)
    }
    case 'updated_at':
    case 'slug':
      return keyed(query, links, KEYS[sort], sql`l.seq`)
    case 'clicks':
      return counted(query, sql`c.human`, steps)
    case 'clicks_with_imported':
      return counted(query, WITH_IMPORTED, steps)
    case 'last_clicked_at':
      return counted(query, LAST_CLICKED, steps)
  }
}

/** By a number of the counters, of which new links have none yet. */
function counted(query: PageQuery, key: Fragment, steps: number): Fragment[] {
  const counters = sql`link_counters c WHERE c.workspace_no = ${query.filter.workspaceNo}`
  return [...keyed(query, counters, key, sql`c.link_seq`), ...uncounted(query, steps)]
}

/** What an index on workspace and key reads in order; `from` ends in a condition. */
function keyed(query: PageQuery, from: Fragment, key: Fragment, seq: Fragment): Fragment[] {
  const { after } = query
  const arm = (where: Fragment) => sql`SELECT ${key} AS k, ${seq} AS seq FROM ${from}${where}`
  if (after === null) return [arm(sql``)]
  const later = beyond(query)
  return [
    arm(sql` AND ${key} = ${after.k} AND ${seq} ${later} ${after.seq}`),
    arm(sql` AND ${key} ${later} ${after.k}`),
  ]
}

/** A key of the other branches' type: PostgreSQL would convert it otherwise, and sort again. */
const ZERO = bySql({ sqlite: sql`0`, postgres: sql`0::bigint` })

/** Links without a row of counters yet: they are few and new, and their key is 0. */
function uncounted(query: PageQuery, steps: number): Fragment[] {
  const { filter, range, after, descending } = query
  const side = after === null ? 1 : descending ? Number(after.k) : -Number(after.k)
  if (side < 0) return []
  const rest = after !== null && side === 0 ? sql` AND l.seq ${beyond(query)} ${after.seq}` : sql``
  const missing = withoutCounters(filter.workspaceNo, range)
  const arm = sql`SELECT ${ZERO} AS k, l.seq AS seq FROM ${missing}${rest}`
  // In the order of the primary key, so that PostgreSQL doesn't sort all of them.
  const cut = sql`${arm} ORDER BY l.seq ${directionOf(query)} LIMIT ${steps}`
  return [bySql({ sqlite: arm, postgres: sql`SELECT k, seq FROM (${cut}) u` })]
}
