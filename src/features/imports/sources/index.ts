import {
  at,
  listIn,
  nameIn,
  numberAt,
  objectsIn,
  pageOfPlaces,
  type Source,
  textAt,
  UnexpectedAnswer,
} from './types.ts'

export type { Ask } from './types.ts'

const SHLINK_PAGE = '50'

/** `GET /rest/v3/short-urls`: https://api-spec.shlink.io, Shlink 5.1. Oldest first. */
const shlink: Source = {
  async page(ask, token, cursor) {
    const page = cursor ?? '1'
    const query = { page, itemsPerPage: SHLINK_PAGE, orderBy: 'dateCreated-ASC' }
    const answer = await ask('/rest/v3/short-urls', query, { 'X-Api-Key': token })
    const records = listIn(answer, 'shortUrls', 'data')
    const pages = numberAt(answer, 'shortUrls', 'pagination', 'pagesCount') ?? 0
    return {
      records,
      next: records.length > 0 && Number(page) < pages ? String(Number(page) + 1) : null,
      total: numberAt(answer, 'shortUrls', 'pagination', 'totalItems'),
    }
  },
}

const KUTT_PAGE = 50

/** `GET /api/v2/links`: https://docs.kutt.it, Kutt 3.2. */
const kutt: Source = {
  async page(ask, token, cursor) {
    const skip = Number(cursor ?? 0)
    const query = { limit: String(KUTT_PAGE), skip: String(skip) }
    const answer = await ask('/api/v2/links', query, { 'X-API-KEY': token })
    const records = listIn(answer, 'data')
    const total = numberAt(answer, 'total')
    const after = skip + KUTT_PAGE
    const isLast = records.length === 0 || total === undefined || after >= total
    return { records, next: isLast ? null : String(after), total }
  },
}

const YOURLS_PAGE = 100

/** `action=stats`: https://yourls.org/docs/guide/advanced/api, YOURLS 1.10. The token is the signature. */
const yourls: Source = {
  async page(ask, token, cursor) {
    const start = Number(cursor ?? 0)
    // In a form, because servers log URLs.
    const form = {
      signature: token,
      action: 'stats',
      format: 'json',
      filter: 'last',
      limit: String(YOURLS_PAGE),
      start: String(start),
    }
    const answer = await ask('/yourls-api.php', {}, {}, form)
    const links = at(answer, 'links') ?? {}
    const total = numberAt(answer, 'stats', 'total_links')
    if (typeof links !== 'object' || total === undefined) throw new UnexpectedAnswer()
    const records = objectsIn(Object.values(links))
    const after = start + YOURLS_PAGE
    return { records, next: records.length > 0 && after < total ? String(after) : null, total }
  },
}

const DUB_PAGE = 100

/** `GET /links`: https://dub.co/docs/api-reference/links/list. Oldest first. */
const dub: Source = {
  baseUrl: 'https://api.dub.co',
  async page(ask, token, cursor) {
    const query = {
      pageSize: String(DUB_PAGE),
      sortBy: 'createdAt',
      sortOrder: 'asc',
      showArchived: 'true',
      ...(cursor !== null && { startingAfter: cursor }),
    }
    const records = listIn(await ask('/links', query, { Authorization: `Bearer ${token}` }))
    const isFull = records.length === DUB_PAGE
    return { records, next: isFull ? textAt(records.at(-1), 'id') : null }
  },
}

/** `GET /v4/groups/{guid}/bitlinks` of each group: https://dev.bitly.com/api-reference, v4. */
const bitly: Source = {
  baseUrl: 'https://api-ssl.bitly.com',
  page(ask, token, cursor) {
    const headers = { Authorization: `Bearer ${token}` }
    const groups = async () =>
      listIn(await ask('/v4/groups', {}, headers), 'groups').map((group) => nameIn(group, 'guid'))
    return pageOfPlaces(cursor, groups, async (group, after) => {
      const path = `/v4/groups/${encodeURIComponent(group)}/bitlinks`
      const query = {
        size: '100',
        archived: 'both',
        ...(after !== null && { search_after: after }),
      }
      const answer = await ask(path, query, headers)
      const records = listIn(answer, 'links')
      const next = records.length === 0 ? null : textAt(answer, 'pagination', 'search_after')
      return { records, after: next }
    })
  },
}

/**
 * `GET /api/links` of each domain: https://developers.short.io/docs/getting-a-list-of-links. Each
 * domain has a link without a path, for its root, which is skipped.
 */
const shortIo: Source = {
  baseUrl: 'https://api.short.io',
  page(ask, token, cursor) {
    const headers = { Authorization: token }
    const domains = async () =>
      listIn(await ask('/api/domains', {}, headers)).map((domain) => ({
        id: nameIn(domain, 'id'),
        host: nameIn(domain, 'hostname'),
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

/** Services whose links are read over their APIs. */
export const SOURCES = {
  shlink,
  kutt,
  yourls,
  dub,
  bitly,
  short_io: shortIo,
} as const satisfies Record<string, Source>
export type SourceName = keyof typeof SOURCES
export const SOURCE_NAMES = Object.keys(SOURCES) as [SourceName, ...SourceName[]]
