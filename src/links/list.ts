import type { Cursors, CursorValue } from '../http/cursor.ts'
import type { Sql } from '../storage/index.ts'
import { foldCase } from '../validation/text.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import {
  type Count,
  countLinks,
  factsOf,
  fewOf,
  lasting,
  readUses,
  type WorkspaceFacts,
} from './count.ts'
import { isPlain, type LinkFilter, type SeqRange, wholeRange } from './filter.ts'
import { fetchPage, type PageQuery, type PageRow } from './page.ts'
import { searchTerm } from './search.ts'
import type { Status } from './status.ts'
import { rangeOf } from './times.ts'
import type { Totals } from './totals.ts'
import type { Link } from './types.ts'
import { type Position, positionOf, type Sort } from './walk.ts'

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
  totals: Totals
  /** How far `total=quick` counts. */
  quickTotal: number
}

/** A deeper page by number reads so many index entries that the serving thread would wait. */
const OFFSET_AT_ONCE = 1_000

/**
 * A page of a workspace's links.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR)
 */
export async function list(
  ctx: ListContext,
  { workspace }: LinkCaller,
  query: ListQuery,
): Promise<ListResult> {
  const { storage, clock, totals } = ctx
  const filter = filterOf(workspace.no, query)
  const binding = JSON.stringify([filter, query.sort, query.order])
  const start = startOf(ctx.cursors, query, binding)
  const nowMs = clock.now()
  const now = await factsOf(storage.read, workspace.no)
  const range = await rangeOf(storage.read, filter, now.made)
  const sqlx = isLight(query, filter, range) ? storage.read : storage.reports

  const uses = await readUses(sqlx, filter)
  let facts = { ...now, uses }
  let count = totals.get(filter, facts, nowMs)
  if (count === undefined) {
    // As it stands where it is counted: a copy may not have heard of the newest links yet.
    if (sqlx !== storage.read) facts = { ...(await factsOf(sqlx, workspace.no)), uses }
    const remember = totals.begin(filter, facts, nowMs)
    // A page by its number is found by the total.
    const most = query.total === 'quick' && start.page === undefined ? ctx.quickTotal : null
    const counted = await countFrom(ctx, sqlx, filter, range, facts, nowMs, most)
    count = counted.count
    if (count.exact) remember(await lasting(sqlx, filter, counted.fresh, nowMs, count))
  }
  const page = { filter, range, sort: query.sort, count, links: facts.links, nowMs }
  const found = await fetch(sqlx, page, query, start)
  return {
    data: found.rows.map((row) => ctx.render(row, row, nowMs)),
    pagination: {
      limit: query.limit,
      total: count.total,
      ...(query.total === 'quick' && { total_is_exact: count.exact }),
      has_more: found.after !== null,
      next_cursor: encode(ctx.cursors, 'next', found.after, binding),
      prev_cursor: encode(ctx.cursors, 'prev', found.before, binding),
      ...(start.page !== undefined && { page: start.page }),
    },
  }
}

/**
 * Counts what matches: all of it, no further than `most`, or only the links that are new since it
 * was counted before. `fresh`: those that were looked at.
 */
async function countFrom(
  { totals }: Pick<ListContext, 'totals'>,
  sqlx: Sql,
  filter: LinkFilter,
  range: SeqRange,
  facts: WorkspaceFacts,
  now: number,
  most: number | null,
): Promise<{ count: Count; fresh: SeqRange }> {
  const { low } = wholeRange(filter.workspaceNo)
  const isCounted = filter.term !== null || filter.tags.length > 0
  if (!isCounted || !range.whole) {
    return { count: await countLinks(sqlx, filter, range, facts, now, most), fresh: range }
  }
  // Up to the newest link of the facts, so that what comes later can be added.
  const known = { ...range, high: low + facts.made }
  const before = totals.before(filter, facts, now)
  if (before === undefined) {
    return { count: await countLinks(sqlx, filter, known, facts, now, most), fresh: known }
  }
  const fresh = { low: low + before.made + 1, high: known.high, whole: false }
  // Few are new, and what was counted before was all: no bound is needed.
  const { total, seqs } = await countLinks(sqlx, filter, fresh, facts, now)
  const { driver, seqs: found, until } = before.count
  const all = total === 0 ? found : found && seqs && fewOf([...found, ...seqs])
  const count = {
    total: before.count.total + total,
    exact: true,
    driver: { ...driver, count: driver.count + (facts.made - before.made) },
    ...(all !== undefined && { seqs: all }),
    ...(until !== undefined && { until }),
  }
  return { count, fresh }
}

