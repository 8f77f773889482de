import { listIn, pageOfPlaces, type Source, textAt } from './types.ts'

/**
 * `GET /api/links` of each domain: https://developers.short.io/docs/getting-a-list-of-links. Each
 * domain has a link without a path, for its root, which is skipped.
 */
export const shortIo: Source = {
  baseUrl: 'https://api.short.io',
  page(ask, token, cursor) {
    const headers = { Authorization: token }
    const domains = async () =>
      listIn(await ask('/api/domains', {}, headers)).map(({ id, hostname }) => ({
        id: String(id),
        host: String(hostname),
      }))
    return pageOfPlaces(cursor, domains, async ({ id, host }, after) => {
      const query = { domain_id: id, limit: '150', ...(after !== null && { pageToken: after }) }
      const answer = await ask('/api/links', query, headers)
      const records = listIn(answer, 'links')
        .filter(({ path }) => path !== '' && path !== null)
        .map((link) => ({ ...link, domain: host }))
      return { records, after: textAt(answer, 'nextPageToken') }
    })
  },
}
