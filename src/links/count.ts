import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../storage/index.ts'
import {
  candidates,
  type Driver,
  hasIndexedTerm,
  isPlain,
  type LinkFilter,
  matching,
  type SeqRange,
  testsOf,
  wholeRange,
} from './filter.ts'
import { indexedMatches } from './search.ts'
import { HAS_CONDITIONS, statusSql } from './status.ts'

/** How many links match a filter, and where a page of them is best taken from. */
export interface Count {
  /** At least so many, where it isn't exact. */
  total: number
  exact: boolean
  driver: Driver
  /** Which they are, where they are few and each was read. */
  seqs?: readonly number[]
}

/** So many links are few. */
const FEW = 1_000
/** Of more than so many, PostgreSQL counts in parallel, and can't keep what it finds meanwhile. */
const KEPT_OF = 50_000

/** The same, if they are few. */
export function fewOf(seqs: readonly number[]): readonly number[] | undefined {
  return seqs.length <= FEW ? seqs : undefined
}

/** What is known of a workspace without counting. */
export interface WorkspaceFacts {
  /** How many links it has. */
  links: number
  /** How many it ever had: the newest one's number. */
  made: number
  /** How many entries its audit log has: each change of a link makes one, on whichever node. */
  changes: number
}

/**
 * Counts the links that match a filter: exactly, or, with `most`, no further than that where it
 * would take reading them one by one.
 */
export async function countLinks(
  sqlx: Sql,
  filter: LinkFilter,
  range: SeqRange,
  facts: WorkspaceFacts,
  nowMs: number,
  most: number | null = null,
): Promise<Count> {
  const everything: Driver = { kind: 'range', count: facts.links }
  if (isPlain(filter)) {
    const total = range.whole ? facts.links : await countRange(sqlx, filter, range, facts)
    return { total, exact: true, driver: { kind: 'range', count: total } }
  }
  if (range.whole && filter.term === null && filter.tags.length === 0) {
    const rest = await countByRest(sqlx, filter, facts.links, nowMs)
    if (rest !== null) return { total: rest, exact: true, driver: everything }
  }
  const driver = await smallestDriver(sqlx, filter, range, everything, most)
  const { row, tags } = testsOf(driver, filter, nowMs)
  const isAll = driver.count === 0 || row.length + tags.length === 0
  if (isAll) return { total: driver.count, exact: most === null || driver.count < most, driver }
  const links = sql`SELECT l.seq AS seq ${matching(driver, filter, range, nowMs)}`
  if (sqlx.dialect === 'postgres' && driver.kind !== 'range' && driver.count <= KEPT_OF) {
    return { ...(await countAndKeep(sqlx, links, most)), driver }
  }
  const total = await count(sqlx, links, most)
  return { total, exact: most === null || total < most, driver }
}

/** Counts, and keeps what it has found if that is little: reading it again takes as long. */
async function countAndKeep(
  sqlx: Sql,
  query: RawBuilder<unknown>,
  most: number | null,
): Promise<Omit<Count, 'driver'>> {
  const limit = most === null ? sql`` : sql` LIMIT ${most}`
  const { rows } = await sql<{ n: number; seqs: string | null }>`
    SELECT count(*) AS n,
      CASE WHEN count(*) BETWEEN 1 AND ${FEW} THEN string_agg(d.seq::text, ',') END AS seqs
    FROM (${query}${limit}) d`.execute(sqlx.db)
  const [{ n, seqs } = { n: 0, seqs: null }] = rows
  if (most !== null && n >= most) return { total: n, exact: false }
  return { total: n, exact: true, ...(seqs !== null && { seqs: seqs.split(',').map(Number) }) }
}

/** How many rows a query has, or `most` where it has that many. */
function count(sqlx: Sql, query: RawBuilder<unknown>, most: number | null): Promise<number> {
  const limit = most === null ? sql`` : sql` LIMIT ${most}`
  return one(sqlx, sql`SELECT count(*) AS n FROM (${query}${limit}) d`)
}

/** Of text and tags, what has the fewest links; else all links. */
async function smallestDriver(
  sqlx: Sql,
  filter: LinkFilter,
  range: SeqRange,
  everything: Driver,
  most: number | null,
): Promise<Driver> {
  const drivers: Driver[] = []
  for (const tag of filter.tags) {
    const driver = { kind: 'tag', tag, count: 0 } as const
    const of = candidates(driver, filter, range)
    drivers.push({ ...driver, count: await count(sqlx, of, most) })
  }
  if (hasIndexedTerm(filter, sqlx.dialect)) {
    const of = indexedMatches(filter.term as string, range.low, range.high)
    drivers.push({ kind: 'text', count: await count(sqlx, of, most) })
  }
  drivers.sort((a, b) => a.count - b.count)
  return drivers[0] ?? everything
}

/** What most links are is counted by what they aren't. */
async function countByRest(
  sqlx: Sql,
  { workspaceNo, status, domainNo }: LinkFilter,
  links: number,
  nowMs: number,
): Promise<number | null> {
  const countWhere = (where: RawBuilder<unknown>) =>
    one(
      sqlx,
      sql`SELECT count(*) AS n FROM links l WHERE l.workspace_no = ${workspaceNo} AND ${where}`,
    )
  if (status === 'active' && domainNo === null) {
    return (
      links - (await countWhere(sql`${HAS_CONDITIONS} AND NOT (${statusSql('active', nowMs)})`))
    )
  }
  if (domainNo === 0 && status === null) return links - (await countWhere(sql`l.domain_no <> 0`))
  if (domainNo !== null && status === null) {
    return countWhere(sql`l.domain_no = ${domainNo} AND l.domain_no <> 0`)
  }
  return null
}

/** The links of a time: counted, or what lies before and after it, whichever is less to read. */
async function countRange(
  sqlx: Sql,
  { workspaceNo }: LinkFilter,
  { low, high }: SeqRange,
  { made }: WorkspaceFacts,
): Promise<number> {
  const all = wholeRange(workspaceNo)
  const within = (a: number, b: number) =>
    sql`(SELECT count(*) FROM links WHERE seq BETWEEN ${a} AND ${b})`
  const width = Math.min(high, all.low + made) - low
  if (width < made / 2) return one(sqlx, sql`SELECT ${within(low, high)} AS n`)
  return one(
    sqlx,
    sql`SELECT links_count - ${within(all.low, low - 1)} - ${within(high + 1, all.high)} AS n
      FROM workspaces WHERE no = ${workspaceNo}`,
  )
}

async function one(sqlx: Sql, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await (query as RawBuilder<{ n: number }>).execute(sqlx.db)
  return Number(rows[0]?.n ?? 0)
}
