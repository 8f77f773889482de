import { type RawBuilder, sql } from 'kysely'
import { bySql, type Sql } from '../storage/index.ts'
import type { Count } from './count.ts'
import {
  andTests,
  candidates,
  type Driver,
  isPlain,
  type LinkFilter,
  matching,
  type SeqRange,
  type Tests,
  testsOf,
} from './filter.ts'
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
  const query = amongKnown(asked)
  if (query.sort === 'created_at') return hydrate(sqlx, query, inOrderOfCreation(query))
  if (isSmall(query)) return hydrate(sqlx, query, sorted(query))
  // Times are tested without reading the link's row: walking on costs little.
  if (isPlain(query.filter)) {
    return hydrate(sqlx, query, walkSql(walkOf(query, sql``)))
  }
  return (await tryWalk(sqlx, query)) ?? hydrate(sqlx, query, throughSet(query), hits(query))
}

/** Few links that were found when they were counted needn't be looked for again. */
function amongKnown(query: PageQuery): PageQuery {
  const { seqs } = query.count
  if (seqs === undefined) return query
  const driver: Driver = { kind: 'known', seqs, count: seqs.length }
  return { ...query, count: { ...query.count, driver } }
}

/** Whether it costs less to sort all matches than to walk the sort's index until enough match. */
function isSmall({ count, limit, offset, links }: PageQuery): boolean {
  const { total, driver } = count
  return driver.count <= 200 || driver.count * total < ((limit + offset) * links) / 2
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
  if (driver.kind === 'range') {
    return sql`SELECT l.seq AS k, l.seq AS seq ${matching(driver, filter, part, nowMs)}
      ORDER BY l.seq ${direction}`
  }
  const { row, tags } = testsOf(driver, filter, nowMs)
  if (row.length + tags.length === 0) {
    return sql`SELECT seq AS k, seq FROM (${candidates(driver, filter, part)}) d
      ORDER BY seq ${direction}`
  }
  return sql`SELECT d.seq AS k, d.seq AS seq ${matching(driver, filter, part, nowMs)}
    ORDER BY d.seq ${direction}`
}

const KEYS: Readonly<Record<Sort, RawBuilder<unknown>>> = {
  created_at: sql`l.seq`,
  updated_at: sql`l.updated_at`,
  slug: sql`l.slug_key`,
  clicks: sql`coalesce((SELECT c.total FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
  last_clicked_at: sql`coalesce(
    (SELECT c.last_clicked_at FROM link_counters c WHERE c.link_seq = l.seq), 0)`,
}

/** All that match, sorted. */
function sorted({ filter, range, sort, descending, after, count, nowMs }: PageQuery): Keyed {
  const direction = descending ? sql`DESC` : sql`ASC`
  const beyond = descending ? sql`<` : sql`>`
  const where = after === null ? sql`` : sql` WHERE (k, seq) ${beyond} (${after.key}, ${after.seq})`
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
  const { filter, range, descending, nowMs } = query
  const direction = directionSql(descending)
  const whole = { ...query, range: { ...range, whole: true } }
  const ahead = walkSql({ ...walkOf(whole, sql``), rough: true, need: steps })
  const tests = oneByOne(testsOf(everything, filter, nowMs), filter, range)
  return sql`SELECT k, seq FROM (${ahead} LIMIT ${steps}) w WHERE ${tests}
    ORDER BY k ${direction}, seq ${direction}`
}

/** PostgreSQL would make a join of it, and lose the order of the walk. */
const IN_HITS = bySql({
  sqlite: sql` AND l.seq IN (SELECT seq FROM hits)`,
  postgres: sql` AND (l.seq IN (SELECT seq FROM hits)) IS TRUE`,
})

/** Walks the sort's own index through the set of all that match. */
function throughSet(query: PageQuery): Keyed {
  return walkSql(walkOf(query, IN_HITS))
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
