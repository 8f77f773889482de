import type { BlockList } from '../blocks/list.ts'
import type { Cursors, CursorValue } from '../http/cursor.ts'
import { foldCase } from '../validation/text.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { isPlain, type LinkFilter, rangeOf } from './filter.ts'
import { fetchPage, type PageRow } from './page.ts'
import type { Link } from './schemas.ts'
import { searchTerm } from './search.ts'
import type { Status } from './status.ts'
import { factsOf, type Total, type Totals } from './totals.ts'
import type { Position, Sort } from './walk.ts'

/** What a list is asked for. Times in milliseconds. */
export interface ListQuery {
  search?: string | undefined
  tags?: readonly string[] | undefined
  /** The domain's number. */
  domain?: number | undefined
  status?: Status | undefined
  created_after?: number | undefined
  created_before?: number | undefined
  sort: Sort
  order: 'asc' | 'desc'
  limit: number
  cursor?: string | undefined
  /** From 1; an alternative to `cursor`. */
  page?: number | undefined
  /** `quick`: many links are only counted so far; `total_is_exact` says so. Default `exact`. */
  total?: 'exact' | 'quick' | undefined
}

/** One page, and where the ones before and after it begin. */
export interface ListResult {
  data: Link[]
  pagination: {
    limit: number
    total: number
    /** False: there are at least `total`. Only with `total=quick`. */
    total_is_exact?: boolean
    has_more: boolean
    next_cursor: string | null
    prev_cursor: string | null
    page?: number
  }
}

export interface ListContext extends Pick<LinkContext, 'storage' | 'clock' | 'render'> {
  cursors: Cursors
  blocks: BlockList
  totals: Totals
  /** How many links are collected and sorted; of more, the sort's index is walked. */
  few: number
}

/**
 * A page of a workspace's links.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR)
 */
export async function list(
  ctx: ListContext,
  { workspace }: LinkCaller,
  query: ListQuery,
): Promise<ListResult> {
  const { storage, cursors } = ctx
  const filter = filterOf(ctx, workspace.no, query)
  const binding = JSON.stringify([{ ...filter, covering: null }, query.sort, query.order])
  const { limit, page, cursor } = query
  const start = cursor === undefined ? null : positionOf(cursors.decode(cursor, binding))
  const nowMs = ctx.clock.now()
  const facts = await factsOf(storage.read, workspace.no)
  const range = await rangeOf(storage.read, filter, facts.made)
  const isAll = isPlain(filter) && range.whole
  // Some point reads are done by the serving thread; all else may take long.
  const isByClicks = query.sort === 'clicks' || query.sort === 'last_clicked_at'
  const isLight = isAll && page === undefined && !isByClicks
  const sqlx = isLight ? storage.read : storage.reports
  const counted: Total = isAll
    ? { total: facts.links, exact: true }
    : await ctx.totals.count(
        sqlx,
        { filter, range, exact: query.total !== 'quick', nowMs },
        facts.changes,
      )

  const isBackward = start?.isBackward ?? false
  const rows = await fetchPage(sqlx, {
    filter,
    range,
    sort: query.sort,
    descending: (query.order === 'desc') !== isBackward,
    after: start?.position ?? null,
    offset: ((page ?? 1) - 1) * limit,
    limit: limit + 1,
    seqs: counted.seqs,
    few: ctx.few,
    nowMs,
  })
  const isLonger = rows.length > limit
  if (isLonger) rows.pop()
  if (isBackward) rows.reverse()
  const ends = endsOf(rows, query, start)
  const hasNext = isBackward || isLonger
  const hasPrevious = isBackward ? isLonger : start !== null || (page ?? 1) > 1
  const encode = (direction: 'next' | 'prev', { key, seq }: Position) =>
    cursors.encode([direction, key, seq], binding)
  return {
    data: rows.map((row) => ctx.render(row, row, nowMs)),
    pagination: {
      limit,
      total: counted.total,
      ...(query.total === 'quick' && { total_is_exact: counted.exact }),
      has_more: hasNext,
      next_cursor: hasNext && ends !== null ? encode('next', ends.last) : null,
      prev_cursor: hasPrevious && ends !== null ? encode('prev', ends.first) : null,
      ...(page !== undefined && { page }),
    },
  }
}

function filterOf({ blocks }: ListContext, workspaceNo: number, query: ListQuery): LinkFilter {
  const term = searchTerm(query.search ?? '')
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

/** Where a cursor points to, and whether the list is walked back from there. */
interface Start {
  position: Position
  isBackward: boolean
}

function positionOf([direction, key, seq]: CursorValue[]): Start {
  return {
    position: { key: key as number | string, seq: seq as number },
    isBackward: direction === 'prev',
  }
}

/**
 * The first and last position of a page. A page without links gets the position next to its cursor's,
 * so that walking back from it finds the page before. Null: an empty page without a cursor.
 */
function endsOf(
  rows: readonly PageRow[],
  { order }: ListQuery,
  start: Start | null,
): { first: Position; last: Position } | null {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first !== undefined && last !== undefined) {
    return { first: { key: first.k, seq: first.seq }, last: { key: last.k, seq: last.seq } }
  }
  if (start === null) return null
  const { key, seq } = start.position
  const step = (order === 'desc') !== start.isBackward ? -1 : 1
  const next = { key, seq: seq + step }
  return { first: next, last: next }
}
