import { sql } from 'kysely'
import { prepare, type Sql } from '../storage/index.ts'
import { foldCase, foldForSearch } from '../validation/text.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { isPlain, type LinkFilter, matching, rangeOf, smallestSet, statusMark } from './filter.ts'
import type { ListQuery } from './list-query.ts'
import { fetchPage, type PageQuery, type Position } from './page.ts'
import type { LinkList } from './schemas.ts'

/** A page of a workspace's links. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
export async function list(
  ctx: LinkContext,
  { workspace }: LinkCaller,
  query: ListQuery,
): Promise<LinkList> {
  const { storage, cursors } = ctx
  const { sort, order, limit, page, cursor } = query
  const filter = filterOf(ctx, workspace.no, query)
  const binding = JSON.stringify([{ ...filter, covering: null }, sort, order])
  const [direction, k, seq] = cursor === undefined ? [] : cursors.decode(cursor, binding)
  const start = direction === undefined ? null : ({ k, seq } as Position)
  const isBackward = direction === 'prev'
  const descending = (order === 'desc') !== isBackward
  const nowMs = ctx.clock.now()
  const facts = await factsOf(storage.read, workspace.no)
  const range = await rangeOf(storage.read, filter, facts.made)
  const isAll = isPlain(filter) && range.whole
  // Some point reads are done by the serving thread; all else may take long.
  const isByClicks = sort === 'clicks' || sort === 'last_clicked_at'
  const sqlx = isAll && page === undefined && !isByClicks ? storage.read : storage.reports
  const counting = { filter, range, exact: query.total !== 'quick', nowMs }
  const { total, exact, seqs }: Total = isAll
    ? { total: facts.links, exact: true }
    : await ctx.totals(sqlx, counting, facts.changes)
  const rows = await fetchPage(sqlx, {
    filter,
    range,
    sort,
    descending,
    after: start,
    offset: ((page ?? 1) - 1) * limit,
    limit: limit + 1,
    seqs,
    few: ctx.few,
    nowMs,
  })
  const isLonger = rows.length > limit
  if (isLonger) rows.pop()
  if (isBackward) rows.reverse()
  // A cursor stays good when its page is empty: the next position leads back to the page before it.
  const beyond = start && { k: start.k, seq: start.seq + (descending ? -1 : 1) }
  const [first, last] = [rows[0] ?? beyond, rows.at(-1) ?? beyond]
  const encode = (direction: 'next' | 'prev', position: Position | null) =>
    position && cursors.encode([direction, position.k, position.seq], binding)
  const hasNext = isBackward || isLonger
  const hasPrevious = isBackward ? isLonger : start !== null || (page ?? 1) > 1
  return {
    data: rows.map((row) => ctx.render(row, row, nowMs)),
    pagination: {
      limit,
      total,
      ...(query.total === 'quick' && { total_is_exact: exact }),
      has_more: hasNext,
      next_cursor: hasNext ? encode('next', last) : null,
      prev_cursor: hasPrevious ? encode('prev', first) : null,
      ...(page !== undefined && { page }),
    },
  }
}

function filterOf({ blocks }: LinkContext, workspaceNo: number, query: ListQuery): LinkFilter {
  const term = foldForSearch(query.search ?? '')
  return {
    workspaceNo,
    term: term === '' ? null : term,
    tags: [...new Set((query.tags ?? []).map((tag) => foldCase(tag.trim())))].sort(),
    domainNo: query.domain ?? null,
    status: query.status ?? null,
    createdFrom: query.created_after ?? null,
    createdUntil: query.created_before ?? null,
    covering: query.status === undefined ? null : blocks.ofWorkspace(workspaceNo),
  }
}

/**
 * What is known of a workspace without counting: how many links it has, how many it ever had, and how
 * many entries its audit log has, of which every change of a link makes one, on whichever node.
 */
const storedFacts = prepare<{ no: number }, { links: number; made: number; changes: number }>(
  (db, p) =>
    db
      .selectFrom('workspaces')
      .select(['links_count as links', 'links_made as made', 'audit_made as changes'])
      .where('no', '=', p.no),
)

async function factsOf(sqlx: Sql, no: number) {
  const [facts = { links: 0, made: 0, changes: 0 }] = await sqlx.run(storedFacts, { no })
  return facts
}

/** How many links match a filter. */
interface Total {
  /** At least so many, where it isn't exact. */
  total: number
  exact: boolean
  /** The `seq` of all that match, where they are few. */
  seqs?: readonly number[]
}

/** What to count; not `exact`: no further than few. */
type TotalQuery = Pick<PageQuery, 'filter' | 'range' | 'nowMs'> & { exact: boolean }

/** So many totals are remembered. */
const TOTALS_MAX = 200

export type Totals = ReturnType<typeof createTotals>

/**
 * Counts each filter once while no link changes, because a client that turns the pages of a list asks
 * for the same total each time. What else a status depends on is read each time.
 */
export function createTotals(few: number) {
  const totals = new Map<string, Total & { version: string }>()
  return async (sqlx: Sql, query: TotalQuery, changes: number): Promise<Total> => {
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
  const { rows: counted } = await sql<{ n: number }>`
    SELECT count(*) AS n ${matches}`.execute(sqlx.db)
  return { total: counted[0]?.n ?? 0, exact: true }
}
