import { sql } from 'kysely'
import { prepare, type Sql } from '../storage/index.ts'
import { type LinkFilter, matching, type SeqRange, smallestSet } from './filter.ts'
import { statusMark } from './status.ts'

/** So many totals are remembered. */
const TOTALS_MAX = 200

/** How many links match a filter. */
export interface Total {
  /** At least so many, where it isn't exact. */
  total: number
  exact: boolean
  /** The `seq` of all that match, where they are few. */
  seqs?: readonly number[]
}

/** What is known of a workspace without counting. */
export interface WorkspaceFacts {
  /** How many links it has. */
  links: number
  /** How many it ever had. */
  made: number
  /** How many entries its audit log has: every change of a link makes one, on whichever node. */
  changes: number
}

const storedFacts = prepare<{ no: number }, WorkspaceFacts>((db, p) =>
  db
    .selectFrom('workspaces')
    .select(['links_count as links', 'links_made as made', 'audit_made as changes'])
    .where('no', '=', p.no),
)

/** What is known of a workspace; zeros where there is none. */
export async function factsOf(sqlx: Sql, no: number): Promise<WorkspaceFacts> {
  const [facts = { links: 0, made: 0, changes: 0 }] = await sqlx.run(storedFacts, { no })
  return facts
}

/** What is to be counted. */
export interface TotalQuery {
  filter: LinkFilter
  range: SeqRange
  /** False: no further than few. */
  exact: boolean
  nowMs: number
}

/** Totals of filters. A client that turns the pages of a list asks for the same one each time. */
export interface Totals {
  /** `changes`: what the workspace's facts say now. */
  count(sqlx: Sql, query: TotalQuery, changes: number): Promise<Total>
}

/**
 * Counts each filter once while no link changes; `few` links are kept with their total. What a
 * status depends on besides is read each time.
 */
export function createTotals(few: number): Totals {
  const totals = new Map<string, Total & { version: string }>()
  return {
    async count(sqlx, query, changes) {
      const { filter, exact, nowMs } = query
      const mark = filter.status === null ? '' : await statusMark(sqlx, filter.workspaceNo, nowMs)
      const key = JSON.stringify(filter)
      let total = totals.get(key)
      if (total?.version !== `${changes} ${mark}` || (exact && !total.exact)) {
        // Read before counting, and where it is counted, which may be a copy that lags. A change
        // in between makes this the total of a past version, which is not asked for again.
        const { changes: counted } = await factsOf(sqlx, filter.workspaceNo)
        total = { ...(await countLinks(sqlx, query, few)), version: `${counted} ${mark}` }
      }
      totals.delete(key)
      totals.set(key, total)
      if (totals.size > TOTALS_MAX) totals.delete(totals.keys().next().value as string)
      return total
    },
  }
}

async function countLinks(sqlx: Sql, query: TotalQuery, few: number): Promise<Total> {
  const { filter, range, nowMs } = query
  const candidates = await smallestSet(sqlx, filter, range, few)
  const matches = matching(filter, range, nowMs, candidates)
  const { rows } = await sql<{ seq: number }>`
    SELECT l.seq AS seq ${matches} LIMIT ${few + 1}`.execute(sqlx.db)
  if (rows.length <= few) {
    return { total: rows.length, exact: true, seqs: rows.map(({ seq }) => seq) }
  }
  if (!query.exact) return { total: few, exact: false }
  const { rows: counted } = await sql<{ n: number }>`
    SELECT count(*) AS n ${matches}`.execute(sqlx.db)
  return { total: counted[0]?.n ?? 0, exact: true }
}
