/** Webhooks of several nodes: what is killed or away in between, every event arrives. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startCluster, type TestCluster } from '../harness/cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing } from '../harness/postgres.ts'
import type { Slugline } from '../harness/process.ts'
import { redisMissing } from '../harness/redis.ts'

const NODES = 3
const LINKS = 120
/** Shorter than the second attempt's wait, after which the third comes in five minutes. */
const AWAY_MS = 2_000
const missing = postgresMissing ?? redisMissing
const title = `webhooks of ${NODES} nodes${missing === undefined ? '' : ` (${missing})`}`

describe.skipIf(missing !== undefined)(title, () => {
  let cluster: TestCluster
  let receiver: ReturnType<typeof Bun.serve>
  let key: string
  /** How often each event has arrived, by its number. */
  const arrived = new Map<number, number>()
  const serve = (port: number) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port,
      async fetch(request) {
        const { sequence } = (await request.json()) as { sequence: number }
        arrived.set(sequence, (arrived.get(sequence) ?? 0) + 1)
        return new Response('ok')
      },
    })

  beforeAll(async () => {
    receiver = serve(0)
    cluster = await startCluster({
      nodes: NODES,
      env: { OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' },
    })
    const scopes = 'links:write,events:read,webhooks:write'
    ;({ key } = await (cluster.nodes[0] as Slugline).createKey({ scopes }))
  }, 300_000)
  afterAll(async () => {
    await receiver?.stop(true)
    await cluster?.dispose()
  })

  const call = async <T>(node: Slugline, method: string, path: string, body?: object) => {
    const answer = await node.call(method, path, { key, body })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }

  test('send every event at least once, though nodes are killed and the receiver is away', async () => {
    const [first, second, third] = cluster.nodes as [Slugline, Slugline, Slugline]
    const { port } = receiver
    const url = `http://127.0.0.1:${port}/`
    await call(first, 'POST', '/api/v1/webhooks', { url, types: ['link.created'] })
    const [latest] = (
      await call<{ data: { sequence: number }[] }>(first, 'GET', '/api/v1/events')
    ).data.slice(-1)
    /** Links on all nodes at the same moment. */
    const make = (nodes: readonly Slugline[], count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          call(nodes[i % nodes.length] as Slugline, 'POST', '/api/v1/links', {
            destination_url: `https://example.com/${i}`,
          }),
        ),
      )
    await make(cluster.nodes, LINKS / 4)
    await receiver.stop(true)
    await make(cluster.nodes, LINKS / 4)
    await Bun.sleep(AWAY_MS)
    receiver = serve(port as number)
    // Whichever node sends: two of three are killed, one after the other.
    await Promise.all([make([second, third], LINKS / 4), first.kill()])
    await Promise.all([make([third], LINKS / 4), second.kill()])

    const wanted: number[] = []
    let after: string | undefined
    for (;;) {
      const query = new URLSearchParams({ types: 'link.created', limit: '100' })
      if (after !== undefined) query.set('after', after)
      const page = await call<{
        data: { sequence: number }[]
        pagination: { has_more: boolean; next_cursor: string }
      }>(third, 'GET', `/api/v1/events?${query}`)
      wanted.push(...page.data.map(({ sequence }) => sequence))
      after = page.pagination.next_cursor
      if (!page.pagination.has_more) break
    }
    const since = wanted.filter((one) => one > (latest?.sequence ?? 0))
    expect(since).toHaveLength(LINKS)
    await eventually(
      'all events',
      () => (since.every((one) => arrived.has(one)) ? true : undefined),
      240_000,
    )
  }, 360_000)
})
