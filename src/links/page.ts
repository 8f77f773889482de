import { type RawBuilder, sql } from 'kysely'
import { bySql, type Sql } from '../storage/index.ts'
import type { Count } from './count.ts'
import {
  andTests,
  arrayOf,
  candidates,
  type Driver,
  isPlain,
  type LinkFilter,
  matching,
  type SeqRange,
  seqOf,
  type Tests,
  testsOf,
} from './filter.ts'
import { nextOf } from './known.ts'
import { type Counters, LINK_WITH_COUNTERS, type LinkRow } from './store.ts'
import { directionSql, type Position, positionOf, type Sort, type Walk, walkSql } from './walk.ts'

/** A link of a page, with the key by which it was sorted. */
export type PageRow = LinkRow & Counters & { k: number | string | null }

/** Which links to fetch. */
export interface PageQuery {
  filter: LinkFilter
  range: SeqRange
  sort: Sort
  descending: boolean
  /** Exclusive. */
  after: Position | null
  offset: number
  limit: number
  count: Count
  /** How many links the workspace has. */
  links: number
  nowMs: number
}

type Keyed = RawBuilder<{ k: number | string | null; seq: number }>

/**
 * The same as `andTests` on `seq`, each link by a question of its own: PostgreSQL would make joins of
 * them, and read all that match before it gives the first.
 */
function oneByOne(
  { row, tags }: Tests,
  { workspaceNo }: LinkFilter,
  { low, high, whole }: SeqRange,
): RawBuilder<unknown> {
  const parts = tags.map(
    (tag) => sql`(SELECT 1 FROM link_tags t WHERE t.workspace_no = ${workspaceNo}
      AND t.tag_key = ${tag} AND t.link_seq = w.seq) IS NOT NULL`,
  )
  if (row.length > 0) {
    parts.push(sql`(SELECT ${sql.join(row, sql` AND `)} FROM links l WHERE l.seq = w.seq)`)
  }
  if (!whole) parts.push(sql`w.seq BETWEEN ${low} AND ${high}`)
  return sql.join(parts, sql` AND `)
}

/** Links read in vain, at most, before another plan is tried; and how many are always tried. */
const WALK_MAX = 50_000
const WALK_MIN = 1_000

/** The links of one page, in order. How they are found depends on how many there are. */
export async function fetchPage(sqlx: Sql, asked: PageQuery): Promise<PageRow[]> {
  if (asked.count.total === 0) return []
  const { seqs } = asked.count
  const query = seqs === undefined ? asked : among(asked, seqs)
  if (query.sort === 'created_at') {
    const next = seqs && nextOf(seqs, asked)
    if (next !== undefined && next.length < query.count.driver.count) {
      const found = await hydrate(sqlx, query, inOrderOfCreation(among(asked, next)))
      // Else the list ends there, or some of them have gone meanwhile.
      const isEnd = next.length < query.offset + query.limit
      if (found.length === query.limit || isEnd) return found
    }
    return hydrate(sqlx, query, inOrderOfCreation(query))
  }
  if (isSmall(query)) return hydrate(sqlx, query, sorted(query))
  // Times are tested without reading the link's row: walking on costs little.
  if (isPlain(query.filter)) {
    return hydrate(sqlx, query, walkSql(walkOf(query, sql``)))
  }
  const found = await tryWalk(sqlx, query)
  if (found !== null) return found
  if (seqs !== undefined) return hydrate(sqlx, query, sorted(query))
  return hydrate(sqlx, query, throughSet(query), hits(query))
}

/** Few links that were found when they were counted needn't be looked for again. */
function among(query: PageQuery, seqs: readonly number[]): PageQuery {
  const driver: Driver = { kind: 'known', seqs, count: seqs.length }
  return { ...query, count: { ...query.count, driver } }
}

