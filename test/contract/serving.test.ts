/** Two real nodes on one PostgreSQL and one Redis, over HTTP. Nothing listens where ClickHouse is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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
  // Both bring the tables up to date at once.
  const [first, second] = await Promise.all([startSlugline(env), startSlugline(env)])
  nodes = [first, second]
  key = (await first.createKey()).key
}, 60_000)

afterAll(async () => {
  if (missing !== undefined) return
  await Promise.all(nodes.map((node) => node.dispose()))
  await redis.dispose()
  await postgres.dispose()
}, 30_000)

const make = (node: Slugline, slug?: string) =>
  node.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/old', ...(slug !== undefined && { slug }) },
  })
const visit = (node: Slugline, slug: string) => fetch(`${node.url}/${slug}`, { redirect: 'manual' })

async function until(check: () => Promise<boolean>, withinMs: number): Promise<number> {
  const start = performance.now()
  while (!(await check())) {
    if (performance.now() - start > withinMs) throw new Error(`Not within ${withinMs} ms`)
    await Bun.sleep(5)
  }
  return performance.now() - start
}

describe.skipIf(missing !== undefined)(title, () => {
  test('show and obey what the other one was told', async () => {
    const [a, b] = nodes
    const made = await make(a, 'shared')
    expect(made.status).toBe(201)
    const { id } = (await made.json()) as { id: string }
    expect((await b.call('GET', `/api/v1/links/${id}`, { key })).status).toBe(200)
    expect((await visit(b, 'shared')).headers.get('location')).toBe('https://example.com/old')
    const body = { destination_url: 'https://example.com/new' }
    expect((await a.call('PATCH', `/api/v1/links/${id}`, { key, body })).status).toBe(200)
    expect((await visit(a, 'shared')).headers.get('location')).toBe('https://example.com/new')
    await until(
      async () => (await visit(b, 'shared')).headers.get('location') === 'https://example.com/new',
      1_000,
    )
    expect((await make(b, 'SHARED')).status).toBe(409)
    expect((await b.call('DELETE', `/api/v1/links/${id}`, { key })).status).toBe(204)
    await until(async () => (await visit(a, 'shared')).status === 404, 1_000)
  }, 30_000)

  test('without PostgreSQL refuse writes, redirect as before, and are well at once when it is back', async () => {
    const [a, b] = nodes
    await make(a, 'kept')
    expect((await visit(b, 'kept')).status).toBe(302)
    await postgres.stop('crash')
    const refused = await make(a)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await visit(b, 'kept')).status).toBe(302)
    await postgres.start()
    await until(async () => (await make(a)).status === 201, 5_000)
    await until(async () => (await make(b)).status === 201, 5_000)
    const { data } = (await (await a.call('GET', '/api/v1/links?limit=100', { key })).json()) as {
      data: unknown[]
    }
    expect(data.length).toBe(3)
    for (const node of nodes) expect(node.output()).not.toMatch(/postgres:\/\/|admin@/)
  }, 60_000)
})
