// Messages about changed links between several nodes. They only make changes known earlier: see
// cluster-follow.test.ts for those that are lost.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Secret } from '../../src/lib/base/secret.ts'
import {
  type Cluster,
  type LinkInvalidation,
  openCluster,
} from '../../src/platform/cluster/index.ts'
import {
  type CachedResolver,
  createCachedResolver,
  type SlugRow,
} from '../../src/redirect/index.ts'
import { eventually } from '../harness/eventually.ts'
import { startProxy, type TestProxy } from '../harness/proxy.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const suite = redisMissing === undefined ? describe : describe.skip
const QUIET = { info() {}, warn() {} }
const NOW = 1_790_000_000_000

interface Node {
  cluster: Cluster
  resolver: CachedResolver
  news: LinkInvalidation
  /** The destination of a visit. */
  visit(slug: string): Promise<string | null>
}

suite(`links of several nodes${redisMissing ? ` (${redisMissing})` : ''}`, () => {
  let redis: TestRedis
  let proxy: TestProxy
  /** The shared database. */
  let rows: Map<string, SlugRow>
  let nodes: [Node, Node, Node, Node]
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.dispose())
  beforeEach(async () => {
    await redis.start()
    rows = new Map()
    proxy = await startProxy(redis.port)
    // The last node's connection to Redis can be cut.
    nodes = [open(0), open(1), open(2), open(3, proxy.port)]
    await allHear()
  })
  afterEach(async () => {
    for (const { cluster, resolver } of nodes) {
      resolver.close()
      await cluster.close()
    }
    await proxy.close()
  })

  function open(i: number, port = redis.port): Node {
    const cluster = openCluster({
      url: new Secret(`redis://127.0.0.1:${port}`),
      logger: QUIET,
      nodeId: `nod_${i}`,
    })
    const resolver = createCachedResolver({
      // Fixed: entries are only read again because of messages, not because of age.
      clock: { now: () => NOW },
      fetch: async (slugKey) => rows.get(slugKey) ?? null,
    })
    resolver.known(NOW)
    return {
      cluster,
      resolver,
      news: cluster.linkInvalidation(resolver),
      async visit(slug) {
        resolver.begin()
        return (await resolver.slug(slug, 0))?.target_url ?? null
      },
    }
  }

  const allHear = () =>
    eventually('all hear', () =>
      nodes.every(({ cluster }) => cluster.state().subscribed) ? true : undefined,
    )

  /** Writes and announces a change, like a node after its commit. */
  function change(node: Node, slug: string, target_url: string | null): void {
    if (target_url === null) rows.delete(slug)
    else
      rows.set(slug, {
        link_seq: 1,
        target_url,
        redirect_status: 302,
        special: 0,
        block_id: null,
        link: null,
      })
    node.news.announce([{ domainNo: 0, slugKey: slug }])
  }

  async function redirectsTo(
    slug: string,
    target: string | null,
    by: Node[] = nodes,
  ): Promise<void> {
    await eventually(`${slug} leads to ${target}`, async () => {
      const found = await Promise.all(by.map(({ visit }) => visit(slug)))
      return found.every((at) => at === target) ? true : undefined
    })
  }

  test('a change on one node takes effect on all: created, changed, deleted', async () => {
    for (const target of [null, 'https://a.example', 'https://b.example', null]) {
      const by = nodes[Math.floor(Math.random() * 4)] as Node
      change(by, 'a', target)
      // On the same node immediately.
      expect(await by.visit('a')).toBe(target)
      await redirectsTo('a', target)
    }
  })

  test('concurrent changes share messages, and none is missing', async () => {
    const slugs = Array.from({ length: 2_500 }, (_, i) => `s${i}`)
    for (const slug of slugs) {
      rows.set(slug, {
        link_seq: 1,
        target_url: 'https://old.example',
        redirect_status: 302,
        special: 0,
        block_id: null,
        link: null,
      })
      for (const node of nodes) await node.visit(slug)
    }
    const before = nodes[1].cluster.state().received
    for (const slug of slugs) change(nodes[0], slug, 'https://new.example')
    for (const slug of slugs) await redirectsTo(slug, 'https://new.example')
    expect(nodes[1].cluster.state().received - before).toBe(3)
  })

  test('a silently cut connection is noticed; messages in transit arrive', async () => {
    change(nodes[0], 'a', 'https://old.example')
    await redirectsTo('a', 'https://old.example')
    proxy.block()
    await eventually('it is noticed', () =>
      nodes[3].cluster.state().subscribed ? undefined : true,
    )
    change(nodes[0], 'a', 'https://new.example')
    proxy.unblock()
    await redirectsTo('a', 'https://new.example')
    await allHear()
    expect(nodes[3].cluster.state().losses).toBe(0)
  })

  test('a connection that stays silent is replaced by a new one', async () => {
    proxy.block()
    await eventually('it is given up', () =>
      nodes[3].cluster.state().losses === 1 ? true : undefined,
    )
    change(nodes[0], 'a', 'https://new.example')
    proxy.unblock()
    await allHear()
    change(nodes[0], 'a', 'https://newer.example')
    await redirectsTo('a', 'https://newer.example')
  })

  test('latency delays messages, but loses none', async () => {
    change(nodes[0], 'a', 'https://old.example')
    await redirectsTo('a', 'https://old.example')
    proxy.delay(100)
    change(nodes[0], 'a', 'https://new.example')
    await redirectsTo('a', 'https://new.example')
    await eventually('the delay shows', () => {
      const { lagMs, subscribed } = nodes[3].cluster.state()
      return subscribed && lagMs > 150 ? true : undefined
    })
    expect(nodes[3].cluster.state().losses).toBe(0)
  })

  test('after a restart of Redis all nodes are subscribed', async () => {
    change(nodes[0], 'a', 'https://old.example')
    await redirectsTo('a', 'https://old.example')
    await redis.stop()
    await eventually('all know', () =>
      nodes.every(({ cluster }) => !cluster.state().subscribed && !cluster.state().up)
        ? true
        : undefined,
    )
    change(nodes[1], 'a', 'https://new.example')
    expect(await nodes[1].visit('a')).toBe('https://new.example')
    expect(await nodes[0].visit('a')).toBe('https://old.example')
    await redis.start()
    await allHear()
    change(nodes[0], 'a', null)
    await redirectsTo('a', null)
  })

  test('a command notifies the nodes before it ends', async () => {
    change(nodes[0], 'a', 'https://old.example')
    await redirectsTo('a', 'https://old.example')
    const command = openCluster({
      url: new Secret(redis.url),
      logger: QUIET,
      nodeId: 'command',
      member: false,
    })
    const news = command.linkInvalidation()
    await command.settled(2_000)
    rows.delete('a')
    news.announce([{ domainNo: 0, slugKey: 'a' }])
    await command.close()
    await redirectsTo('a', null)
  })
})
