import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import { type LinksSearch, sortOf } from './search.ts'

export type Link = Schemas['Link']
export type LinkList = Schemas['LinkList']
export type LinkCreate = Schemas['LinkCreate']
export type LinkPatch = Schemas['LinkPatch']
export type HistoryEntry = Schemas['LinkHistoryEntry']

export const PAGE_SIZE = 50

/** The key of all lists of links in a workspace. */
export const listsKey = (workspace: string) => workspaceKey(workspace, 'links', 'list')

/** Midnight of a day in the person's time zone, `daysLater` days after. */
function midnight(day: string, daysLater = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}

function listQuery(search: LinksSearch) {
  const { q, tag, any, untagged, rules, password, unclicked, ...rest } = search
  const { folder, archived, domain, status, creator, after, before, order, cursor } = rest
  const sort = sortOf(search)
  return {
    limit: PAGE_SIZE,
    // Of a million matches an exact total would take too long.
    total: 'quick' as const,
    ...(q ? { search: q } : {}),
    ...(tag ? (any ? { any_tag: tag } : { tag }) : {}),
    ...(untagged ? { tagged: false } : {}),
    ...(rules ? { has_rules: true } : {}),
    ...(password ? { has_password: true } : {}),
    ...(unclicked ? { clicked: false } : {}),
    ...(folder ? { folder_id: folder } : {}),
    ...(archived ? { archived } : {}),
    ...(domain ? { domain } : {}),
    ...(status ? { status } : {}),
    ...(creator ? { created_by: creator } : {}),
    ...(after ? { created_after: midnight(after) } : {}),
    // The last day is included.
    ...(before ? { created_before: midnight(before, 1) } : {}),
    ...(sort === 'created_at' ? {} : { sort }),
    ...(order ? { order } : {}),
    ...(cursor ? { cursor } : {}),
  }
}

/** The query of an export: all matches of a list. */
export function exportQuery(search: LinksSearch) {
  // Exports have no order by relevance.
  const { limit: _, total: __, cursor: ___, sort, ...query } = listQuery(search)
  return { ...query, ...(sort === undefined || sort === 'relevance' ? {} : { sort }) }
}

/** The exact number of a search's matches. */
export async function countFound(search: LinksSearch): Promise<number> {
  const query = { ...exportQuery(search), limit: 1, total: 'exact' as const }
  const { pagination } = await ok(api.GET('/api/v1/links', { params: { query } }))
  return pagination.total
}

/** A change of all matches of a search. */
export type FoundChange = Omit<Schemas['LinkBulkByFilter'], 'filter' | 'expected'>

/** Changes all matches of a search, as a job of the server. */
export function changeFound(search: LinksSearch, expected: number, change: FoundChange) {
  const body = { filter: filterOf(search), expected, ...change }
  return ok(api.POST('/api/v1/links/bulk/by-filter', { body }))
}

function filterOf(search: LinksSearch) {
  const { sort: _, order: __, ...filter } = exportQuery(search)
  return filter
}

/** The outcome of a dry run of many changes. */
export interface Tried {
  succeeded: number
  failed: number
  /** The distinct reasons of failures; without a field if none is concerned. */
  reasons: { field: string; message: string }[]
}

const DRY_RUN = { query: { dry_run: 'true' } } as const
/** The most links of a dry run, which is the API's limit. */
export const TRIED_MAX = 1_000

/** A dry run of {@link changeFound}. */
export async function tryFound(
  search: LinksSearch,
  expected: number,
  change: FoundChange,
): Promise<Tried> {
  const body = { filter: filterOf(search), expected, ...change }
  const answer = api.POST('/api/v1/links/bulk/by-filter', { params: DRY_RUN, body })
  const { errors, ...counts } = (await ok(answer)).result as unknown as Counts & {
    errors: Failure[]
  }
  return { ...counts, reasons: reasonsOf(errors) }
}

/** A dry run of a change of some links. */
export async function tryLinks(links: readonly Link[], patch: LinkPatch): Promise<Tried> {
  const operations = links
    .slice(0, TRIED_MAX)
    .map(({ id }) => ({ op: 'update' as const, id, link: patch }))
  const answer = api.POST('/api/v1/links/bulk', { params: DRY_RUN, body: { operations } })
  const { data, summary } = await ok(answer)
  return { ...summary, reasons: reasonsOf(data.flatMap(({ error }) => error ?? [])) }
}

type Counts = Pick<Tried, 'succeeded' | 'failed'>
type Failure = { message: string; details?: Tried['reasons'] }

function reasonsOf(failures: readonly Failure[]): Tried['reasons'] {
  const each = failures.flatMap(({ message, details = [] }) =>
    details.length > 0 ? details : { field: '', message },
  )
  return [...new Map(each.map((reason) => [reason.message, reason])).values()]
}

