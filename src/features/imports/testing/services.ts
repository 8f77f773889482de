/** Small servers that respond as the real services' API documents say. */

/** The numbers of a service's links, from 0. */
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i)

/** A request that a service received. */
export interface Asked {
  path: string
  headers: Headers
  form: URLSearchParams
}

type Answer = (url: URL, asked: Asked) => Response | object | undefined

const shlink =
  (n: number, token: string): Answer =>
  (url, { headers }) => {
    if (url.pathname !== '/rest/v3/short-urls') return undefined
    if (headers.get('x-api-key') !== token) {
      return Response.json({ title: 'Invalid authorization', status: 401 }, { status: 401 })
    }
    const page = Number(url.searchParams.get('page'))
    const size = Number(url.searchParams.get('itemsPerPage'))
    const data = numbers(n)
      .slice((page - 1) * size, page * size)
      .map((i) => ({
        shortCode: `s${i}`,
        shortUrl: `https://s.rival.example/s${i}`,
        longUrl: `https://example.org/${i}`,
        dateCreated: '2024-05-01T10:00:00+02:00',
        visitsSummary: { total: i, nonBots: i, bots: 0 },
        tags: ['moved'],
        meta: { validSince: null, validUntil: null, maxVisits: null },
        domain: null,
        title: null,
        crawlable: false,
        forwardQuery: true,
        hasRedirectRules: false,
      }))
    const pagination = {
      currentPage: page,
      pagesCount: Math.ceil(n / size),
      itemsPerPage: size,
      itemsInCurrentPage: data.length,
      totalItems: n,
    }
    return { shortUrls: { data, pagination } }
  }

const kutt =
  (n: number, token: string): Answer =>
  (url, { headers }) => {
    if (url.pathname !== '/api/v2/links') return undefined
    if (headers.get('x-api-key') !== token)
      return Response.json({ error: 'Unauthorized' }, { status: 401 })
    const limit = Math.min(50, Number(url.searchParams.get('limit') ?? 10))
    const skip = Number(url.searchParams.get('skip') ?? 0)
    const data = numbers(n)
      .slice(skip, skip + limit)
      .map((i) => ({
        id: `id-${i}`,
        address: `k${i}`,
        banned: false,
        created_at: '2024-01-02T03:04:05.000Z',
        updated_at: '2024-01-02T03:04:05.000Z',
        password: false,
        description: null,
        expire_in: null,
        target: `https://example.org/${i}`,
        visit_count: i,
        domain: null,
        link: `https://kutt.rival.example/k${i}`,
      }))
    return { total: n, limit, skip, data }
  }

const yourls =
  (n: number, token: string): Answer =>
  (url, { form }) => {
    if (url.pathname !== '/yourls-api.php' || form.get('action') !== 'stats') return undefined
    if (form.get('signature') !== token) {
      return Response.json({ message: 'Please log in', errorCode: '403' }, { status: 403 })
    }
    const start = Number(form.get('start'))
    const links = numbers(n)
      .slice(start, start + Number(form.get('limit')))
      .map((i, at) => [
        `link_${at + 1}`,
        {
          shorturl: `http://y.rival.example/y${i}`,
          url: `https://example.org/${i}`,
          title: `Page ${i}`,
          timestamp: '2024-01-02 03:04:05',
          ip: '192.0.2.1',
          clicks: String(i),
        },
      ])
    const stats = { total_links: String(n), total_clicks: '0' }
    return { links: Object.fromEntries(links), stats, statusCode: '200', message: 'success' }
  }

