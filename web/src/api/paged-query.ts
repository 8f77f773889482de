import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

/** A page of a list of the API. */
export interface ApiPage<Item> {
  data: Item[]
  pagination: { next_cursor: string | null }
}

/** A list of the API, whose pages follow one another: its data are the items of those that are there. */
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
