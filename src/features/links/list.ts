import { sql } from 'kysely'
import { viewOf } from '../../lib/base/view.ts'
import { foldCase, foldForSearch } from '../../lib/validation/text.ts'
import { slugKey } from '../../model/links/slug.ts'
import { prepare, type Sql } from '../../platform/storage/index.ts'
import { findIdsOf } from '../folders/index.ts'
import { hasTagWith, numbersOfTags } from '../tags/index.ts'
import type { LinkContext, LinkWriter } from './context.ts'
import { idOfCreator, ME, sameCreators } from './creator.ts'
import { isPlain, isPlainButArchived, rangeOf } from './filter.ts'
import type { LinkFilter, NamedLinks } from './filter-types.ts'
import type { FilterQuery, ListQuery } from './list-query.ts'
import { fetchPage, type Position } from './page.ts'
import type { LinkList } from './schemas.ts'
import { countArchived, factsOf, type Total } from './totals.ts'

/** A page of a workspace's links. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
export async function list(
  ctx: LinkContext,
  caller: LinkWriter,
  query: ListQuery,
): Promise<LinkList> {
  const { cursors } = ctx
  const { sort, order, limit, page, cursor } = query
  const asked = filterOf(ctx, caller, query)
  const binding = JSON.stringify([{ ...asked, covering: null }, sort, order])
  const [direction, k, seq] = cursor === undefined ? [] : cursors.decode(cursor, binding)
  const start = direction === undefined ? null : ({ k, seq } as Position)
  const isBackward = direction === 'prev'
  const descending = (order === 'desc') !== isBackward
  const { sqlx, total, exact, found } = await find(ctx, asked, query)
  const rows = await fetchPage(sqlx, {
    ...found,
    descending,
    after: start,
    offset: ((page ?? 1) - 1) * limit,
    limit: limit + 1,
  })
  const isLonger = rows.length > limit
  if (isLonger) rows.pop()
  if (isBackward) rows.reverse()
  // A cursor stays valid if its page is empty: the next position leads back to the previous page.
  const beyond = start && { k: start.k, seq: start.seq + (descending ? -1 : 1) }
  const [first, last] = [rows[0] ?? beyond, rows.at(-1) ?? beyond]
  const encode = (direction: 'next' | 'prev', position: Position | null) =>
    position && cursors.encode([direction, position.k, position.seq], binding)
  const hasNext = isBackward || isLonger
  const hasPrevious = isBackward ? isLonger : start !== null || (page ?? 1) > 1
  return {
    data: rows.map((row) => ctx.render(row, row, found.nowMs)),
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

/** How many links match, and how their pages are fetched. */
export async function find(ctx: LinkContext, asked: LinkFilter, query: ListQuery) {
  const { storage, few } = ctx
  const { sort, page } = query
  const { workspaceNo } = asked
  const nowMs = ctx.clock.now()
  const facts = await factsOf(storage.read, workspaceNo)
  const filter = { ...(await resolve(storage.read, asked)), isOrdered: facts.unordered === 0 }
  if (sort === 'relevance' && query.search) {
    const slugKeys = keysOf(query.search.trim())
    filter.exact = await findNamed(storage.read, workspaceNo, {
      ids: null,
      externalIds: null,
      slugKeys,
    })
  }
  const range = await rangeOf(storage.read, filter, facts.made)
  const isAll = isPlain(filter) && range.whole
  // A few point reads run on the serving thread; everything else may take long.
  const isOfLinks = sort === 'created_at' || sort === 'updated_at' || sort === 'slug'
  const sqlx = isAll && page === undefined && isOfLinks ? storage.read : storage.reports
  const counting = { filter, range, exact: query.total !== 'quick', nowMs }
  const { total, exact, seqs }: Total = isAll
    ? { total: facts.links, exact: true }
    : isPlainButArchived(filter) && range.whole && filter.archived === false
      ? { total: facts.links - (await countArchived(sqlx, workspaceNo)), exact: true }
      : await ctx.totals(sqlx, counting, facts.changes)
  return { sqlx, total, exact, made: facts.made, found: { filter, range, sort, seqs, few, nowMs } }
}

