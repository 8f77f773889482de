import { type RawBuilder, sql } from 'kysely'
import { bySql, prepare, type Sql } from '../storage/index.ts'
import {
  andTests,
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
import {
  dependsOnTime,
  dependsOnUses,
  HAS_CONDITIONS,
  nextTimes,
  statusSql,
  usesOf,
} from './status.ts'

/** How many links match a filter, and where a page of them is best taken from. */
export interface Count {
  /** At least so many, where it isn't exact. */
  total: number
  exact: boolean
  driver: Driver
  /** Which they are, in order, where they are few and each was read. */
  seqs?: readonly number[]
  /** Until when it holds if nothing is changed, exclusive; absent: time doesn't matter. */
  until?: number
}

/** So many links are few: of more, every fiftieth of a million, a page is soon found by looking. */
const FEW = 20_000
/** Of so many of the newest links a part is looked at, and when it is so large, many match. */
const SAMPLE = 1_000
const MANY_OF_SAMPLE = 30

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
  /** How often its links' `max_clicks` were used, where a status is asked for that depends on it. */
  uses: number
}

const storedFacts = prepare<{ no: number }, Omit<WorkspaceFacts, 'uses'>>((db, p) =>
  db
    .selectFrom('workspaces')
    .select(['links_count as links', 'links_made as made', 'audit_made as changes'])
    .where('no', '=', p.no),
)

/** What is known of a workspace but for `uses`. */
export async function factsOf(sqlx: Sql, no: number): Promise<Omit<WorkspaceFacts, 'uses'>> {
  const [facts = { links: 0, made: 0, changes: 0 }] = await sqlx.run(storedFacts, { no })
  return facts
}

/** The `uses` of what is known of a workspace. */
export async function readUses(sqlx: Sql, filter: LinkFilter): Promise<number> {
  if (filter.status === null || !dependsOnUses(filter.status)) return 0
  return one(sqlx, usesOf(filter.workspaceNo))
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
  if (!(await areMany(sqlx, filter, range, driver, nowMs))) {
    return { ...(await countAndKeep(sqlx, links, most)), driver }
  }
  const total = await count(sqlx, links, most)
  return { total, exact: most === null || total < most, driver }
}

/**
 * Whether so many of all links match that they are found by looking: judged by the newest ones.
 * PostgreSQL counts them in parallel, which it doesn't where it keeps what it finds.
 */
async function areMany(
  sqlx: Sql,
  filter: LinkFilter,
  { low, high }: SeqRange,
  driver: Driver,
  nowMs: number,
): Promise<boolean> {
  if (driver.kind !== 'range') return false
  const tests = andTests(testsOf(driver, filter, nowMs), filter.workspaceNo)
  const newest = sql`SELECT * FROM links WHERE seq BETWEEN ${low} AND ${high}
    ORDER BY seq DESC LIMIT ${SAMPLE}`
  const found = await one(sqlx, sql`SELECT count(*) AS n FROM (${newest}) l WHERE 1 = 1${tests}`)
  return found > MANY_OF_SAMPLE
}

const LISTED = bySql({
  sqlite: sql`group_concat(d.seq)`,
  postgres: sql`array_to_string(array_agg(d.seq), ',')`,
})

/** Counts, and keeps what it has found if that is little: reading it again takes as long. */
async function countAndKeep(
  sqlx: Sql,
  query: RawBuilder<unknown>,
  most: number | null,
): Promise<Omit<Count, 'driver'>> {
  const limit = most === null ? sql`` : sql` LIMIT ${most}`
  const { rows } = await sql<{ n: number; seqs: string | null }>`
    SELECT count(*) AS n,
      CASE WHEN count(*) <= ${FEW} THEN ${LISTED} END AS seqs
    FROM (${query}${limit}) d`.execute(sqlx.db)
  const [{ n, seqs } = { n: 0, seqs: null }] = rows
  if (most !== null && n >= most) return { total: n, exact: false }
  if (seqs === null || seqs === '') return { total: n, exact: true }
  const kept = seqs.split(',').map(Number)
  return { total: n, exact: true, seqs: kept.sort((a, b) => a - b) }
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
  const parts: Driver[] = []
  if (filter.domainNo !== null && filter.domainNo !== 0) parts.push({ kind: 'domain', count: 0 })
  if (filter.status !== null && filter.status !== 'active')
    parts.push({ kind: 'special', count: 0 })
  for (const part of parts as Exclude<Driver, { kind: 'range' }>[]) {
    drivers.push({ ...part, count: await count(sqlx, candidates(part, filter, range), most) })
  }
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

/** What most links are is counted by what they aren't. Null: it isn't. */
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
  if (status !== null && status !== 'active') return null
  if (domainNo !== null && domainNo !== 0) return null
  const elsewhere = domainNo === null ? 0 : await countWhere(sql`l.domain_no <> 0`)
  if (status === null) return links - elsewhere
  const inactive = sql`${HAS_CONDITIONS} AND NOT ${statusSql('active', nowMs)}`
  const here = domainNo === null ? inactive : sql`${inactive} AND l.domain_no = 0`
  return links - elsewhere - (await countWhere(here))
}

/** The same with until when it holds, if it is about a status. */
export async function lasting(
  sqlx: Sql,
  { workspaceNo, status }: LinkFilter,
  { low, high }: SeqRange,
  nowMs: number,
  count: Count,
): Promise<Count> {
  if (status === null || !dependsOnTime(status)) return count
  const where = sql`l.workspace_no = ${workspaceNo} AND l.seq BETWEEN ${low} AND ${high}`
  const [next] = (await nextTimes(where, nowMs).execute(sqlx.db)).rows
  const times = [next?.starts, next?.expires, count.until]
  return { ...count, until: Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY)) }
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
