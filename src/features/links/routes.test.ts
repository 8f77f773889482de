import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Api, type Caller, createApi, openApiDocument } from '../../http/index.ts'
import { createIds } from '../../lib/base/ids.ts'
import { silentLogger } from '../../lib/base/logger.ts'
import { systemRandom } from '../../lib/base/random.ts'
import type { Scope } from '../../model/keys/scopes.ts'
import { DEFAULT_PLANS } from '../plans/defaults.ts'
import { registerLinkRoutes } from './routes.ts'
import type { HistoryPage, Link } from './schemas.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

let links: TestLinks
let api: Api

beforeAll(async () => {
  links = await createTestLinks()
  const { storage, clock } = links
  const plan = DEFAULT_PLANS.find(({ id }) => id === 'unlimited')
  if (plan === undefined) throw new Error('There is no such plan')
  const callers: Record<string, { no: number; scopes: Scope[] }> = {
    writer: { no: 1, scopes: ['links:read', 'links:write'] },
    reader: { no: 1, scopes: ['links:read'] },
    stranger: { no: 2, scopes: ['links:read', 'links:write'] },
  }
  api = createApi({
    storage,
    clock,
    logger: silentLogger,
    ids: createIds(clock, systemRandom),
    async authenticate(credential): Promise<Caller | null> {
      const caller = callers[credential]
      if (caller === undefined) return null
      const { no, scopes } = caller
      const workspace = { no, id: `wsp_${no}`, language: null, plan }
      return { kind: 'api_key', keyId: 'key', scopes: new Set(scopes), workspace }
    },
    clientAddress: (peer) => peer,
    anonymousPerMinute: 600,
    baseUrl: 'https://s.example',
  })
  registerLinkRoutes(api, { links: links.service })
})
afterAll(() => links.close())