/** The filter of a query, without what needs the database. */
export function filterOf(
  { blocks }: LinkContext,
  caller: LinkWriter,
  query: FilterQuery,
): LinkFilter {
  const term = foldForSearch(query.search ?? '')
  const { actor } = caller
  const { no: workspaceNo } = caller.workspace
  const { folder_id: folder, archived = 'false', created_by: creator } = query
  return {
    workspaceNo,
    term: term === '' ? null : term,
    termInTags: false,
    tagNos: [],
    folder: folder === undefined || folder === 'none' ? (folder ?? null) : [folder],
    view: viewOf(caller),
    archived: archived === 'any' ? null : archived === 'true',
    tags: keysOfTags(query.tags ?? []),
    domainNo: query.domain ?? null,
    targetUrl: query.destination_url ?? null,
    createdBy: creator === ME ? idOfCreator(actor) : (creator ?? null),
    createdByIds: null,
    anyTag: query.any_tag === undefined ? null : keysOfTags(query.any_tag),
    anyTagNos: null,
    hasRules: query.has_rules ?? null,
    hasPassword: query.has_password ?? null,
    isTagged: query.tagged ?? null,
    isClicked: query.clicked ?? null,
    exact: [],
    status: query.status ?? null,
    createdFrom: query.created_after ?? null,
    createdUntil: query.created_before ?? null,
    named: namedIn(query),
    only: null,
    covering: query.status === undefined ? null : blocks.ofWorkspace(workspaceNo),
  }
}

/** Resolves tags, folder and named links of a filter. */
export async function resolve(sqlx: Sql, filter: LinkFilter): Promise<LinkFilter> {
  const { workspaceNo, term, tags, anyTag, folder, view, archived, named, createdBy } = filter
  return {
    ...filter,
    createdByIds: createdBy === null ? null : await sameCreators(sqlx, workspaceNo, createdBy),
    anyTagNos: anyTag && (await numbersOfTags(sqlx, workspaceNo, anyTag)).flat(),
    termInTags: term !== null && (await hasTagWith(sqlx, workspaceNo, term)),
    tagNos: await numbersOfTags(sqlx, workspaceNo, tags),
    only: named && (await findNamed(sqlx, workspaceNo, named)),
    folder: Array.isArray(folder) ? await findIdsOf(sqlx, workspaceNo, folder[0], view) : folder,
    // Without archived links the condition isn't needed.
    archived: archived === false && !(await hasArchived(sqlx, workspaceNo)) ? null : archived,
  }
}

function keysOfTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => foldCase(tag.trim())))].sort()
}

/** The links named by a query, without duplicates; null: none are named. */
function namedIn({ id, external_id, slug }: FilterQuery): NamedLinks | null {
  if (id === undefined && external_id === undefined && slug === undefined) return null
  const unique = (texts: readonly string[] | undefined) =>
    texts === undefined ? null : [...new Set(texts)].sort()
  return {
    ids: unique(id),
    externalIds: unique(external_id),
    slugKeys: unique(slug?.flatMap(keysOf)),
  }
}

/** The key on case-insensitive domains, and the one on case-sensitive ones. */
function keysOf(text: string): string[] {
  return [slugKey(text), slugKey(text, true)]
}

/** The `seq` of the links of a workspace that have a name of every list. */
async function findNamed(
  { db }: Sql,
  workspaceNo: number,
  { ids, externalIds, slugKeys }: NamedLinks,
): Promise<number[]> {
  const links = db.selectFrom('links').select('seq').where('workspace_no', '=', workspaceNo)
  const sets: (readonly { seq: number | null }[])[] = []
  if (ids !== null) sets.push(await links.where('id', 'in', ids).execute())
  if (externalIds !== null) sets.push(await links.where('external_id', 'in', externalIds).execute())
  if (slugKeys !== null) {
    const slugs = db.selectFrom('slugs').select('link_seq as seq')
    const own = slugs.where('slug_key', 'in', slugKeys).where('workspace_no', '=', workspaceNo)
    sets.push(await own.where('link_seq', 'is not', null).execute())
  }
  const [first = new Set<number>(), ...others] = sets.map(
    (rows) => new Set(rows.flatMap(({ seq }) => seq ?? [])),
  )
  const common = others.reduce((all, each) => all.intersection(each), first)
  return [...common].sort((a, b) => a - b)
}

const anyArchived = prepare<{ no: number }, { seq: number }>((db, p) =>
  db
    .selectFrom('links')
    .select('seq')
    .where('workspace_no', '=', p.no)
    .where('archived', '=', sql<number>`1`)
    .limit(1),
)

async function hasArchived(sqlx: Sql, no: number): Promise<boolean> {
  return (await sqlx.run(anyArchived, { no })).length > 0
}
