// Four real nodes on one PostgreSQL and one Redis: changes of one take effect on all, and each is
// tested while cut off from either server.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { writePlans } from '../harness/plans.ts'
import { postgresMissing, sharedPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { startProxy, type TestProxy } from '../harness/proxy.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const NODES = 4
const missing = postgresMissing ?? redisMissing
const suite = missing === undefined ? describe : describe.skip
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'

suite(`several nodes${missing ? ` (${missing})` : ''}`, () => {
  let redis: TestRedis
  /** The nodes' connections to the servers. */
  let toRedis: TestProxy
  let toDatabase: TestProxy
  let nodes: Slugline[]
  let key: string
  let env: Record<string, string>
  let made = 0
  /** A link whose creation has long been announced: a late message would invalidate it. */
  let hot: string

  beforeAll(async () => {
    const postgres = await sharedPostgres()
    redis = await startRedis()
    const url = new URL(await postgres.createDatabase())
    toDatabase = await startProxy(Number(url.port))
    url.port = String(toDatabase.port)
    toRedis = await startProxy(redis.port)
    env = {
      DATABASE_URL: url.href,
      REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
      // The clicks wait in the journal for another test.
      CLICKHOUSE_URL: 'http://127.0.0.1:9/clicks',
      BASE_URL: 'http://sho.rt',
      SLUGLINE_SECRET: 'a secret that all nodes of this test have',
      SLUGLINE_PLANS: writePlans({
        unlimited: {},
        strict: { requests_per_minute: 60, burst: 20 },
      }),
      LOG_LEVEL: 'silent',
    }
    nodes = await Promise.all(Array.from({ length: NODES }, () => startSlugline(env)))
    key = (await (nodes[0] as Slugline).createKey()).key
    await allWell()
    hot = (await link()).slug
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.dispose()))
    await toRedis.close()
    await toDatabase.close()
    await redis.dispose()
  })
  afterEach(async () => {
    toRedis.restore()
    toDatabase.restore()
    await allWell()
  })

  async function checkOf(node: Slugline, name: string): Promise<string | undefined> {
    const report = (await (await fetch(`${node.url}/readyz`)).json()) as {
      checks: { name: string; status: string }[]
    }
    return report.checks.find((check) => check.name === name)?.status
  }
  async function all(check: string, status: string): Promise<void> {
    await eventually(`${check} is ${status} everywhere`, async () => {
      const found = await Promise.all(nodes.map((node) => checkOf(node, check)))
      return found.every((each) => each === status) ? true : undefined
    })
  }
  async function allWell(): Promise<void> {
    await all('storage', 'ok')
    await all('redis', 'ok')
  }

  const visit = (node: Slugline, slug: string) =>
    fetch(`${node.url}/${slug}`, { redirect: 'manual', headers: { 'user-agent': BROWSER } })
  const create = (node: Slugline, body: object) =>
    node.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: 'https://a.example/', ...body },
    })
  const patch = (node: Slugline, id: string, body: object) =>
    node.call('PATCH', `/api/v1/links/${id}`, { key, body })

  async function link(body: object = {}): Promise<{ id: string; slug: string }> {
    const answer = await create(nodes[made % NODES] as Slugline, {
      slug: `link-${++made}`,
      ...body,
    })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { id: string; slug: string }
  }

  async function obeyed(slug: string, expected: string | number): Promise<void> {
    await eventually(`${slug} answers ${expected}`, async () => {
      const answers = await Promise.all(nodes.map((node) => visit(node, slug)))
      const fits = answers.every(({ status, headers }) =>
        typeof expected === 'number' ? status === expected : headers.get('location') === expected,
      )
      return fits ? true : undefined
    })
  }

  test('a change on one node takes effect on all', async () => {
    const slug = 'everywhere'
    await obeyed(slug, 404)
    const { id } = await link({ slug })
    await obeyed(slug, 'https://a.example/')
    for (const [i, node] of nodes.entries()) {
      const destination_url = `https://${i}.example/`
      expect((await patch(node, id, { destination_url })).status).toBe(200)
      expect((await visit(node, slug)).headers.get('location')).toBe(destination_url)
      await obeyed(slug, destination_url)
    }
    await patch(nodes[1] as Slugline, id, { enabled: false })
    await obeyed(slug, 410)
    await patch(nodes[2] as Slugline, id, { enabled: true, slug: 'moved', aliases: [] })
    await obeyed('moved', 302)
    await obeyed(slug, 404)
    const gone = await (nodes[3] as Slugline).call('DELETE', `/api/v1/links/${id}`, { key })
    expect(gone.status).toBe(204)
    await obeyed('moved', 404)
  })

  test('a command notifies the nodes too', async () => {
    const { id, slug } = await link()
    await obeyed(slug, 302)
    const { status } = await (nodes[0] as Slugline).cli('links', 'block', id, '--reason', 'Spam')
    expect(status).toBe(0)
    await obeyed(slug, 410)
  })

  test('a limited link redirects exactly as many people, across all nodes', async () => {
    const { slug } = await link({ max_clicks: 10 })
    const visits = Array.from({ length: 80 }, (_, i) => visit(nodes[i % NODES] as Slugline, slug))
    const statuses = (await Promise.all(visits)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 302)).toHaveLength(10)
    expect(statuses.filter((status) => status === 410)).toHaveLength(70)
  })

  test('a plan’s rate is that of all nodes together, also without Redis', async () => {
    const strict = await (nodes[0] as Slugline).createKey({ workspace: 'strict', plan: 'strict' })
    const begin = performance.now()
    let admitted = 0
    async function storm(): Promise<void> {
      for (let i = 0; i < 200; i += NODES) {
        const calls = nodes.map((node) => node.call('GET', '/api/v1/links', { key: strict.key }))
        for (const { status, headers } of await Promise.all(calls)) {
          if (status === 200) admitted++
          else expect([status, headers.has('retry-after')]).toEqual([429, true])
        }
      }
    }
    // Each node that falls back to its share may allow one more, as may one response that arrives
    // too late on a busy machine.
    const bound = () => 20 + (performance.now() - begin) / 1_000 + NODES
    await storm()
    expect(admitted).toBeGreaterThanOrEqual(20 - NODES)
    expect(admitted).toBeLessThanOrEqual(bound())
    toRedis.cut()
    await all('redis', 'degraded')
    await storm()
    expect(admitted).toBeLessThanOrEqual(bound())
  })

  test('without Redis links work, and changes still take effect everywhere', async () => {
    const { id, slug } = await link()
    await obeyed(slug, 302)
    toRedis.cut()
    await all('redis', 'degraded')
    expect((await fetch(`${(nodes[0] as Slugline).url}/readyz`)).status).toBe(200)
    const destination_url = 'https://new.example/'
    const answer = await patch(nodes[0] as Slugline, id, { destination_url })
    expect(answer.status).toBe(200)
    expect((await visit(nodes[0] as Slugline, slug)).headers.get('location')).toBe(destination_url)
    await obeyed(slug, destination_url)
  })

  test('a node that starts without the database redirects popular links, and recovers', async () => {
    const node = nodes[3] as Slugline
    const slug = hot
    const { slug: secret } = await link({ password: 'correct horse battery' })
    for (const each of [slug, secret]) expect((await visit(node, each)).status).toBeLessThan(400)
    expect(await node.stop()).toBe(0)
    toDatabase.cut()
    const restarted = node.restart()
    await eventually('it redirects', async () => {
      const answer = await visit(node, slug).catch(() => undefined)
      return answer?.status === 302 ? true : undefined
    })
    for (let i = 0; i < 20; i++) expect((await visit(node, slug)).status).toBe(302)
    for (const path of [secret, 'unknown', 'api/v1/links']) {
      const refused = await visit(node, path)
      expect([path, refused.status]).toEqual([path, 503])
      expect(refused.headers.has('retry-after')).toBe(true)
    }
    expect((await fetch(`${node.url}/readyz`)).status).toBe(200)
    expect(await checkOf(node, 'storage')).toBe('degraded')
    toDatabase.restore()
    await restarted
    expect((await visit(node, secret)).status).toBe(200)
    expect((await create(node, {})).status).toBe(201)
    // The clicks of the meantime are counted too.
    await eventually('they are counted', async () => {
      const list = await (nodes[0] as Slugline).call('GET', `/api/v1/links?search=${slug}`, { key })
      const { data } = (await list.json()) as {
        data: { slug: string; clicks: { total: number } }[]
      }
      const total = data.find((each) => each.slug === slug)?.clicks.total
      return total !== undefined && total >= 22 ? true : undefined
    })
  })

  test('a new node redirects unvisited links without the database', async () => {
    const slugs: string[] = []
    for (let i = 0; i < 20; i++) slugs.push((await link()).slug)
    const fresh = await startSlugline({ ...env, LOG_LEVEL: 'warn' })
    try {
      expect(await checkOf(fresh, 'links')).toBe('ok')
      toDatabase.cut()
      const answers = await Promise.all(slugs.map((slug) => visit(fresh, slug)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]))
      const before = fresh.output()
      for (let i = 0; i < 50; i++) expect((await visit(fresh, `none-${i}`)).status).toBe(503)
      await eventually('it is logged', async () =>
        (await checkOf(fresh, 'links')) === 'degraded' ? true : undefined,
      )
      const metrics = await (await fetch(`${fresh.url}/metrics`)).text()
      expect(metrics).toContain('\nslugline_resolver_refused_total 50\n')
      expect(metrics).toContain('\nslugline_redirects_total{outcome="unavailable"} 50\n')
      // One summary per second, without a stack trace.
      const logged = fresh.output().slice(before.length)
      expect(logged).toContain('visits')
      expect(logged).not.toMatch(/^\s+at /m)
    } finally {
      toDatabase.restore()
      await fresh.dispose()
    }
  })

  for (const [what, withRedis] of [
    ['the database', true],
    ['either', false],
  ] as const) {
    test(`without ${what} cached links redirect, the rest is refused, and all recover`, async () => {
      const slug = hot
      await obeyed(slug, 302)
      toDatabase.cut()
      if (!withRedis) toRedis.cut()
      await all('storage', 'degraded')
      for (let i = 0; i < 50; i++) {
        for (const node of nodes) expect((await visit(node, slug)).status).toBe(302)
      }
      for (const node of nodes) {
        expect((await fetch(`${node.url}/readyz`)).status).toBe(200)
        const unknown = await visit(node, `unknown-${withRedis}`)
        const written = await create(node, { slug: `half-${withRedis}` })
        for (const refused of [unknown, written]) {
          expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
        }
      }
      toRedis.restore()
      toDatabase.restore()
      await allWell()
      await obeyed(`unknown-${withRedis}`, 404)
      // Refused writes have changed nothing.
      await obeyed(`half-${withRedis}`, 404)
      expect((await create(nodes[1] as Slugline, {})).status).toBe(201)
    })
  }
})
