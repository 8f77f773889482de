import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

/** A page of a list of the API. */
export interface ApiPage<Item> {
  data: Item[]
  pagination: { next_cursor: string | null }
}

/** An infinite query of a list of the API: its data are the items of all loaded pages. */
export function pagedQuery<Item, const Key extends QueryKey>(
  queryKey: Key,
  ask: (cursor: { cursor?: string }, signal: AbortSignal) => Promise<ApiPage<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      ask(pageParam === null ? {} : { cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}
