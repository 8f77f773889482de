import { listIn, numberAt, type Source } from './types.ts'

const PER_PAGE = 50

/** `GET /api/v2/links`: https://docs.kutt.it, Kutt 3.2. */
export const kutt: Source = {
  async page(ask, token, cursor) {
    const skip = Number(cursor ?? 0)
    const query = { limit: String(PER_PAGE), skip: String(skip) }
    const answer = await ask('/api/v2/links', query, { 'X-API-KEY': token })
    const records = listIn(answer, 'data')
    const total = numberAt(answer, 'total')
    const after = skip + PER_PAGE
    return { records, next: total !== undefined && after < total ? String(after) : null, total }
  },
}