/** One page of links. */
export function linksQuery(workspace: string, search: LinksSearch) {
  // With the workspace in the URL: `src/http/dashboard/page.ts` preloads it.
  const query = { ...listQuery(search), workspace }
  return queryOptions({
    queryKey: [...listsKey(workspace), query],
    queryFn: ({ signal }) => ok(api.GET('/api/v1/links', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}

/** The newest links that lead to a destination, also archived ones. */
export function leadingToQuery(workspace: string, destination_url: string) {
  const query = { destination_url, archived: 'any', limit: 3, total: 'quick' } as const
  return queryOptions({
    queryKey: [...listsKey(workspace), query],
    queryFn: ({ signal }) => ok(api.GET('/api/v1/links', { params: { query }, signal })),
    // Like all lists below this key, the cache has the whole list: changes of links update it.
    select: ({ data }) => data,
    staleTime: 5_000,
    retry: false,
  })
}

/** Links that can still be restored; `id`: only one. */
export function deletedQuery(workspace: string, id?: string) {
  return pagedQuery(workspaceKey(workspace, 'links', 'deleted', id ?? null), (cursor, signal) => {
    const query = { limit: 50, ...(id !== undefined && { id }), ...cursor }
    return ok(api.GET('/api/v1/links/deleted', { params: { query }, signal }))
  })
}

/** One link. */
export function linkQuery(workspace: string, id: string) {
  return queryOptions({
    queryKey: workspaceKey(workspace, 'links', 'one', id),
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/links/{id}', { params: { path: { id } }, signal })),
  })
}

/** A link's changes, newest first; a new version has a new entry. */
export function historyQuery(workspace: string, { id, version }: Link) {
  return pagedQuery([...historyKey(workspace, id), version], (query, signal) =>
    ok(api.GET('/api/v1/links/{id}/history', { params: { path: { id }, query }, signal })),
  )
}

/** The key of all queries of a link's history. */
export const historyKey = (workspace: string, id: string) =>
  workspaceKey(workspace, 'links', 'history', id)

/** Clicks of each of the last 30 days, by link. */
export function sparklinesQuery(workspace: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: workspaceKey(workspace, 'links', 'sparklines', ids),
    queryFn: ({ signal }) =>
      ok(
        api.GET('/api/v1/links/sparklines', { params: { query: { ids: ids.join(',') } }, signal }),
      ),
    enabled: ids.length > 0,
    staleTime: 60_000,
    retry: false,
  })
}

export function createLink(body: LinkCreate): Promise<Link> {
  return ok(api.POST('/api/v1/links', { body }))
}

/** Changes a link; with `version` only that one, else 412. */
export function updateLink(id: string, body: LinkPatch, version?: number): Promise<Link> {
  const header = version === undefined ? {} : { 'If-Match': `"${version}"` }
  return ok(api.PATCH('/api/v1/links/{id}', { params: { path: { id }, header }, body }))
}

/** A link's current state. */
export function readLink(id: string): Promise<Link> {
  return ok(api.GET('/api/v1/links/{id}', { params: { path: { id } } }))
}

/** An operation of a bulk request. */
export type BulkOperation = Schemas['LinkBulk']['operations'][number]
/** The result. */
export type BulkOutcome = Schemas['LinkBulkResult']['data'][number]

/** Changes many links with one request, each on its own. */
export async function bulkLinks(operations: BulkOperation[]): Promise<BulkOutcome[]> {
  return (await ok(api.POST('/api/v1/links/bulk', { body: { operations } }))).data
}

export async function deleteLink(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/links/{id}', { params: { path: { id } } }))
}

/** How many clicks a link has before a time; null: none chosen. */
export const clicksBeforeQuery = (workspace: string, link: Link, before: string | null) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'stats', 'before', link.id, before),
    enabled: before !== null,
    async queryFn({ signal }) {
      const now = new Date().toISOString()
      const to = before !== null && before < now ? before : now
      const query = { from: '2000-01-01', to, interval: 'month', bots: 'include' } as const
      const params = { path: { id: link.id }, query }
      const { totals } = await ok(api.GET('/api/v1/links/{id}/stats', { params, signal }))
      return totals.clicks
    },
  })

/** Permanently deletes the clicks of a link before a time. */
export async function deleteClicks(id: string, before: string): Promise<void> {
  await ok(api.DELETE('/api/v1/links/{id}/clicks', { params: { path: { id }, query: { before } } }))
}

/** Restores a deleted link, or an earlier version of an existing one; with `from` only that one, else 412. */
export function restoreLink(id: string, version?: number, from?: number): Promise<Link> {
  const body = version === undefined ? {} : { version }
  const header = from === undefined ? {} : { 'If-Match': `"${from}"` }
  return ok(api.POST('/api/v1/links/{id}/restore', { params: { path: { id }, header }, body }))
}

/** What a page says about itself: the server requests it. */
export function readPageDetails(url: string): Promise<Schemas['PageDetails']> {
  return ok(api.POST('/api/v1/page-details', { body: { url } }))
}

/** The faults of a link that isn't created yet, or the slug that it would get. */
export function checkLink(
  body: Schemas['LinkCheck'],
  signal?: AbortSignal,
): Promise<Schemas['LinkCheckResult']> {
  return ok(api.POST('/api/v1/links/check', { body, ...(signal && { signal }) }))
}
