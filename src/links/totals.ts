import { sql } from 'kysely'
import { prepare, type Sql } from '../storage/index.ts'
import { type LinkFilter, matching, type SeqRange, smallestSet } from './filter.ts'
import { dependsOnTime, dependsOnUses, nextTimes, usesOf } from './status.ts'

/** So many filters are remembered. */
const ENTRIES_MAX = 200

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

/** What a total is of: it holds while these stay as they are, and until a link's status changes. */
interface Entry extends Total {
  changes: number
  uses: number
  /** In milliseconds: when it was counted, and until when it holds (exclusive). */
  at: number
  until: number
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

/** Counts each filter once while nothing changes; `few` links are kept with their total. */
export function createTotals(few: number): Totals {
  const entries = new Map<string, Entry>()

  async function countAnew(sqlx: Sql, query: TotalQuery, uses: number): Promise<Entry> {
    const { filter, nowMs } = query
    // Before counting, and where it is counted, which may be a copy that lags: what changes in
    // between makes this total one of a past state, which is not asked for again.
    const { changes } = await factsOf(sqlx, filter.workspaceNo)
    const total = await countLinks(sqlx, query, few)
    return { ...total, changes, uses, at: nowMs, until: await nextChange(sqlx, filter, nowMs) }
  }

  return {
    async count(sqlx, query, changes) {
      const { filter, exact, nowMs } = query
      const uses = await usesNow(sqlx, filter)
      const key = JSON.stringify(filter)
      const known = entries.get(key)
      const isValid =
        known?.changes === changes &&
        known.uses === uses &&
        // The clock may have been set back.
        known.at <= nowMs &&
        nowMs < known.until &&
        (known.exact || !exact)
      const entry = isValid ? known : await countAnew(sqlx, query, uses)
      entries.delete(key)
      entries.set(key, entry)
      if (entries.size > ENTRIES_MAX) entries.delete(entries.keys().next().value as string)
      return entry
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

/** How often links with `max_clicks` were visited, where a status depends on it. */
async function usesNow(sqlx: Sql, { workspaceNo, status }: LinkFilter): Promise<number> {
  if (status === null || !dependsOnUses(status)) return 0
  return (await usesOf(workspaceNo).execute(sqlx.db)).rows[0]?.n ?? 0
}

/** When a link of the workspace next changes its status by itself, if it matters. */
async function nextChange(
  sqlx: Sql,
  { workspaceNo, status }: LinkFilter,
  nowMs: number,
): Promise<number> {
  if (status === null || !dependsOnTime(status)) return Number.POSITIVE_INFINITY
  const [next] = (await nextTimes(workspaceNo, nowMs).execute(sqlx.db)).rows
  return Math.min(...[next?.starts, next?.expires].map((ms) => ms ?? Number.POSITIVE_INFINITY))
}