async function send(
  method: string,
  path: string,
  {
    body,
    key = 'writer',
    headers = {},
  }: { body?: object; key?: string; headers?: Record<string, string> } = {},
) {
  const response = await api.fetch(
    new Request(`http://localhost:3000/api/v1/links${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    }),
    { peer: '192.0.2.1' },
  )
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  }
}

describe('the endpoints of links', () => {
  test('find or create', async () => {
    const body = { destination_url: 'https://found.example/' }
    const first = await send('POST', '?if_exists=return', { body })
    const headers = { 'Idempotency-Key': 'find' }
    const second = await send('POST', '?if_exists=return', { body, headers })
    const replayed = await send('POST', '?if_exists=return', { body, headers })
    const dry = await send('POST', '?if_exists=return&dry_run=true', { body })
    expect([first, second, replayed, dry].map(({ status }) => status)).toEqual([201, 200, 200, 200])
    expect([second, replayed, dry].map((each) => each.body)).toEqual(
      [0, 1, 2].map(() => first.body),
    )
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect((await send('POST', '?if_exists=update', { body })).status).toBe(422)
    expect((await send('POST', '', { body })).status).toBe(201)
    const found = await send('GET', '?destination_url=https%3A%2F%2FFOUND.example')
    expect(found.body.pagination.total).toBe(2)
  })

  test('create, get, change and delete one', async () => {
    const created = await send('POST', '', {
      body: { destination_url: 'https://a.example/ü', slug: 'Hello' },
    })
    const link = created.body as Link
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`/api/v1/links/${link.id}`)
    const etag = created.headers.get('etag') ?? ''
    expect(etag).not.toBe('')

    const got = await send('GET', `/${link.id}`)
    expect([got.status, got.body, got.headers.get('etag')]).toEqual([200, link, etag])
    const unchanged = await send('GET', `/${link.id}`, { headers: { 'If-None-Match': etag } })
    expect([unchanged.status, unchanged.body]).toEqual([304, null])

    const patched = await send('PATCH', `/${link.id}`, {
      body: { title: 'T', slug: 'World' },
      headers: { 'If-Match': etag, 'Content-Type': 'application/merge-patch+json' },
    })
    expect(patched.status).toBe(200)
    expect(patched.body).toMatchObject({
      title: 'T',
      slug: 'World',
      aliases: ['Hello'],
      version: 2,
    })
    expect(patched.headers.get('etag')).not.toBe(etag)
    const late = await send('PATCH', `/${link.id}`, {
      body: { title: 'U' },
      headers: { 'If-Match': etag },
    })
    expect([late.status, late.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    const lateToo = await send('DELETE', `/${link.id}`, { headers: { 'If-Match': etag } })
    expect(lateToo.status).toBe(412)

    expect((await send('DELETE', `/${link.id}`)).status).toBe(204)
    expect((await send('DELETE', `/${link.id}`)).status).toBe(404)
    expect((await send('GET', `/${link.id}`)).body.error.code).toBe('LINK_NOT_FOUND')
  })

  test('create one link for a repeated request', async () => {
    const request = {
      body: { destination_url: 'https://a.example/', slug: 'once', password: 'p' },
      headers: { 'Idempotency-Key': 'abc' },
    }
    const [first, second] = [await send('POST', '', request), await send('POST', '', request)]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  test('report all faults, and suggest free slugs', async () => {
    const wrong = await send('POST', '', { body: { slug: 'a b', tags: 'x', more: 1 } })
    expect(wrong.status).toBe(422)
    expect(
      (wrong.body.error.details as { field: string; code: string }[])
        .map(({ field, code }) => `${field} ${code}`)
        .sort(),
    ).toEqual([
      'destination_url REQUIRED',
      'more UNKNOWN_FIELD',
      'slug INVALID_SLUG',
      'tags INVALID_TYPE',
    ])
    const body = { destination_url: 'https://a.example/', slug: 'taken' }
    await send('POST', '', { body })
    const taken = await send('POST', '', { body, key: 'stranger' })
    expect([taken.status, taken.body.error.code]).toEqual([409, 'SLUG_TAKEN'])
    expect(taken.body.error.suggestions).toHaveLength(3)
  })

  test('answer for another workspace’s link like for a missing one', async () => {
    const { body } = await send('POST', '', { body: { destination_url: 'https://a.example/' } })
    for (const [method, patch] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const) {
      const [theirs, none] = await Promise.all(
        [body.id, 'lnk_none'].map((id) =>
          send(method, `/${id}`, { key: 'stranger', ...(patch && { body: patch }) }),
        ),
      )
      const bare = (answer: typeof theirs) =>
        JSON.stringify([answer?.status, answer?.body]).replace(/req_\w+/, '')
      expect(bare(theirs)).toBe(bare(none))
      expect(theirs?.status).toBe(404)
    }
  })

  test('need their scope', async () => {
    expect((await send('GET', '', { key: 'reader' })).status).toBe(200)
    const body = { destination_url: 'https://a.example/' }
    expect((await send('POST', '', { key: 'reader', body })).status).toBe(403)
    expect((await send('DELETE', '/lnk_none', { key: 'reader' })).status).toBe(403)
  })

  test('list a page, with links to the others', async () => {
    for (let i = 0; i < 5; i++) {
      const body = { destination_url: `https://a.example/${i}`, tags: ['ü&='] }
      await send('POST', '', { body })
    }
    const follow = async (url: string | undefined) => {
      if (url === undefined) throw new Error('There is no such link')
      return send('GET', url.replace('https://s.example/api/v1/links', ''))
    }
    const rels = (answer: Awaited<ReturnType<typeof send>>) =>
      Object.fromEntries(
        [...(answer.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(
          ([, url, rel]) => [rel, url],
        ),
      )
    for (const extra of ['', '&page=1']) {
      const first = await send('GET', `?tag=${encodeURIComponent('ü&=')}&limit=2&sort=slug${extra}`)
      expect(first.status).toBe(200)
      expect(first.body.pagination).toMatchObject({ limit: 2, total: 5, has_more: true })
      expect(Object.keys(rels(first)).sort()).toEqual(['first', 'next'])
      const second = await follow(rels(first).next)
      const third = await follow(rels(second).next)
      expect(Object.keys(rels(third)).sort()).toEqual(['first', 'prev'])
      const ids = [first, second, third].flatMap(({ body }) => body.data.map(({ id }: Link) => id))
      expect(new Set(ids).size).toBe(5)
      expect((await follow(rels(third).prev)).body.data).toEqual(second.body.data)
      expect((await follow(rels(third).first)).body.data).toEqual(first.body.data)
    }
    const bad = await send('GET', '?cursor=nonsense')
    expect([bad.status, bad.body.error.details[0].code]).toEqual([400, 'INVALID_CURSOR'])
    expect((await send('GET', '?limit=0&sort=x')).body.error.details).toHaveLength(2)
  })

  test('are documented', () => {
    const endpoints: Parameters<Api['add']>[0][] = []
    registerLinkRoutes(
      { add: (endpoint) => void endpoints.push(endpoint) },
      { links: links.service },
    )
    const { paths = {} } = openApiDocument(endpoints)
    expect(Object.keys(paths)).toEqual([
      '/api/v1/links',
      '/api/v1/links/lookup',
      '/api/v1/links/external/{external_id}',
      '/api/v1/links/deleted',
      '/api/v1/links/{id}',
      '/api/v1/links/{id}/history',
      '/api/v1/links/{id}/restore',
      '/api/v1/links/bulk',
    ])
  })
})

test('the history has its next page in a Link header', async () => {
  const body = { destination_url: 'https://a.example/', slug: 'pages' }
  const { id } = (await send('POST', '', { body })).body as Link
  await send('PATCH', `/${id}`, { body: { title: 'b' } })
  await send('PATCH', `/${id}`, { body: { title: 'c' } })
  const seen: number[] = []
  let path: string | undefined = `/${id}/history?limit=1`
  while (path !== undefined) {
    const { headers, body } = await send('GET', path)
    seen.push(...(body as HistoryPage).data.map(({ version }) => version))
    const link: string = headers.get('Link') ?? ''
    expect(link).toContain(`<https://s.example/api/v1/links/${id}/history?limit=1>; rel="first"`)
    const next = /<https:\/\/s\.example\/api\/v1\/links([^>]+)>; rel="next"/.exec(link)
    path = next?.[1]
  }
  expect(seen).toEqual([3, 2, 1])
})
