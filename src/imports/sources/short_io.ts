import { listIn, type Source, textAt } from './types.ts'

/** Which domains are still to be read, and from where the first one is. */
interface Position {
  domains: { id: string; host: string }[]
  after: string | null
}

/**
 * `GET /api/links` of each domain: https://developers.short.io/docs/getting-a-list-of-links. Each domain
 * has a link without a path, for its root, which is none here.
 */
export const shortIo: Source = {
  baseUrl: 'https://api.short.io',
  async page(ask, token, cursor) {
    const headers = { Authorization: token }
    let position: Position
    if (cursor === null) {
      const domains = listIn(await ask('/api/domains', {}, headers))
      position = {
        domains: domains.map(({ id, hostname }) => ({ id: String(id), host: String(hostname) })),
        after: null,
      }
    } else {
      position = JSON.parse(cursor) as Position
    }
    const [domain, ...others] = position.domains
    if (domain === undefined) return { records: [], next: null }
    const query = {
      domain_id: domain.id,
      limit: '150',
      ...(position.after !== null && { pageToken: position.after }),
    }
    const answer = await ask('/api/links', query, headers)
    const records = listIn(answer, 'links')
      .filter(({ path }) => path !== '' && path !== null)
      .map((link) => ({ ...link, domain: domain.host }))
    const after = textAt(answer, 'nextPageToken')
    const next: Position =
      after === null ? { domains: others, after: null } : { domains: position.domains, after }
    return { records, next: next.domains.length > 0 ? JSON.stringify(next) : null }
  },
}
