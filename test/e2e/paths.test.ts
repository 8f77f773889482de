/** Slugs of several segments, prefixes and placeholders, over HTTP on a real process. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import type { Link } from '../../src/features/links/index.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const A = 'https://a.example/'
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let slugline: Slugline
let key: string
let otherKey: string

beforeAll(async () => {
  slugline = await startSlugline({ BASE_URL: 'https://sho.rt', SLUGLINE_DOMAINS: 'go.example' })
  key = (await slugline.createKey({ workspace: 'own' })).key
  otherKey = (await slugline.createKey({ workspace: 'other' })).key
})
afterAll(() => slugline.dispose())

async function post(body: object, asKey = key) {
  const all = { destination_url: A, ...body }
  const answer = await slugline.call('POST', '/api/v1/links', { key: asKey, body: all })
  return { status: answer.status, body: (await answer.json()) as Link & Refusal }
}

interface Refusal {
  error: { code: string; suggestions?: string[]; details?: { field: string; code: string }[] }
}

async function visit(path: string, { host = 'sho.rt', accept = 'text/html' } = {}) {
  const headers = { host, accept, 'user-agent': PERSON }
  const answer = await slugline.call('GET', path, { headers })
  const text = await answer.text()
  return { to: answer.headers.get('location') ?? answer.status, text }
}
const to = async (path: string, host?: string) => (await visit(path, host ? { host } : {})).to

/** Sends raw bytes, as no client writes them. */
function raw(lines: string): Promise<string> {
  const { port } = new URL(slugline.url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(lines))
    socket.on('data', (data) => {
      text += data
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

describe('a slug of several segments', () => {
  test('works like any other', async () => {
    const slug = 'Crew/v1.2~x/Größe-🚀'
    const made = await post({ slug })
    expect([made.status, made.body.slug]).toEqual([201, slug])
    const path = new URL(made.body.short_url).pathname
    expect(path).toBe('/Crew/v1.2~x/Gr%C3%B6%C3%9Fe-%F0%9F%9A%80')
    for (const way of [path, path.toUpperCase(), `${path}/`, `/${slug}?qr=1`]) {
      expect(await to(way)).toBe(A)
    }
    expect((await visit(`${path}+`)).text).toContain(A)
    expect(await to(path.replace('/v1', '%2Fv1'))).toBe(404)
    const found = async (query: string) => {
      const answer = await slugline.call('GET', `/api/v1/links?${query}`, { key })
      return ((await answer.json()) as { data: Link[] }).data.map(({ id }) => id)
    }
    expect(await found(`search=${encodeURIComponent('v1.2~X/GRÖ')}`)).toEqual([made.body.id])
    const taken = await post({ slug: 'CREW/V1.2~X/GRÖSSE-🚀' }, otherKey)
    expect([taken.status, taken.body.error.code]).toEqual([409, 'SLUG_TAKEN'])
    for (const free of taken.body.error.suggestions ?? []) {
      expect((await post({ slug: free }, otherKey)).status).toBe(201)
    }
    const link = `/api/v1/links/${made.body.id}`
    const change = async (body: object) => slugline.call('PATCH', link, { key, body })
    const renamed = (await (await change({ slug: 'crew/🚀' })).json()) as Link
    expect(renamed.aliases).toEqual([slug])
    expect([await to('/crew/🚀'), await to(path)]).toEqual([A, A])
    expect((await change({ aliases: ['crew/a.b', 'go.example/docs/x'] })).status).toBe(200)
    expect([await to(path), await to('/crew/a.b')]).toEqual([404, A])
    expect([await to('/docs/x', 'go.example'), await to('/docs/x')]).toEqual([A, 404])
    expect((await slugline.call('DELETE', link, { key })).status).toBe(204)
    expect([await to('/crew/🚀'), await to('/docs/x', 'go.example')]).toEqual([404, 404])
    const restored = await slugline.call('POST', `${link}/restore`, { key, body: {} })
    expect(restored.status).toBe(200)
    expect([await to('/crew/🚀'), await to('/docs/x', 'go.example')]).toEqual([A, A])
  })

  test('is refused with the reason', async () => {
    for (const [slug, code] of [
      ['a//b', 'INVALID_SLUG'],
      ['a/../b', 'INVALID_SLUG'],
      ['/a', 'INVALID_SLUG'],
      ['1/2/3/4/5/6/7/8/9', 'INVALID_SLUG'],
      ['a'.repeat(129), 'TOO_LONG'],
      ['docs/a', 'SLUG_RESERVED'],
      ['robots.txt', 'SLUG_RESERVED'],
    ]) {
      const { status, body } = await post({ slug })
      expect([slug, status, body.error.details]).toEqual([
        slug as string,
        422,
        [{ field: 'slug', code: code as string, message: expect.any(String) }] as never,
      ])
    }
  })
})

describe('paths that the instance serves itself', () => {
  const OWN = ['api/v1/plans', 'app', 'docs', 'livez', 'readyz', 'metrics', 'openapi.json']

  test('are served on its own host and on unknown ones, and are links on a short domain', async () => {
    for (const slug of OWN) {
      expect((await post({ slug })).body.error.details?.[0]?.code).toBe('SLUG_RESERVED')
      const made = await post({ slug, domain: 'go.example', destination_url: `${A}${slug}` })
      expect([slug, made.status]).toEqual([slug, 201])
      expect(await to(`/${slug}`, 'go.example')).toBe(`${A}${slug}`)
      for (const host of ['sho.rt', 'unknown.example', '192.0.2.1:3000']) {
        expect(await to(`/${slug}`, host)).not.toBe(`${A}${slug}`)
      }
    }
    for (const host of ['sho.rt', 'unknown.example']) {
      expect(await to('/api/v1/plans', host)).toBe(200)
      expect(await to('/livez', host)).toBe(200)
    }
    expect(await to('/api/v1/links', 'go.example')).toBe(404)
  })

  test('an unknown host is treated as the default domain', async () => {
    await post({ slug: 'hosts/a', destination_url: `${A}default` })
    await post({ slug: 'hosts/a', domain: 'go.example', destination_url: `${A}go` })
    expect(await to('/hosts/a', 'unknown.example')).toBe(`${A}default`)
    expect(await to('/hosts/a', 'go.example')).toBe(`${A}go`)
    const old = await raw('GET /hosts/a HTTP/1.0\r\n\r\n')
    expect(old).toContain(`${A}default`)
  })
})

describe('a prefix', () => {
  test('redirects paths below it, and nothing else', async () => {
    const prefix = { match: 'prefix', forward_path: true, forward_query: true }
    const made = await post({ ...prefix, slug: 'Guide', destination_url: 'https://e.com/g?x=1' })
    expect(made.body).toMatchObject(prefix)
    expect(await to('/guide/a/%2F/ü?y=2')).toBe('https://e.com/g/a/%2F/%C3%BC?x=1&y=2')
    for (const path of [
      '//evil.example/x',
      '/@evil.example',
      '/%5C%5Cevil.example',
      '/%2e%2e%2f%2e%2e',
      '/https://evil.example',
      '/%0d%0aLocation:%20https://evil.example',
    ]) {
      const location = new URL((await to(`/guide${path}`)) as string)
      expect(location.origin + location.pathname.slice(0, 3)).toBe('https://e.com/g/')
    }
    // Without a host the path isn't normalized.
    for (const path of ['/guide/../../x', '/guide/a/..', '/guide/%2e%2E/%2e', '/guide/"<x>']) {
      const head = (await raw(`GET ${path} HTTP/1.0\r\n\r\n`)).split('\r\n\r\n')[0] as string
      const location = /^location: (\S+)$/im.exec(head)?.[1]
      if (location !== undefined) {
        expect(new URL(location).href.replace(/g\/?[^.]*$/, 'g')).toStartWith('https://e.com/g')
      }
    }
    const under = await post({ slug: 'guide/mine' }, otherKey)
    expect([under.status, under.body.error.code]).toEqual([409, 'SLUG_TAKEN'])
    expect((await post({ slug: 'guide/mine' })).status).toBe(201)
    expect(await to('/guide/mine')).toBe(A)
    const link = `/api/v1/links/${made.body.id}`
    for (const [body, then] of [
      [{ enabled: false }, 410],
      [{ enabled: true, expires_at: '2020-01-01T00:00:00Z' }, 410],
      [
        { expires_at: null, destination_url: 'https://e.com/{path.2}?q={query.q}' },
        'https://e.com/b?q=%26&q=%26',
      ],
      [{ forward_path: null, forward_query: false, destination_url: A }, 'https://a.example/'],
      [{ match: null }, 404],
    ] as const) {
      const changed = await slugline.call('PATCH', link, { key, body })
      expect([body, changed.status]).toEqual([body, 200])
      expect([body, await to('/guide/a/b?q=%26')]).toEqual([body, then])
    }
    await post({ ...prefix, slug: 'once', max_clicks: 1, destination_url: 'https://e.com/' })
    expect([await to('/once/a/b'), await to('/once/c')]).toEqual(['https://e.com/a/b', 410])
  })

  test('counts clicks for its link', async () => {
    const made = await post({ slug: 'counted/tree', match: 'prefix' })
    for (const path of ['/counted/tree', '/counted/tree/a', '/counted/tree/a/b']) await to(path)
    const clicks = async () => {
      const answer = await slugline.call('GET', `/api/v1/links/${made.body.id}/clicks`, { key })
      return ((await answer.json()) as { data: unknown[] }).data.length
    }
    await eventually('three clicks', async () => ((await clicks()) === 3 ? true : undefined))
  })

  test('reports misplaced placeholders', async () => {
    const { status, body } = await post({ destination_url: 'https://{slug}.example/{path}' })
    expect(status).toBe(422)
    expect(body.error.details?.[0]).toMatchObject({
      field: 'destination_url',
      code: 'PLACEHOLDER_IN_ORIGIN',
    })
  })
})