const dub =
  (n: number, token: string): Answer =>
  (url, { headers }) => {
    if (url.pathname !== '/links') return undefined
    if (headers.get('authorization') !== `Bearer ${token}`) {
      const error = { code: 'unauthorized', message: 'Unauthorized: Invalid API key.' }
      return Response.json({ error }, { status: 401 })
    }
    const after = url.searchParams.get('startingAfter')
    const start = after === null ? 0 : Number(after.slice('link_'.length)) + 1
    return numbers(n)
      .slice(start, start + Number(url.searchParams.get('pageSize')))
      .map((i) => ({
        id: `link_${i}`,
        domain: 'dub.rival.example',
        key: `d${i}`,
        shortLink: `https://dub.rival.example/d${i}`,
        url: `https://example.org/${i}`,
        archived: false,
        expiresAt: null,
        expiredUrl: null,
        disabledAt: null,
        password: null,
        title: `Page ${i}`,
        description: null,
        comments: i === 0 ? 'The first' : null,
        tags: [{ id: 'tag_1', name: 'moved', color: 'red' }],
        clicks: i,
        createdAt: '2024-01-02T03:04:05.000Z',
      }))
  }

const bitly =
  (n: number, token: string): Answer =>
  (url, { headers }) => {
    if (headers.get('authorization') !== `Bearer ${token}`) {
      return Response.json({ message: 'FORBIDDEN' }, { status: 403 })
    }
    if (url.pathname === '/v4/groups') return { groups: [{ guid: 'Ba1' }, { guid: 'Bb2' }] }
    const group = /^\/v4\/groups\/(B\w+)\/bitlinks$/.exec(url.pathname)?.[1]
    if (group === undefined) return undefined
    const own = numbers(n).filter((i) => (i % 2 === 0) === (group === 'Ba1'))
    const start = Number(url.searchParams.get('search_after') ?? 0)
    const size = Number(url.searchParams.get('size'))
    const links = own.slice(start, start + size).map((i) => ({
      created_at: '2024-01-02T03:04:05+0000',
      id: `bit.ly/b${i}`,
      link: `https://bit.ly/b${i}`,
      custom_bitlinks: [],
      long_url: `https://example.org/${i}`,
      archived: false,
      tags: ['moved'],
      title: `Page ${i}`,
    }))
    const end = start + size
    const search_after = end < own.length ? String(end) : ''
    return { links, pagination: { total: own.length, size, search_after, next: '' } }
  }

const shortIo =
  (n: number, token: string): Answer =>
  (url, { headers }) => {
    if (headers.get('authorization') !== token) {
      return Response.json({ error: 'Unauthorized' }, { status: 401 })
    }
    if (url.pathname === '/api/domains') return [{ id: 7, hostname: 'go.rival.example' }]
    if (url.pathname !== '/api/links' || url.searchParams.get('domain_id') !== '7') return undefined
    const start = Number(url.searchParams.get('pageToken') ?? 0)
    const end = start + Number(url.searchParams.get('limit'))
    const links = numbers(n)
      .slice(start, end)
      .map((i) => ({
        id: `lnk_${i}`,
        originalURL: `https://example.org/${i}`,
        path: `o${i}`,
        title: `Page ${i}`,
        tags: ['moved'],
        archived: false,
        createdAt: '2024-01-02T03:04:05.000Z',
        shortURL: `https://go.rival.example/o${i}`,
        secureShortURL: `https://go.rival.example/o${i}`,
      }))
    const root = { id: 'root', originalURL: 'https://example.org', path: '', shortURL: '' }
    const nextPageToken = end < n ? String(end) : null
    return { count: n + 1, links: start === 0 ? [root, ...links] : links, nextPageToken }
  }

export const SERVICES = { shlink, kutt, yourls, dub, bitly, short_io: shortIo }

/** Starts a service. `before` may respond instead, for limits and faults. */
export function startService(
  answer: Answer,
  before: (
    asked: Asked,
    count: number,
  ) => Response | undefined | Promise<Response | undefined> = () => undefined,
) {
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      const form = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
      const one = { path: url.pathname + url.search, headers: request.headers, form }
      asked.push(one)
      const early = await before(one, asked.length)
      if (early !== undefined) return early
      const found = answer(url, one)
      if (found instanceof Response) return found
      return found === undefined ? Response.json({}, { status: 404 }) : Response.json(found)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    stop: () => server.stop(true),
  }
}