/** Whether it costs less to sort all matches than to walk the sort's index until enough match. */
function isSmall({ count, limit, offset, links, sort }: PageQuery): boolean {
  const { total, driver } = count
  // To look for what is known costs less a link than to test it; among counters that change it less so.
  const isCounted = sort === 'clicks' || sort === 'last_clicked_at'
  const costs = driver.kind !== 'known' ? 1 : isCounted ? 4 : 8
  return driver.count <= 200 || costs * driver.count * total < ((limit + offset) * links) / 2
}

/** `seq` is the order of creation, and every driver can enumerate by it. */
function inOrderOfCreation(query: PageQuery): Keyed {
  const { filter, range, descending, after, count, nowMs } = query
  const { driver } = count
  const part = {
    ...range,
    ...(after !== null && (descending ? { high: after.seq - 1 } : { low: after.seq + 1 })),
  }
  const direction = descending ? sql`DESC` : sql`ASC`
  const { row, tags } = testsOf(driver, filter, nowMs)
  if (driver.kind !== 'range' && row.length + tags.length === 0) {
    return sql`SELECT seq AS k, seq FROM (${candidates(driver, filter, part)}) d
      ORDER BY seq ${direction}`
  }
  const seq = seqOf(driver)
  return sql`SELECT ${seq} AS k, ${seq} AS seq ${matching(driver, filter, part, nowMs)}
    ORDER BY ${seq} ${direction}`
}

