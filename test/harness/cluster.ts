import { SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import { type ClickHouse, startClickHouse } from './clickhouse.ts'
import { eventually } from './eventually.ts'
import { openNetworks, type TestNetworks } from './network.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { type Slugline, startSlugline } from './process.ts'
import { startProxy, type TestProxy } from './proxy.ts'
import { startRedis, type TestRedis } from './redis.ts'

/** Real nodes, with all servers that they need. */
export interface TestCluster {
  readonly postgres: TestPostgres
  /** The database's name on it. */
  readonly database: string
  readonly redis: TestRedis
  /** Null: clicks are not stored there. */
  readonly clickHouse: ClickHouse | null
  readonly nodes: readonly Slugline[]
  /** Set if each node has its own network, which can be cut. */
  readonly networks: TestNetworks | null
  /** A key of a workspace without limits. */
  readonly key: string
  /** Resolves when all checks of all nodes are ok. Returns the last failing ones, with times. */
  allWell(): Promise<{ what: string; afterMs: number }[]>
  /** Resolves when all clicks of all journals are counted, and stored if they are. */
  drained(withinMs?: number): Promise<void>
  /** The stored clicks with this prefix of `utm_term`: each with its link's `seq`. */
  clicks(prefix: string): Promise<{ seq: number; term: string }[]>
  dispose(): Promise<void>
}

/** Options of a cluster. */
export interface TestClusterOptions {
  nodes?: number
  /** Where single clicks are stored; `nowhere`: they stay in the journals. */
  clicks?: 'clickhouse' | 'postgres' | 'nowhere'
  networks?: boolean
  env?: Record<string, string>
  /** Settings of PostgreSQL. */
  settings?: Record<string, string>
}

/** Starts PostgreSQL (commits survive its crash), Redis, and nodes on them. */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { nodes: count = 4, clicks: store = 'nowhere', settings = {} } = options
  const postgres = await startPostgres({ durable: true, settings })
  const redis = await startRedis()
  const clickHouse = store === 'clickhouse' ? await startClickHouse() : null
  const database = new URL(await postgres.createDatabase({ empty: true }))
  const clicks = new URL(clickHouse?.url('clicks') ?? 'http://127.0.0.1:9/clicks')
  const networks = options.networks === true ? openNetworks(count) : null
  const proxies: TestProxy[] = []

  async function start(i: number): Promise<Slugline> {
    const network = networks?.nodes[i]
    const way = async (url: URL) => {
      if (network === undefined) return url.href
      const proxy = await startProxy(Number(url.port), network.servers)
      proxies.push(proxy)
      const there = new URL(url)
      there.host = `${network.servers}:${proxy.port}`
      return there.href
    }
    const env = {
      DATABASE_URL: await way(database),
      REDIS_URL: await way(new URL(redis.url)),
      ...(store !== 'postgres' && { CLICKHOUSE_URL: await way(clicks) }),
      BASE_URL: 'http://sho.rt',
      SLUGLINE_SECRET: 'a secret that all nodes of this test have',
      LOG_LEVEL: 'warn',
      ...(network !== undefined && { HOST: network.host }),
      ...options.env,
    }
    return startSlugline(env, network === undefined ? {} : { wrapper: network.wrapper })
  }
  const nodes: Slugline[] = []

  /** The failing checks, as `node check reason`. */
  const complaints = async (node: Slugline, i: number): Promise<string[]> => {
    try {
      const answer = await fetch(`${node.url}/readyz`, { signal: AbortSignal.timeout(3_000) })
      const { checks } = (await answer.json()) as { checks: Record<string, string>[] }
      return checks
        .filter(
          ({ name, status }) => status !== 'ok' && (name !== 'statistics' || store !== 'nowhere'),
        )
        .map(({ name, reason }) => `${i} ${name} ${reason}`)
    } catch {
      return [`${i} silent`]
    }
  }
  const isDrained = async (node: Slugline) => {
    const answer = await fetch(`${node.url}/metrics`, { signal: AbortSignal.timeout(3_000) })
    const text = await answer.text()
    const isZero = (name: string) => new RegExp(`^slugline_${name} 0$`, 'm').test(text)
    return (
      isZero('click_backlog_bytes') && (store === 'nowhere' || isZero('statistics_backlog_bytes'))
    )
  }
  const all = async (ask: (node: Slugline) => Promise<boolean>, of: readonly Slugline[]) => {
    const found = await Promise.all(of.map((node) => ask(node).catch(() => false)))
    return found.every((each) => each) ? true : undefined
  }

  async function clicksOf(prefix: string): Promise<{ seq: number; term: string }[]> {
    const name = database.pathname.slice(1)
    if (clickHouse === null) {
      const query = `SELECT link, utm_term FROM clicks WHERE starts_with(utm_term, '${prefix}')`
      const rows = await postgres.admin(query, name)
      return rows.map(({ link, utm_term }) => ({
        seq: Number(link),
        term: String(utm_term),
      }))
    }
    const answer = await fetch(`${clicks.origin}/?database=clicks`, {
      method: 'POST',
      body: `SELECT workspace, link, utm_term FROM clicks WHERE startsWith(utm_term, '${prefix}')
        FORMAT TabSeparated`,
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text.split('\n').flatMap((line) => {
      const [workspace, link, term] = line.split('\t')
      if (term === undefined) return []
      return { seq: Number(workspace) * SEQS_PER_WORKSPACE + Number(link), term }
    })
  }

  async function dispose(): Promise<void> {
    await Promise.all(nodes.map((node) => node.dispose()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
    networks?.dispose()
    await clickHouse?.stop()
    await redis.dispose()
    await postgres.dispose()
  }

  try {
    const starting = Array.from({ length: count }, (_, i) => start(i))
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === 'fulfilled') nodes.push(started.value)
    }
    await Promise.all(starting)
    const [first] = nodes as [Slugline]
    return {
      postgres,
      database: database.pathname.slice(1),
      redis,
      clickHouse,
      nodes,
      networks,
      key: (await first.createKey()).key,
      async allWell() {
        const begin = performance.now()
        const last = new Map<string, number>()
        await eventually('all is well', async () => {
          const all = (await Promise.all(nodes.map(complaints))).flat()
          for (const each of all) last.set(each, performance.now() - begin)
          return all.length === 0 ? true : undefined
        }).catch((error) => {
          throw new Error(`${error.message}: ${JSON.stringify([...last])}`)
        })
        return [...last].map(([what, afterMs]) => ({ what, afterMs }))
      },
      async drained(withinMs = 120_000) {
        await eventually('all clicks are counted', () => all(isDrained, nodes), withinMs)
      },
      clicks: clicksOf,
      dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}
