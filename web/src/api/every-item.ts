import type { ApiPage } from './paged-query.ts'

const PAGE = 100

/** All items of a list that is known to be short, page by page. */
export async function everyItem<Item>(
  ask: (page: { limit: number; cursor?: string }) => Promise<ApiPage<Item>>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, pagination } = await ask({ limit: PAGE, ...(cursor && { cursor }) })
    items.push(...data)
    cursor = pagination.next_cursor
  }
  return items
}
