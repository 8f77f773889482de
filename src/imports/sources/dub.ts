import { listIn, type Source, textAt } from './types.ts'

const PER_PAGE = 100

/** `GET /links`: https://dub.co/docs/api-reference/links/list. Oldest first. */
export const dub: Source = {
  baseUrl: 'https://api.dub.co',
  async page(ask, token, cursor) {
    const query = {
      pageSize: String(PER_PAGE),
      sortBy: 'createdAt',
      sortOrder: 'asc',
      showArchived: 'true',
      ...(cursor !== null && { startingAfter: cursor }),
    }
    const records = listIn(await ask('/links', query, { Authorization: `Bearer ${token}` }))
    const isFull = records.length === PER_PAGE
    return { records, next: isFull ? textAt(records.at(-1), 'id') : null }
  },
}
