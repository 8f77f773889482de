/** Find-or-creates of one link, sent to several nodes at the same moment: one of them creates it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startCluster, type TestCluster } from '../harness/cluster.ts'
import { postgresMissing } from '../harness/postgres.ts'
import type { Slugline } from '../harness/process.ts'
import { redisMissing } from '../harness/redis.ts'

const NODES = 4
const TIMES = 50
const missing = postgresMissing ?? redisMissing
const title = `find or create on ${NODES} nodes${missing === undefined ? '' : ` (${missing})`}`

describe.skipIf(missing !== undefined)(title, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster({ nodes: NODES })
  }, 300_000)
  afterAll(() => cluster?.dispose())

  /** The same request, to the nodes in turns, all at once. */
  async function everywhere(path: string, body: object) {
    const answers = await Promise.all(
      Array.from({ length: TIMES }, (_, i) =>
        (cluster.nodes[i % NODES] as Slugline).call('POST', path, { key: cluster.key, body }),
      ),
    )
    return Promise.all(
      answers.map(async (answer) => ({ status: answer.status, body: await answer.json() })),
    )
  }
  async function totalOf(destination_url: string): Promise<number> {
    const query = new URLSearchParams({ destination_url })
    const [node] = cluster.nodes as [Slugline]
    const answer = await node.call('GET', `/api/v1/links?${query}`, { key: cluster.key })
    return ((await answer.json()) as { pagination: { total: number } }).pagination.total
  }
  const statusesOf = (all: readonly { status: number }[]) =>
    all.map(({ status }) => status).sort((a, b) => b - a)
  const ONE_MADE = [201, ...Array.from({ length: TIMES - 1 }, () => 200)]

  test('fifty at the same moment make one link, and all answer it', async () => {
    for (let round = 0; round < 3; round++) {
      const body = { destination_url: `https://example.com/same/${round}`, tags: ['same'] }
      const found = await everywhere('/api/v1/links?if_exists=return', body)
      expect(statusesOf(found)).toEqual(ONE_MADE)
      expect(new Set(found.map((each) => (each.body as { id: string }).id)).size).toBe(1)
      expect(await totalOf(body.destination_url)).toBe(1)
    }
  }, 120_000)

  test('the same of fifty bulk requests with two alike, and of one with another spelling', async () => {
    const url = 'https://example.com/bulk'
    const operations = [url, 'HTTPS://EXAMPLE.com:443/bulk'].map((destination_url) => ({
      op: 'create',
      link: { destination_url },
    }))
    const bodies = await everywhere('/api/v1/links/bulk', { operations, if_exists: 'return' })
    expect(new Set(bodies.map(({ status }) => status))).toEqual(new Set([200]))
    const outcomes = bodies.flatMap(
      ({ body }) => (body as { data: { status: number; link: { id: string } }[] }).data,
    )
    expect(outcomes).toHaveLength(2 * TIMES)
    expect(outcomes.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(new Set(outcomes.map(({ link }) => link.id)).size).toBe(1)
    expect(await totalOf(url)).toBe(1)
  }, 120_000)
})