function filterOf(workspaceNo: number, query: ListQuery): LinkFilter {
  const term = searchTerm(query.search ?? '')
  return {
    workspaceNo,
    term: term === '' ? null : term,
    tags: [...new Set((query.tags ?? []).map((tag) => foldCase(tag.trim())))].sort(),
    domainNo: query.domain ?? null,
    status: query.status ?? null,
    createdFrom: query.created_after ?? null,
    createdUntil: query.created_before ?? null,
  }
}

/** Whether a page takes so few point reads that the serving thread can do them. */
function isLight(query: ListQuery, filter: LinkFilter, range: SeqRange): boolean {
  const offset = ((query.page ?? 1) - 1) * query.limit
  const isIndexed = query.sort !== 'clicks' && query.sort !== 'last_clicked_at'
  return isPlain(filter) && range.whole && isIndexed && offset <= OFFSET_AT_ONCE
}

/** Where a page begins: at a position, walked to or away from, or at a number. */
interface Start {
  position: Position | null
  backward: boolean
  page?: number
}

function startOf(cursors: Cursors, { cursor, page }: ListQuery, binding: string): Start {
  if (cursor === undefined) {
    return { position: null, backward: false, ...(page !== undefined && { page }) }
  }
  const [direction, key, seq] = cursors.decode(cursor, binding)
  return {
    position: { key: key as number | string, seq: seq as number },
    backward: direction === 'prev',
  }
}

function encode(
  cursors: Cursors,
  direction: 'next' | 'prev',
  position: Position | null,
  binding: string,
): string | null {
  if (position === null) return null
  const values: CursorValue[] = [direction, position.key, position.seq]
  return cursors.encode(values, binding)
}

interface Found {
  rows: PageRow[]
  /** The positions beyond which there is more; null where the list ends. */
  before: Position | null
  after: Position | null
}

type Page = Omit<PageQuery, 'descending' | 'after' | 'offset' | 'limit'>

async function fetch(sqlx: Sql, page: Page, query: ListQuery, start: Start): Promise<Found> {
  const descending = query.order === 'desc'
  if (start.page !== undefined) return fetchNumbered(sqlx, page, query, start.page)
  const rows = await fetchPage(sqlx, {
    ...page,
    descending: descending !== start.backward,
    after: start.position,
    offset: 0,
    limit: query.limit + 1,
  })
  const hasMore = rows.length > query.limit
  if (hasMore) rows.pop()
  if (!start.backward) {
    const before =
      start.position === null ? null : (first(rows) ?? beside(start.position, descending))
    return { rows, before, after: hasMore ? last(rows) : null }
  }
  rows.reverse()
  // There is more after these: it is where the cursor came from.
  const after = last(rows) ?? beside(start.position as Position, !descending)
  return { rows, before: hasMore ? first(rows) : null, after }
}

/** A page by its number, walked to from the nearer end. */
async function fetchNumbered(
  sqlx: Sql,
  page: Page,
  { limit, order }: ListQuery,
  number: number,
): Promise<Found> {
  const { total } = page.count
  const offset = (number - 1) * limit
  const left = Math.max(0, Math.min(limit, total - offset))
  if (left === 0) return { rows: [], before: null, after: null }
  const fromEnd = offset > total / 2
  const rows = await fetchPage(sqlx, {
    ...page,
    descending: (order === 'desc') !== fromEnd,
    after: null,
    offset: fromEnd ? total - offset - left : offset,
    limit: left,
  })
  if (fromEnd) rows.reverse()
  return {
    rows,
    before: number > 1 ? first(rows) : null,
    after: offset + left < total ? last(rows) : null,
  }
}

function first(rows: readonly PageRow[]): Position | null {
  return rows[0] === undefined ? null : positionOf(rows[0])
}

function last(rows: readonly PageRow[]): Position | null {
  const row = rows.at(-1)
  return row === undefined ? null : positionOf(row)
}

/** A position so close behind another one (in the list's direction) that it excludes only it not. */
function beside({ key, seq }: Position, descending: boolean): Position {
  return { key, seq: descending ? seq - 1 : seq + 1 }
}
