import { listIn, numberAt, type Source } from './types.ts'

const PER_PAGE = '50'

/** `GET /rest/v3/short-urls`: https://api-spec.shlink.io, Shlink 5.1. Oldest first. */
export const shlink: Source = {
  async page(ask, token, cursor) {
    const page = cursor ?? '1'
    const query = { page, itemsPerPage: PER_PAGE, orderBy: 'dateCreated-ASC' }
    const answer = await ask('/rest/v3/short-urls', query, { 'X-Api-Key': token })
    const records = listIn(answer, 'shortUrls', 'data')
    const pages = numberAt(answer, 'shortUrls', 'pagination', 'pagesCount') ?? 0
    return {
      records,
      next: Number(page) < pages ? String(Number(page) + 1) : null,
      total: numberAt(answer, 'shortUrls', 'pagination', 'totalItems'),
    }
  },
}
