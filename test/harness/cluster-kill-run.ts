import { childOf } from './children.ts'
import type { TestCluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { FATE, type MarkedClicks, sendMarkedClicks } from './marked-clicks.ts'

/** What is killed: a node, one of its children, or a server. */
export type ClusterVictim = 'node' | 'click-worker' | 'statistics' | 'clickhouse' | 'postgres'

/** Options of a run. */
export interface ClusterKillOptions {
  clicks: number
  links: number
  /** Per node. */
  connections: number
  kills: readonly ClusterVictim[]
  /** The headers of a click, each with its line end. */
  headers(mark: number): string
}

/** The result of a run; `answeredMissing` and the fields after it must be 0. */
export interface ClusterKillRun {
  answered: number
  /** Interrupted: unknown whether they were recorded. */
  unknown: number
  stored: number
  /** Stored without having been answered. */
  surplus: number
  /** Requests in flight when nodes were killed. */
  inFlight: number
  kills: number
  answeredMissing: number
  storedTwice: number
  /** Stored with a number that was never sent, or for another link than was visited. */
  wrong: number
  /** Links whose counters differ from the number of their raw clicks. */
  countersDiffer: number
  loadSeconds: number
  drainSeconds: number
}

/**
 * Sends numbered clicks to all nodes, kills processes at random moments, and compares the stored
 * clicks with the client's record, one by one.
 */
export async function clusterKillRun(
  cluster: TestCluster,
  options: ClusterKillOptions,
): Promise<ClusterKillRun> {
  const { clicks, links, connections, kills, headers } = options
  const { nodes } = cluster
  const run = `k${Date.now().toString(36)}`
  await makeLinks(cluster, run, links)
  const start = performance.now()
  const loads = nodes.map((node, i) =>
    sendMarkedClicks({
      port: Number(new URL(node.url).port),
      clicks: Math.ceil(clicks / nodes.length),
      connections,
      request: (mark) => ({
        path: `/${run}-${linkOf(mark, links)}?utm_term=${run}.${i}.${mark}`,
        headers: headers(mark),
      }),
    }),
  )
  try {
    const done = Promise.all(loads.map((load) => load.done))
    const inFlight = await killAtRandom(cluster, loads, { clicks, links, kills })
    await done
    const loaded = performance.now()
    await cluster.drained()
    const drained = performance.now()
    const answered = loads.reduce((sum, load) => sum + load.answered, 0)
    const unknown = loads.reduce(
      (sum, { fates }) => sum + fates.reduce((n, fate) => n + Number(fate === FATE.unknown), 0),
      0,
    )
    return {
      answered,
      unknown,
      inFlight,
      kills: kills.length,
      ...(await compareStored(cluster, loads, run, links)),
      loadSeconds: (loaded - start) / 1_000,
      drainSeconds: (drained - loaded) / 1_000,
    }
  } finally {
    for (const load of loads) load.stop()
  }
}

function linkOf(mark: number, links: number): number {
  return (mark * 7_919) % links
}

async function makeLinks({ nodes, key }: TestCluster, run: string, links: number): Promise<void> {
  for (let n = 0; n < links; n++) {
    const body = { destination_url: `https://example.com/${n}`, slug: `${run}-${n}` }
    const answer = await nodes[n % nodes.length]?.call('POST', '/api/v1/links', { key, body })
    if (answer?.status !== 201) throw new Error(`A link was not made: ${answer?.status}`)
  }
}

/** Returns the number of requests in flight at killed nodes. */
async function killAtRandom(
  { nodes, clickHouse, postgres }: TestCluster,
  loads: readonly MarkedClicks[],
  { clicks, links, kills }: Pick<ClusterKillOptions, 'clicks' | 'links' | 'kills'>,
): Promise<number> {
  const moments = kills.map(() => (0.02 + 0.9 * Math.random()) * clicks).sort((a, b) => a - b)
  const answered = () => loads.reduce((sum, load) => sum + load.answered, 0)
  let failed = false
  void Promise.all(loads.map((load) => load.done)).catch(() => {
    failed = true
  })
  let inFlight = 0
  for (const [i, victim] of kills.entries()) {
    while (answered() < (moments[i] as number) && !failed) await Bun.sleep(1 + Math.random() * 4)
    if (failed) break
    const at = Math.floor(Math.random() * nodes.length)
    const node = nodes[at] as (typeof nodes)[0]
    if (victim === 'node') {
      inFlight += loads[at]?.inFlight ?? 0
      await node.kill()
      await node.restart()
    } else if (victim === 'postgres') {
      await allVisited(loads, links)
      await postgres.stop('crash')
      await postgres.start()
    } else if (victim === 'clickhouse') {
      await clickHouse?.kill()
      await clickHouse?.restart()
    } else {
      const child = await eventually(`there is a ${victim}`, () => childOf(node.pid, victim))
      process.kill(child, 'SIGKILL')
    }
  }
  return inFlight
}

/** Waits until every node has served every link, including nodes just started. */
async function allVisited(loads: readonly MarkedClicks[], links: number): Promise<void> {
  const rounds = loads.map(async (load) => {
    const enough = load.answered + 2 * links
    let over = false
    const end = () => {
      over = true
    }
    load.done.then(end, end)
    while (!over && load.answered < enough) await Bun.sleep(5)
  })
  await Promise.all(rounds)
}

async function compareStored(
  cluster: TestCluster,
  loads: readonly MarkedClicks[],
  run: string,
  links: number,
) {
  const rows = await cluster.postgres.admin(
    `SELECT l.seq, l.slug, c.total FROM links l LEFT JOIN link_counters c ON c.link_seq = l.seq
     WHERE l.slug LIKE '${run}-%'`,
    cluster.database,
  )
  const slugs = new Map(rows.map(({ seq, slug }) => [Number(seq), String(slug)]))
  const counted = new Map(rows.map(({ slug, total }) => [String(slug), Number(total ?? 0)]))
  const times = loads.map(({ fates }) => new Uint8Array(fates.length))
  const raw = new Map<string, number>()
  let stored = 0
  let surplus = 0
  let wrong = 0
  for (const { seq, term } of await cluster.clicks(`${run}.`)) {
    const [, node, mark] = term.split('.').map(Number) as [number, number, number]
    const slug = slugs.get(seq) ?? ''
    const fate = loads[node]?.fates[mark] ?? FATE.unsent
    const seen = times[node] as Uint8Array
    stored++
    raw.set(slug, (raw.get(slug) ?? 0) + 1)
    if (fate === FATE.unsent || slug !== `${run}-${linkOf(mark, links)}`) wrong++
    if (fate === FATE.unknown) surplus++
    seen[mark] = Math.min(2, (seen[mark] ?? 0) + 1)
  }
  let answeredMissing = 0
  let storedTwice = 0
  for (const [i, { fates }] of loads.entries()) {
    for (let mark = 0; mark < fates.length; mark++) {
      if (fates[mark] === FATE.answered && times[i]?.[mark] === 0) answeredMissing++
      if (times[i]?.[mark] === 2) storedTwice++
    }
  }
  let countersDiffer = 0
  for (const [slug, total] of counted) if (total !== (raw.get(slug) ?? 0)) countersDiffer++
  return { stored, surplus, answeredMissing, storedTwice, wrong, countersDiffer }
}
