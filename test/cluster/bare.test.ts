import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { runCommand, type Slugline, startSlugline } from '../harness/process.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const isMissing = postgresMissing !== undefined || redisMissing !== undefined

type Link = { id: string; short_url: string; clicks: { human: number; unique: number } }
type Stats = { totals: { clicks: number; unique: number } }

describe.skipIf(isMissing)('two nodes with DATABASE_URL and REDIS_URL alone', () => {
  let postgres: TestPostgres
  let redis: TestRedis
  let databaseUrl: string
  let nodes: Slugline[] = []
  const shared = () => ({ DATABASE_URL: databaseUrl, REDIS_URL: redis.url })

  beforeAll(async () => {
    ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
    databaseUrl = await postgres.createDatabase({ empty: true })
    // Concurrently: one of them migrates and creates the secret.
    nodes = await Promise.all([startSlugline(shared()), startSlugline(shared())])
  })
  afterAll(async () => {
    for (const node of nodes) await node.dispose()
    await Promise.all([postgres?.dispose(), redis?.dispose()])
  })

  const both = () => nodes as [Slugline, Slugline]

  function visit(url: string): Promise<Response> {
    return fetch(url, { redirect: 'manual', headers: { 'user-agent': BROWSER } })
  }

  async function until<T>(ask: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await ask()
      if (isIt(value)) return value
      await Bun.sleep(50)
    }
  }

  async function make(node: Slugline, key: string, slug: string): Promise<Link> {
    const answer = await node.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: 'https://example.com/', slug },
    })
    expect(answer.status).toBe(201)
    return (await answer.json()) as Link
  }

  test('keys and links of one work on the other, each with its own URL', async () => {
    const [a, b] = both()
    const keys = [(await a.createKey()).key, (await b.createKey()).key]
    for (const [i, key] of keys.entries()) {
      for (const node of [a, b]) {
        const { id, short_url } = await make(node, key, `s${i}${nodes.indexOf(node)}`)
        expect(short_url).toStartWith(`${node.url}/`)
        for (const reader of [a, b]) {
          const answer = await reader.call('GET', `/api/v1/links/${id}`, { key })
          const link = (await answer.json()) as Link
          expect(link.short_url).toStartWith(`${reader.url}/`)
          const visited = await visit(link.short_url)
          expect(visited.headers.get('location')).toBe('https://example.com/')
        }
      }
    }
  })

  test('clicks of both are counted, reported, exported, streamed and drained', async () => {
    const [a, b] = both()
    const { key } = await a.createKey({ workspace: 'clicked' })
    const { id } = await make(a, key, 'abc')
    const stream = await fetch(`${b.url}/api/v1/clicks/stream`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(stream.status).toBe(200)
    let streamed = ''
    void (async () => {
      const decoder = new TextDecoder()
      for await (const bytes of stream.body as ReadableStream<Uint8Array>) {
        streamed += decoder.decode(bytes)
      }
    })().catch(() => {})
    await until(
      async () => streamed,
      (text) => text.includes('id: '),
    )
    for (let i = 0; i < 10; i++) {
      for (const { url } of nodes) expect((await visit(`${url}/abc`)).status).toBe(302)
    }
    for (const node of nodes) {
      const link = await until(
        async () => (await (await node.call('GET', `/api/v1/links/${id}`, { key })).json()) as Link,
        ({ clicks }) => clicks.human === 20,
      )
      // One visitor, on both nodes.
      expect(link.clicks.unique).toBe(1)
      const stats = await until(
        async () => (await (await node.call('GET', '/api/v1/stats', { key })).json()) as Stats,
        ({ totals }) => totals.clicks === 20,
      )
      expect(stats.totals.unique).toBe(1)
      const csv = await (await node.call('GET', `/api/v1/links/${id}/clicks.csv`, { key })).text()
      expect(csv.trim().split('\r\n')).toHaveLength(21)
    }
    await until(
      async () => streamed.match(/^data: \{/gm)?.length ?? 0,
      (count) => count >= 20,
    )

    // Killed with clicks in its journal: they stay until someone drains it.
    for (let i = 0; i < 5; i++) await visit(`${a.url}/abc`)
    await a.kill()
    expect((await a.cli('drain', '--within', '60')).status).toBe(0)
    await until(
      async () => (await (await b.call('GET', '/api/v1/stats', { key })).json()) as Stats,
      ({ totals }) => totals.clicks === 25,
    )
    await a.restart()
  })

  test('the secret is in the database until it is set on a node', async () => {
    const [a] = both()
    const secretOf = async () => {
      const [row] = await postgres.admin(
        'SELECT secret FROM instance_secret',
        new URL(databaseUrl).pathname.slice(1),
      )
      return row?.secret as string | null
    }
    const secret = await secretOf()
    expect(typeof secret).toBe('string')
    const findings = async () => {
      const { stdout } = await a.cli('doctor', '--json')
      const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string }[] }
      const advised = findings.filter(({ status }) => status === 'warning')
      return advised.map(({ check }) => check).filter((check) => /secret|base_url/.test(check))
    }
    expect(await findings()).toEqual(['base_url', 'secret'])

    const wrong = { ...a.env, SLUGLINE_SECRET: 'x'.repeat(40), PORT: '0' }
    const refused = await runCommand(['keys', 'list', '--json'], wrong)
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain('SLUGLINE_SECRET')
    expect(refused.stderr).not.toContain(secret as string)

    const { key } = await a.createKey({ workspace: 'given' })
    await a.stop()
    await a.restart({ SLUGLINE_SECRET: secret as string })
    expect((await a.call('GET', '/api/v1/links', { key })).status).toBe(200)
    expect(await secretOf()).toBeNull()
    expect(await findings()).toEqual(['base_url'])
    // The other one has stored it; a new one would need the setting.
    const [, b] = both()
    await b.stop()
    await b.restart()
    expect((await b.call('GET', '/api/v1/links', { key })).status).toBe(200)
    const fresh = await runCommand(['keys', 'list', '--json'], {
      ...b.env,
      SLUGLINE_DATA_DIR: `${b.dataDir}/fresh`,
    })
    expect(fresh.status).toBe(2)
    expect(fresh.stderr).toContain('SLUGLINE_SECRET')
  })

  test('a node has the secret, and its most visited links, while the database is down', async () => {
    const [, b] = both()
    const { key } = await b.createKey({ workspace: 'remembered' })
    await make(b, key, 'hot')
    expect((await visit(`${b.url}/hot`)).status).toBe(302)
    await b.stop()
    await postgres.stop()
    const restarted = b.restart()
    await until(
      () => visit(`${b.url}/hot`).catch(() => undefined),
      (answer) => answer?.status === 302,
    )
    await postgres.start()
    await restarted
    expect((await b.call('GET', '/api/v1/links', { key })).status).toBe(200)
  })
})