const KEYS: Readonly<Record<Sort, RawBuilder<unknown>>> = {
  created_at: sql`l.seq`,
  updated_at: sql`l.updated_at`,
  slug: sql`l.slug_key`,
  clicks: sql`coalesce((SELECT c.total FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
  last_clicked_at: sql`coalesce(
    (SELECT c.last_clicked_at FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
}

/** The same of a link of which only `l.seq` is at hand; null: it is gone. */
function keyOf(sort: Sort): RawBuilder<unknown> {
  if (sort === 'clicks' || sort === 'last_clicked_at') return KEYS[sort]
  return sql`(SELECT ${sql.ref(`o.${sort === 'slug' ? 'slug_key' : sort}`)} FROM links o
    WHERE o.seq = l.seq)`
}

/** Keeps a subquery with an order as it is. */
const ALL_OF_IT = bySql({ sqlite: sql`LIMIT -1 OFFSET 0`, postgres: sql`OFFSET 0` })

/** All that match, sorted. */
function sorted(query: PageQuery): Keyed {
  const { filter, range, sort, descending, after, count, nowMs } = query
  const direction = descending ? sql`DESC` : sql`ASC`
  const beyond = descending ? sql`<` : sql`>`
  const where = after === null ? sql`` : sql` WHERE (k, seq) ${beyond} (${after.key}, ${after.seq})`
  const { driver } = count
  if (driver.kind === 'known') {
    // Sorted first, so that only as many are tested as the page has room for.
    const tests = oneByOne(testsOf(driver, filter, nowMs), filter, range)
    return sql`SELECT k, seq FROM (
        SELECT k, seq FROM (
          SELECT ${keyOf(sort)} AS k, l.seq AS seq FROM (${candidates(driver, filter, range)}) l
        ) m${where} ORDER BY k ${direction}, seq ${direction} ${ALL_OF_IT}
      ) w WHERE ${tests}`
  }
  return sql`SELECT k, seq FROM (
      SELECT ${KEYS[sort]} AS k, l.seq AS seq ${matching(count.driver, filter, range, nowMs)}
    ) m${where} ORDER BY k ${direction}, seq ${direction}`
}

/**
 * Walks the sort's own index and tests each link; null when too many were tested in vain, because
 * those that match lie at the other end.
 */
async function tryWalk(sqlx: Sql, query: PageQuery): Promise<PageRow[] | null> {
  const { filter, limit, offset, count, range, links, nowMs } = query
  const everything: Driver = { kind: 'range', count: links }
  const expected = ((limit + offset) * everything.count) / count.total
  const steps = Math.min(WALK_MAX, Math.ceil(4 * expected) + WALK_MIN)
  if (sqlx.dialect === 'postgres') {
    const found = await hydrate(sqlx, query, walkTesting(query, everything, steps))
    return found.length === limit ? found : null
  }
  const ahead = walkSql({
    ...walkOf({ ...query, range: { ...range, whole: true } }, sql``),
    rough: true,
    need: steps + 1,
  })
  const { rows } = await sql<{ k: number | string | null; seq: number }>`
    SELECT k, seq FROM (${ahead} LIMIT 1 OFFSET ${steps}) s`.execute(sqlx.db)
  const [stop] = rows
  const until = stop === undefined ? undefined : positionOf(stop)
  const tests = andTests(testsOf(everything, filter, nowMs), filter.workspaceNo)
  const found = await hydrate(sqlx, query, walkSql(walkOf(query, tests, until)))
  return until === undefined || found.length === limit ? found : null
}

/** What matches of the next links of a walk; PostgreSQL stops walking when it has enough. */
function walkTesting(query: PageQuery, everything: Driver, steps: number): Keyed {
  const { filter, range, count, nowMs } = query
  const whole = { ...query, range: { ...range, whole: true } }
  const ahead = walkSql({ ...walkOf(whole, sql``), rough: true, need: steps })
  const { driver } = count
  // A long list is hashed; it goes first, so that nothing else is tested of most links.
  const known =
    driver.kind === 'known' ? sql`w.seq = ANY(${arrayOf(driver.seqs)}::bigint[]) AND ` : sql``
  const tests = oneByOne(testsOf(everything, filter, nowMs), filter, range)
  // Without an order of its own: with one, PostgreSQL would plan to read the whole walk.
  return sql`SELECT k, seq FROM (${ahead} LIMIT ${steps}) w WHERE ${known}${tests}`
}

/** Walks the sort's own index through the set of all that match. */
function throughSet(query: PageQuery): Keyed {
  const whole = { ...query, range: { ...query.range, whole: true } }
  const all = { ...walkOf(whole, sql``), rough: true, need: Number.MAX_SAFE_INTEGER }
  return bySql({
    sqlite: walkSql(walkOf(query, sql` AND l.seq IN (SELECT seq FROM hits)`)),
    // Said so that it isn't made a join, which would lose the order of the walk.
    postgres: sql`SELECT k, seq FROM (${walkSql(all)}) w
      WHERE (w.seq IN (SELECT seq FROM hits)) IS TRUE`,
  })
}

function hits({ filter, range, count, nowMs }: PageQuery): RawBuilder<unknown> {
  const { driver } = count
  const { row, tags } = testsOf(driver, filter, nowMs)
  const all =
    driver.kind !== 'range' && row.length + tags.length === 0
      ? candidates(driver, filter, range)
      : sql`SELECT l.seq AS seq ${matching(driver, filter, range, nowMs)}`
  return sql`hits AS MATERIALIZED (${all}),`
}

function walkOf(query: PageQuery, tests: RawBuilder<unknown>, until?: Position): Walk {
  const { descending, filter, range, after } = query
  const sort = query.sort as Walk['sort']
  const { workspaceNo } = filter
  const need = query.limit + query.offset
  const walk: Walk = { sort, descending, workspaceNo, range, after, tests, need }
  return until === undefined ? walk : { ...walk, until }
}

/** The rows behind the keys, in one statement with them: they are of one moment. */
async function hydrate(
  sqlx: Sql,
  { limit, offset, descending }: PageQuery,
  keys: Keyed,
  before: RawBuilder<unknown> = sql``,
): Promise<PageRow[]> {
  const direction = directionSql(descending)
  const { rows } = await sql<PageRow>`
    WITH ${before} page AS (${keys} LIMIT ${limit} OFFSET ${offset})
    SELECT page.k AS k, ${LINK_WITH_COUNTERS}
    FROM page JOIN links l ON l.seq = page.seq LEFT JOIN link_counters c ON c.link_seq = l.seq
    ORDER BY page.k ${direction}, page.seq ${direction}`.execute(sqlx.db)
  return rows
}
