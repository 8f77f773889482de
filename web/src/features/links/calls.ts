import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, ok, request, type Schemas } from '../../api/client.ts'
import { ApiError, type ErrorDetail } from '../../api/errors.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import type { LinksSearch } from './search.ts'

export type Link = Schemas['Link']
export type LinkList = Schemas['LinkList']
export type LinkCreate = Schemas['LinkCreate']
export type LinkPatch = Schemas['LinkPatch']
export type HistoryEntry = Schemas['LinkHistoryEntry']

export const PAGE_SIZE = 50

/** Every list of links that has been asked for in a workspace. */
export const listsKey = (workspace: string) => ['links', workspace, 'list'] as const

/** Midnight of a day in the person's time zone, `daysLater` days after. */
function midnight(day: string, daysLater = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}

function listQuery(search: LinksSearch) {
  const { q, tag, folder, archived, domain, status, after, before, sort, order, cursor } = search
  return {
    limit: PAGE_SIZE,
    // Of a million matches nobody wants to wait for the last one to be counted.
    total: 'quick' as const,
    ...(q ? { search: q } : {}),
    ...(tag ? { tag } : {}),
    ...(folder ? { folder } : {}),
    ...(archived ? { archived } : {}),
    ...(domain ? { domain } : {}),
    ...(status ? { status } : {}),
    ...(after ? { created_after: midnight(after) } : {}),
    // The last day counts whole.
    ...(before ? { created_before: midnight(before, 1) } : {}),
    ...(sort ? { sort } : {}),
    ...(order ? { order } : {}),
    ...(cursor ? { cursor } : {}),
  }
}

/** What an export is asked for: all that a list finds. */
export function exportQuery(search: LinksSearch) {
  const { limit: _, total: __, cursor: ___, ...query } = listQuery(search)
  return query
}

/** How many links a search finds, each counted. */
export async function countFound(search: LinksSearch): Promise<number> {
  const query = { ...listQuery(search), limit: 1, total: 'exact' as const }
  const { pagination } = await ok(api.GET('/api/v1/links', { params: { query } }))
  return pagination.total
}

/** What is done with all links that a search finds. */
export type FoundChange = Omit<Schemas['LinkBulkByFilter'], 'filter' | 'expected'>

/** Changes all links that a search finds, as a job of the server. */
export function changeFound(search: LinksSearch, expected: number, change: FoundChange) {
  const body = { filter: filterOf(search), expected, ...change }
  return ok(api.POST('/api/v1/links/bulk/by-filter', { body }))
}

function filterOf(search: LinksSearch) {
  const { sort: _, order: __, ...filter } = exportQuery(search)
  return filter
}

/** What a change of many links would come to. */
export interface Tried {
  succeeded: number
  failed: number
  /** Why it fails, each once; without a field where it is the fault of none. */
  reasons: { field: string; message: string }[]
}

const DRY_RUN = { query: { dry_run: 'true' } } as const
/** So many links are tried; the API takes no more. */
export const TRIED_MAX = 1_000

/** What {@link changeFound} would come to; nothing is written. */
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

/** What a change of some links would come to; nothing is written. */
export async function tryLinks(
  links: readonly Link[],
  patch: (link: Link) => LinkPatch,
): Promise<Tried> {
  const operations = links
    .slice(0, TRIED_MAX)
    .map((link) => ({ op: 'update' as const, id: link.id, link: patch(link) }))
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
  const query = listQuery(search)
  return queryOptions({
    queryKey: [...listsKey(workspace), query],
    queryFn: ({ signal }) => ok(api.GET('/api/v1/links', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}

/** One link. */
export function linkQuery(workspace: string, id: string) {
  return queryOptions({
    queryKey: ['links', workspace, 'one', id],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/links/{id}', { params: { path: { id } }, signal })),
  })
}

/** What was changed of a link, newest first. */
/** A link's changes, the newest first; another version is another entry. */
export function historyQuery(workspace: string, { id, version }: Link) {
  return pagedQuery([...historyKey(workspace, id), version], (query, signal) =>
    ok(api.GET('/api/v1/links/{id}/history', { params: { path: { id }, query }, signal })),
  )
}

/** All that was asked of a link's history. */
export const historyKey = (workspace: string, id: string) =>
  ['links', workspace, 'history', id] as const

/** Clicks of each of the last 30 days, by link. */
export function sparklinesQuery(workspace: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: ['links', workspace, 'sparklines', ids],
    queryFn: ({ signal }) =>
      request<{ data: Record<string, number[]> }>('GET', '/api/v1/links/sparklines', {
        query: { ids: ids.join(',') },
        signal,
      }),
    enabled: ids.length > 0,
    staleTime: 60_000,
    retry: false,
  })
}

export function createLink(body: LinkCreate): Promise<Link> {
  return ok(api.POST('/api/v1/links', { body }))
}

/** Changes a link; where `version` is named only that one, else 412. */
export function updateLink(id: string, body: LinkPatch, version?: number): Promise<Link> {
  const header = version === undefined ? {} : { 'If-Match': `"${version}"` }
  return ok(api.PATCH('/api/v1/links/{id}', { params: { path: { id }, header }, body }))
}

/** A link as it is now. */
export function readLink(id: string): Promise<Link> {
  return ok(api.GET('/api/v1/links/{id}', { params: { path: { id } } }))
}

/**
 * Changes a link by what it is: where somebody else was quicker, the change is made from what they
 * left.
 */
export async function amendLink(link: Link, change: (link: Link) => LinkPatch): Promise<Link> {
  for (let current = link, tries = 3; ; tries--) {
    try {
      return await updateLink(current.id, change(current), current.version)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || tries === 0) throw error
      current = await readLink(current.id)
    }
  }
}

export async function deleteLink(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/links/{id}', { params: { path: { id } } }))
}

/** How many clicks a link has before a time; null: none is chosen. */
export const clicksBeforeQuery = (workspace: string, link: Link, before: string | null) =>
  queryOptions({
    queryKey: [workspace, 'stats', 'before', link.id, before],
    enabled: before !== null,
    async queryFn({ signal }) {
      const now = new Date().toISOString()
      const to = before !== null && before < now ? before : now
      const query = { from: '2000-01-01', to, interval: 'month', bots: 'include' }
      const path = `/api/v1/links/${link.id}/stats`
      type Answer = { data: { totals: { clicks: number } } }
      return (await request<Answer>('GET', path, { query, signal })).data.totals.clicks
    },
  })

/** Deletes the clicks of a link before a time, for good. */
export async function deleteClicks(id: string, before: string): Promise<void> {
  await request('DELETE', `/api/v1/links/${id}/clicks`, { query: { before } })
}

/** Brings a deleted link back, or an earlier version of one that is there. */
export function restoreLink(id: string, version?: number): Promise<Link> {
  const body = version === undefined ? {} : { version }
  return ok(api.POST('/api/v1/links/{id}/restore', { params: { path: { id } }, body }))
}

/** What would be wrong with a link, without making it. */
export interface LinkCheck {
  problems: ErrorDetail[]
  suggestions: string[]
}

export function checkLink(
  body: { destination_url?: string; slug?: string; domain?: string; exclude_id?: string },
  signal: AbortSignal,
): Promise<LinkCheck> {
  return request('POST', '/api/v1/links/check', { body, signal })
}
