import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ClickHouse, hasClickHouse, startClickHouse } from '../harness/clickhouse.ts'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const HOST = 'sho.rt'
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const isMissing = !hasClickHouse || postgresMissing !== undefined || redisMissing !== undefined

describe.skipIf(isMissing)('clicks of two nodes', () => {
  let clickHouse: ClickHouse
  let postgres: TestPostgres
  let redis: TestRedis
  let nodes: Slugline[] = []
  let key: string

  beforeAll(async () => {
    ;[clickHouse, postgres, redis] = await Promise.all([
      startClickHouse(),
      startPostgres(),
      startRedis(),
    ])
    const environment = {
      DATABASE_URL: await postgres.createDatabase({ empty: true }),
      REDIS_URL: redis.url,
      CLICKHOUSE_URL: clickHouse.url('clicks'),
      SLUGLINE_SECRET: 'for the tests, forty characters or so…',
      BASE_URL: `http://${HOST}`,
    }
    nodes = [await startSlugline(environment), await startSlugline(environment)]
    key = (await (nodes[0] as Slugline).createKey()).key
  })
  afterAll(async () => {
    for (const node of nodes) await node.dispose()
    await Promise.all([clickHouse?.stop(), postgres?.dispose(), redis?.dispose()])
  })

  async function visit(node: Slugline, slug: string): Promise<void> {
    const answer = await fetch(`${node.url}/${slug}`, {
      redirect: 'manual',
      headers: { host: HOST, 'user-agent': BROWSER },
    })
    expect(answer.status).toBe(302)
  }

  async function until<T>(ask: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await ask()
      if (isIt(value)) return value
      await Bun.sleep(50)
    }
  }

  test('are counted, reported and streamed together, and drained by hand', async () => {
    const [a, b] = nodes as [Slugline, Slugline]
    const made = await a.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: 'https://example.com/', slug: 'abc' },
    })
    const { id } = (await made.json()) as { id: string }
    // It may have begun to listen before it had reached ClickHouse.
    const stream = await eventually('clicks are streamed', async () => {
      const answer = await b.call('GET', '/api/v1/clicks/stream', { key })
      if (answer.status === 200) return answer
      await answer.body?.cancel()
      return undefined
    })
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
    for (let i = 0; i < 10; i++) for (const node of nodes) await visit(node, 'abc')

    type Link = { clicks: { human: number; unique: number } }
    const link = await until(
      async () => (await (await b.call('GET', `/api/v1/links/${id}`, { key })).json()) as Link,
      ({ clicks }) => clicks.human === 20,
    )
    // One visitor, on both nodes.
    expect(link.clicks.unique).toBe(1)
    type Stats = { totals: { clicks: number; unique: number } }
    const stats = await until(
      async () => (await (await a.call('GET', '/api/v1/stats', { key })).json()) as Stats,
      ({ totals }) => totals.clicks === 20,
    )
    expect(stats.totals.unique).toBe(1)
    await until(
      async () => streamed.match(/^data: /gm)?.length ?? 0,
      (count) => count >= 20,
    )
    const sent = streamed.match(/^data: \{"id":"\d+-\d+"/gm) ?? []
    expect([sent.length, new Set(sent).size]).toEqual([20, 20])

    // Killed with clicks in its journal: they stay until someone drains it.
    for (let i = 0; i < 5; i++) await visit(a, 'abc')
    await a.kill()
    expect((await a.cli('drain', '--within', '60')).status).toBe(0)
    await until(
      async () => (await (await b.call('GET', '/api/v1/stats', { key })).json()) as Stats,
      ({ totals }) => totals.clicks === 25,
    )
    // Its start finds nothing left to do.
    await a.restart()
    const after = (await (await a.call('GET', `/api/v1/links/${id}`, { key })).json()) as Link
    expect(after.clicks.human).toBe(25)
  })
})
