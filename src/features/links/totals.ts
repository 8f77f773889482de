import { sql } from 'kysely'
import { prepare, SEQS_PER_WORKSPACE, type Sql } from '../../platform/storage/index.ts'
import { isPlain, isPlainButArchived, matching, smallestSet } from './filter.ts'
import type { Fragment, LinkFilter } from './filter-types.ts'
import type { PageQuery } from './page.ts'
import { WAS_CLICKED } from './row-tests.ts'
import { statusMark } from './status-tests.ts'

/** How many links of a workspace are archived. */
export async function countArchived({ db }: Sql, no: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM links l
    WHERE l.workspace_no = ${no} AND l.archived = 1`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/**
 * What is known of a workspace without counting: how many links it has, how many it ever had, and
 * how many audit entries, of which every change of a link makes one, on any node.
 */
const storedFacts = prepare<
  { no: number },
  { links: number; made: number; changes: number; unordered: number }
>((db, p) =>
  db
    .selectFrom('workspaces')
    .select(['links_count as links', 'links_made as made', 'audit_made as changes'])
    .select('links_unordered as unordered')
    .where('no', '=', p.no),
)

/** They are 0 for a workspace that doesn't exist. */
export async function factsOf(sqlx: Sql, no: number) {
  const none = { links: 0, made: 0, changes: 0, unordered: 0 }
  const [facts = none] = await sqlx.run(storedFacts, { no })
  return facts
}

/** How many links match a filter. */
export interface Total {
  /** A lower bound if it isn't exact. */
  total: number
  exact: boolean
  /** The `seq` of all matches, if there are few. */
  seqs?: readonly number[]
}

/** What to count; unless `exact`, only up to the limit of few. */
type TotalQuery = Pick<PageQuery, 'filter' | 'range' | 'nowMs'> & { exact: boolean }

/** The most totals in memory. */
const TOTALS_MAX = 200

export type Totals = ReturnType<typeof createTotals>

/**
 * Counts each filter once while no link changes, because a client that reads the pages of a list
 * needs the same total each time. Other inputs of a status are read each time; clicks change no link.
 */
export function createTotals(few: number) {
  const totals = new Map<string, Total & { version: string }>()
  return async (sqlx: Sql, query: TotalQuery, changes: number): Promise<Total> => {
    const { filter, exact, nowMs } = query
    if (filter.isClicked !== null) return countLinks(sqlx, query, few)
    const mark = filter.status === null ? '' : await statusMark(sqlx, filter.workspaceNo, nowMs)
    const key = JSON.stringify(filter)
    let total = totals.get(key)
    if (total?.version !== `${changes} ${mark}` || (exact && !total.exact)) {
      // Read before counting, and from the same database, which may be a lagging replica. A change
      // in between makes this the total of a past version, which is never used again.
      const { changes: counted } = await factsOf(sqlx, filter.workspaceNo)
      total = { ...(await countLinks(sqlx, query, few)), version: `${counted} ${mark}` }
    }
    totals.delete(key)
    totals.set(key, total)
    if (totals.size > TOTALS_MAX) totals.delete(totals.keys().next().value as string)
    return total
  }
}

async function countLinks(sqlx: Sql, query: TotalQuery, few: number): Promise<Total> {
  const { filter, range, nowMs } = query
  const candidates = await smallestSet(sqlx, filter, range, few)
  const matches = matching(filter, range, nowMs, candidates)
  const { rows } = await sql<{ seq: number }>`
    SELECT l.seq AS seq ${matches} LIMIT ${few + 1}`.execute(sqlx.db)
  const seqs = rows.map(({ seq }) => seq)
  if (seqs.length <= few) return { total: seqs.length, exact: true, seqs }
  if (!query.exact) return { total: few, exact: false }
  const { isClicked, archived } = filter
  if (isClicked !== null && archived !== true && range.whole) {
    if (isPlainButArchived({ ...filter, isClicked: null })) {
      return { total: await countByClicks(sqlx, filter), exact: true }
    }
  }
  // SQLite's index finds exactly the links that contain the term: their rows needn't be read.
  const { term, termInTags } = filter
  const isIndexed =
    sqlx.dialect === 'sqlite' && term !== null && !termInTags && filter.exact.length === 0
  const isBySeq = range.whole || filter.isOrdered !== false
  const { rows: counted } = await sql<{ n: number }>`SELECT count(*) AS n ${
    isIndexed && isBySeq && candidates !== null && isPlain({ ...filter, term: null })
      ? sql`FROM (${candidates})`
      : matches
  }`.execute(sqlx.db)
  return { total: counted[0]?.n ?? 0, exact: true }
}

/** How many links were clicked, or weren't, by the counters alone: rows of links are longer. */
async function countByClicks(
  sqlx: Sql,
  { workspaceNo: no, isClicked, archived }: LinkFilter,
): Promise<number> {
  const low = no * SEQS_PER_WORKSPACE
  const clickedOf = (rows: Fragment) => sql`(SELECT count(*) FROM ${rows} r
    JOIN link_counters x ON x.link_seq = r.seq WHERE r.workspace_no = ${no} AND ${WAS_CLICKED})`
  const { rows } = await sql<{ n: number }>`SELECT (SELECT count(*) FROM link_counters x
      WHERE x.link_seq BETWEEN ${low} AND ${low + SEQS_PER_WORKSPACE - 1} AND ${WAS_CLICKED})
    - ${clickedOf(sql`deleted_links`)} - ${archived === false ? clickedOf(ARCHIVED) : sql`0`}
    AS n`.execute(sqlx.db)
  const clicked = Number(rows[0]?.n ?? 0)
  if (isClicked) return clicked
  const { links } = await factsOf(sqlx, no)
  return links - (archived === false ? await countArchived(sqlx, no) : 0) - clicked
}

const ARCHIVED = sql`(SELECT seq, workspace_no FROM links WHERE archived = 1)`
