/** Two real nodes on one PostgreSQL and one Redis, over HTTP. Nothing listens where ClickHouse is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { allHaveHeard } from '../harness/heard.ts'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
const title = `two nodes${missing === undefined ? '' : ` (${missing})`}`

let postgres: TestPostgres
let redis: TestRedis
let nodes: [Slugline, Slugline]
let key: string

beforeAll(async () => {
  if (missing !== undefined) return
  postgres = await startPostgres({ durable: true })
  redis = await startRedis()
  const env = {
    DATABASE_URL: await postgres.createDatabase({ empty: true }),
    REDIS_URL: redis.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:9/slugline',
    BASE_URL: 'http://sho.rt',
    SLUGLINE_SECRET: 'a secret of the tests, long enough to be one',
    LOG_LEVEL: 'error',
  }
  // Both migrate concurrently.
  const [first, second] = await Promise.all([startSlugline(env), startSlugline(env)])
  nodes = [first, second]
  key = (await first.createKey()).key
})

afterAll(async () => {
  if (missing !== undefined) return
  await Promise.all(nodes.map((node) => node.dispose()))
  await redis.dispose()
  await postgres.dispose()
})

const make = (node: Slugline, slug?: string) =>
  node.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/old', ...(slug !== undefined && { slug }) },
  })
const visit = (node: Slugline, slug: string) => fetch(`${node.url}/${slug}`, { redirect: 'manual' })

const until = (what: string, check: () => Promise<boolean>) =>
  eventually(what, async () => ((await check()) ? true : undefined))

describe.skipIf(missing !== undefined)(title, () => {
  test('reflect changes made on the other one', async () => {
    const [a, b] = nodes
    const made = await make(a, 'together')
    expect(made.status).toBe(201)
    const { id } = (await made.json()) as { id: string }
    expect((await b.call('GET', `/api/v1/links/${id}`, { key })).status).toBe(200)
    expect((await visit(b, 'together')).headers.get('location')).toBe('https://example.com/old')
    const body = { destination_url: 'https://example.com/new' }
    expect((await a.call('PATCH', `/api/v1/links/${id}`, { key, body })).status).toBe(200)
    expect((await visit(a, 'together')).headers.get('location')).toBe('https://example.com/new')
    await until('it takes effect on the other one', async () => {
      const { headers } = await visit(b, 'together')
      return headers.get('location') === 'https://example.com/new'
    })
    expect((await make(b, 'TOGETHER')).status).toBe(409)
    expect((await b.call('DELETE', `/api/v1/links/${id}`, { key })).status).toBe(204)
    await until('it is gone', async () => (await visit(a, 'together')).status === 404)
  })

  test('match prefixes and links below them created on the other one', async () => {
    const [a, b] = nodes
    const to = async (path: string) => {
      const { headers, status } = await visit(b, path)
      return headers.get('location') ?? status
    }
    const responds = (path: string, expected: string | number) =>
      until(`${path} leads to ${expected}`, async () => (await to(path)) === expected)
    // Cached as missing, which must hide nothing.
    for (const path of ['tree/a/b', 'tree/a', 'tree']) expect(await to(path)).toBe(404)
    const create = async (slug: string, more: object) => {
      const body = { destination_url: `https://example.com/${slug}`, slug, ...more }
      const made = await a.call('POST', '/api/v1/links', { key, body })
      expect(made.status).toBe(201)
      return `/api/v1/links/${((await made.json()) as { id: string }).id}`
    }
    const tree = await create('tree', { match: 'prefix', forward_path: true })
    await responds('tree/a/b', 'https://example.com/tree/a/b')
    await create('tree/a', { match: 'prefix' })
    await responds('tree/a/b', 'https://example.com/tree/a')
    const exact = await create('tree/a/b', {})
    await responds('tree/a/b', 'https://example.com/tree/a/b')
    await a.call('PATCH', tree, { key, body: { destination_url: 'https://example.org/' } })
    await responds('tree/x', 'https://example.org/x')
    await a.call('DELETE', exact, { key })
    await responds('tree/a/b', 'https://example.com/tree/a')
    await a.call('PATCH', tree, { key, body: { match: 'exact' } })
    await responds('tree/x', 404)
  })

  test('without PostgreSQL refuse writes, keep redirecting, and recover immediately when it is back', async () => {
    const [a, b] = nodes
    await make(a, 'kept')
    const prefix = { destination_url: 'https://example.com/', slug: 'kept-tree', match: 'prefix' }
    await a.call('POST', '/api/v1/links', { key, body: prefix })
    await allHaveHeard(nodes, key)
    expect((await visit(b, 'kept')).status).toBe(302)
    expect((await visit(b, 'kept-tree')).status).toBe(302)
    await postgres.stop('crash')
    const refused = await make(a)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await visit(b, 'kept')).status).toBe(302)
    // All links are cached, so that no others can exist.
    await until(
      'the prefix answers',
      async () => (await visit(b, 'kept-tree/new/1')).status === 302,
    )
    expect((await visit(b, 'kept-tree/new/2')).status).toBe(302)
    expect((await visit(b, 'nothing/new')).status).toBe(503)
    await postgres.start()
    for (const node of nodes) {
      await until('it is well', async () => (await make(node)).status === 201)
    }
    const { data } = (await (await a.call('GET', '/api/v1/links?limit=100', { key })).json()) as {
      data: unknown[]
    }
    // Two of them, the prefixes and those of allHaveHeard.
    expect(data.length).toBe(7)
    for (const node of nodes) expect(node.output()).not.toMatch(/postgres:\/\/|admin@/)
  })
})
