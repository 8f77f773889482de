import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../../api/client.ts'
import { everyItem } from '../../../api/every-item.ts'
import { workspaceKey } from '../../../api/workspace-key.ts'
import type { OptionalColumn } from '../list/hidden-columns.ts'
import { type LinksSearch, type SearchChange, sortOf } from '../search.ts'

export type View = Schemas['View']

/** What a person can see that was saved, by name. */
const viewsQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'views'),
    queryFn: ({ signal }): Promise<View[]> =>
      everyItem((query) => ok(api.GET('/api/v1/views', { params: { query }, signal }))),
    staleTime: 60_000,
  })

const isOfLinks = ({ report }: View) => report === null

/** The views of the list of links. */
export const linkViewsQuery = (workspace: string) =>
  queryOptions({ ...viewsQuery(workspace), select: (views: View[]) => views.filter(isOfLinks) })

/** The saved filters of the statistics. */
export const savedFiltersQuery = (workspace: string) =>
  queryOptions({
    ...viewsQuery(workspace),
    select: (views: View[]) => views.filter((view) => !isOfLinks(view)),
  })

/** @throws ApiError */
export function createView(body: Schemas['ViewCreate']): Promise<View> {
  return ok(api.POST('/api/v1/views', { body }))
}

/** @throws ApiError */
export function updateView(id: string, body: Schemas['ViewPatch']): Promise<View> {
  return ok(api.PATCH('/api/v1/views/{id}', { params: { path: { id } }, body }))
}

/** @throws ApiError */
export async function deleteView(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/views/{id}', { params: { path: { id } } }))
}

/** What a view is saved with: a list of links, or filters of the statistics. */
export type Content = Shown | Pick<View, 'report'>

/** The content of a view of the list of links. */
export type Shown = Pick<View, 'filter' | 'sort' | 'order' | 'hidden_columns'>

/** The current list, as the content of a view. */
export function shownOf(search: LinksSearch, hidden: ReadonlySet<OptionalColumn>): Shown {
  const { q, tag, any, untagged, rules, password, unclicked, ...rest } = search
  const { folder, archived, domain, status, creator, after, before } = rest
  return {
    filter: {
      search: q ?? null,
      tag: any ? null : (tag ?? null),
      any_tag: any ? (tag ?? null) : null,
      tagged: untagged ? false : null,
      has_rules: rules ?? null,
      has_password: password ?? null,
      clicked: unclicked ? false : null,
      folder_id: folder ?? null,
      archived: archived ?? null,
      domain: domain ?? null,
      status: status ?? null,
      created_by: creator ?? null,
      created_after: after ?? null,
      created_before: before ?? null,
    },
    sort: savedSort(search),
    order: search.order ?? 'desc',
    hidden_columns: [...hidden],
  }
}

/** Relevance isn't saved: it is what a search without another order has. */
function savedSort(search: LinksSearch): Shown['sort'] {
  const sort = sortOf(search)
  return sort === 'relevance' ? 'created_at' : sort
}

/** A view as search parameters of the list. */
export function searchOf({ filter, sort, order }: Shown): SearchChange {
  return {
    q: filter.search ?? undefined,
    tag: filter.tag ?? filter.any_tag ?? undefined,
    any: filter.any_tag === null ? undefined : true,
    untagged: filter.tagged === false ? true : undefined,
    rules: filter.has_rules || undefined,
    password: filter.has_password || undefined,
    unclicked: filter.clicked === false ? true : undefined,
    folder: filter.folder_id ?? undefined,
    archived: filter.archived ?? undefined,
    domain: filter.domain ?? undefined,
    status: filter.status ?? undefined,
    creator: filter.created_by ?? undefined,
    after: filter.created_after ?? undefined,
    before: filter.created_before ?? undefined,
    sort: sort === 'created_at' ? undefined : sort,
    order: order === 'desc' ? undefined : order,
  }
}

/** Whether two views show the same links in the same order, in any columns. */
export function isSameList(one: Shown, other: Shown): boolean {
  return JSON.stringify(searchOf(one)) === JSON.stringify(searchOf(other))
}
