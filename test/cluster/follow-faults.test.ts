// Changes of links that no message announces: every node obeys them within a second all the same.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { startProxy, type TestProxy } from '../harness/proxy.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
const title = `two nodes with two Redis servers${missing === undefined ? '' : ` (${missing})`}`
const OLD = 'https://example.com/old'
const NEW = 'https://example.com/new'

describe.skipIf(missing !== undefined)(title, () => {
  let postgres: TestPostgres
  let redis: [TestRedis, TestRedis]
  let proxy: TestProxy
  let a: Slugline
  let b: Slugline
  let key: string
  beforeAll(async () => {
    postgres = await startPostgres({ durable: true })
    redis = [await startRedis(), await startRedis()]
    const database = await postgres.createDatabase({ empty: true })
    // The answers to the first node's commits can be lost.
    proxy = await startProxy(postgres.port)
    const start = (url: string, { url: redisUrl }: TestRedis) =>
      startSlugline({
        DATABASE_URL: url,
        REDIS_URL: redisUrl,
        CLICKHOUSE_URL: 'http://127.0.0.1:9/slugline',
        BASE_URL: 'http://sho.rt',
        SLUGLINE_SECRET: 'a secret of the tests, long enough to be one',
        LOG_LEVEL: 'error',
      })
    b = await start(database, redis[1])
    a = await start(Object.assign(new URL(database), { port: proxy.port }).href, redis[0])
    key = (await b.createKey()).key
  })
  afterAll(async () => {
    await Promise.all([a?.dispose(), b?.dispose()])
    await proxy?.close()
    await Promise.all((redis ?? []).map((each) => each.dispose()))
    await postgres?.dispose()
  })

  let made = 0
  /** A link that both nodes have in memory. */
  async function make(): Promise<{ path: string; slug: string }> {
    const slug = `link${made++}`
    const body = { destination_url: OLD, slug }
    const answer = await a.call('POST', '/api/v1/links', { key, body })
    expect(answer.status).toBe(201)
    await obeys(b, slug, OLD)
    await obeys(a, slug, OLD)
    return { path: `/api/v1/links/${((await answer.json()) as { id: string }).id}`, slug }
  }
  const visit = (node: Slugline, slug: string) =>
    fetch(`${node.url}/${slug}`, { redirect: 'manual' })
  const target = async (node: Slugline, slug: string) =>
    (await visit(node, slug)).headers.get('location')
  const obeys = (node: Slugline, slug: string, wanted: string | null) =>
    eventually(`${slug} leads to ${wanted}`, async () =>
      (await target(node, slug)) === wanted ? true : undefined,
    )
  const patch = (node: Slugline, path: string, headers: Record<string, string> = {}) =>
    node.call('PATCH', path, { key, headers, body: { destination_url: NEW } })
  /** The first node's next change of a slug is committed, but the node isn't told so. */
  const CHANGE = ['update "slugs"', 'COMMIT\0'] as const
  const loseAnswer = () => proxy.loseAnswerTo(...CHANGE)

  test('obey changes of each other', async () => {
    const { path, slug } = await make()
    expect((await patch(a, path)).status).toBe(200)
    expect(await target(a, slug)).toBe(NEW)
    await obeys(b, slug, NEW)
    expect((await b.call('DELETE', path, { key })).status).toBe(204)
    expect(await target(b, slug)).toBe(null)
    await obeys(a, slug, null)
  })

  test('obey a change whose commit was not answered, also on its own node', async () => {
    const { path, slug } = await make()
    loseAnswer()
    expect((await patch(a, path)).status).toBe(503)
    await obeys(a, slug, NEW)
    await obeys(b, slug, NEW)
  })

  test('obey a replayed response before they send it', async () => {
    const { path, slug } = await make()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    loseAnswer()
    expect((await patch(a, path, headers)).status).toBe(503)
    const retried = await patch(b, path, headers)
    expect(retried.status).toBe(200)
    expect(retried.headers.get('idempotent-replayed')).toBe('true')
    expect(await target(b, slug)).toBe(NEW)
  })

  test('obey a change before a patch without effect is answered', async () => {
    const { path, slug } = await make()
    loseAnswer()
    expect((await patch(a, path)).status).toBe(503)
    expect((await patch(b, path)).status).toBe(200)
    expect(await target(b, slug)).toBe(NEW)
  })

  test('obey a deletion before a second one is answered with 404', async () => {
    const { path, slug } = await make()
    loseAnswer()
    expect((await a.call('DELETE', path, { key })).status).toBe(503)
    expect((await b.call('DELETE', path, { key })).status).toBe(404)
    expect(await target(b, slug)).toBe(null)
  })

  test('obey a deletion before it is answered within a bulk request', async () => {
    const { path, slug } = await make()
    const other = await make()
    loseAnswer()
    expect((await a.call('DELETE', path, { key })).status).toBe(503)
    const operations = [path, other.path].map((each) => ({ op: 'delete', id: each.split('/')[4] }))
    const answer = await b.call('POST', '/api/v1/links/bulk', { key, body: { operations } })
    const { summary } = (await answer.json()) as { summary: unknown }
    expect(summary).toEqual({ succeeded: 1, failed: 1 })
    expect([await target(b, slug), await target(b, other.slug)]).toEqual([null, null])
  })

  test('obey changes that were made without a node', async () => {
    const { slug } = await make()
    const name = new URL(b.env?.DATABASE_URL ?? '').pathname.slice(1)
    await postgres.admin(`UPDATE slugs SET target_url = '${NEW}' WHERE slug_key = '${slug}'`, name)
    await obeys(a, slug, NEW)
    await obeys(b, slug, NEW)
  })

  /** Kills the first node between the commit of a change and its announcement. */
  async function killAfterCommit(path: string, headers: Record<string, string>): Promise<void> {
    const committed = proxy.withholdAnswerTo(...CHANGE)
    const answer = patch(a, path, headers).catch(() => 'none')
    await committed
    await a.kill()
    expect(await answer).toBe('none')
  }

  test('obey a change of a node that is killed between commit and announcement', async () => {
    const { path, slug } = await make()
    await killAfterCommit(path, {})
    await obeys(b, slug, NEW).finally(() => a.restart())
    expect(await target(a, slug)).toBe(NEW)
  })

  test('obey a change of a killed node before its retry is answered', async () => {
    const { path, slug } = await make()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    await killAfterCommit(path, headers)
    const retried = await patch(b, path, headers)
    const led = await target(b, slug)
    await a.restart()
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(led).toBe(NEW)
  })

  for (const [how, away, back] of [
    ['is down', 'stop', 'start'],
    ['does not respond', 'freeze', 'thaw'],
  ] as const) {
    test(`obey changes of each other while the Redis of one ${how}`, async () => {
      const [first, second] = [await make(), await make()]
      await redis[0][away]()
      try {
        expect((await patch(a, first.path)).status).toBe(200)
        expect(await target(a, first.slug)).toBe(NEW)
        // Before the other node writes: a write makes it read all changes.
        const at = performance.now()
        await obeys(b, first.slug, NEW)
        expect((await patch(b, second.path)).status).toBe(200)
        await obeys(a, second.slug, NEW)
        expect(performance.now() - at).toBeLessThan(5_000)
      } finally {
        await redis[0][back]()
      }
    })
  }

  test('obey a change whose commit waits for a standby when it is released', async () => {
    const [waiting, other] = [await make(), await make()]
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const name = new URL(b.env?.DATABASE_URL ?? '').pathname.slice(1)
    const requireStandby = async (standby: string) => {
      await postgres.admin(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`)
      await postgres.admin('SELECT pg_reload_conf()')
    }
    await requireStandby('missing')
    let answer: Promise<Response>
    try {
      answer = patch(a, waiting.path, headers)
      await eventually('the commit waits', async () => {
        const waits = await postgres.admin(
          "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
        )
        return waits.length > 0 ? true : undefined
      })
      // Later changes are followed in the meantime, so the position has passed the one that waits.
      await postgres.admin(
        `SET synchronous_commit = local; UPDATE slugs SET target_url = '${NEW}' WHERE slug_key = '${other.slug}'`,
        name,
      )
      await Promise.all([a, b].map((node) => obeys(node, other.slug, NEW)))
      // Nothing was answered yet, and no other transaction sees the change.
      expect(await target(b, waiting.slug)).toBe(OLD)
    } finally {
      await requireStandby('')
    }
    expect((await answer).status).toBe(200)
    expect(await target(a, waiting.slug)).toBe(NEW)
    await obeys(b, waiting.slug, NEW)
    const retried = await patch(b, waiting.path, headers)
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  })

  test('know links that were made since their start when PostgreSQL stops', async () => {
    const slugs = Array.from({ length: 3_000 }, (_, i) => `bulk${i}`)
    for (let i = 0; i < slugs.length; i += 1_000) {
      const operations = slugs
        .slice(i, i + 1_000)
        .map((slug) => ({ op: 'create', link: { destination_url: OLD, slug } }))
      const answer = await a.call('POST', '/api/v1/links/bulk', { key, body: { operations } })
      expect(answer.status).toBe(200)
    }
    const entries = async (node: Slugline) => {
      const text = await (await fetch(`${node.url}/metrics`)).text()
      return Number(/^slugline_resolver_entries (\d+)$/m.exec(text)?.[1])
    }
    for (const node of [a, b]) {
      await eventually('all are in memory', async () =>
        (await entries(node)) >= slugs.length ? true : undefined,
      )
    }
    await postgres.stop('crash')
    for (const node of [a, b]) {
      const some = slugs.filter((_, i) => i % 50 === 0)
      const found = await Promise.all(some.map((slug) => target(node, slug)))
      expect(found).toEqual(some.map(() => OLD))
    }
    await postgres.start()
    // They follow again, and trust nothing that they haven't read since.
    const { path, slug } = await eventually('a link is made', () => make().catch(() => undefined))
    expect((await patch(a, path)).status).toBe(200)
    await obeys(b, slug, NEW)
  })
})
