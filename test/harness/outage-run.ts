import type { TestCluster } from './cluster.ts'
import { allHaveHeard } from './heard.ts'
import { FATE } from './marked-clicks.ts'
import { startVisits } from './visits.ts'
import { type LimitedCalls, startLimitedCalls, startWrites, type Writes } from './writes.ts'

/** What is taken away from the nodes; `cut-one`: the way to the servers of one of them. */
export type Fault = 'postgres' | 'redis' | 'both' | 'node' | 'cut' | 'cut-one'

/** How a run goes. */
export interface OutageOptions {
  fault: Fault
  seconds: number
  /** Visits per second, of links that every node remembers. */
  perSecond: number
  /** A key of a plan whose numbers these are; calls with it are offered all the time. */
  limited: { key: string; perMinute: number; burst: number }
  /** How long it goes on before and after, in milliseconds. */
  settleMs?: number
}

/** What a run came to. Times are milliseconds. */
export interface OutageRun {
  visits: number
  /** Visits that weren't redirected, by what came instead; of a killed node `broken`. */
  notRedirected: Record<string, number>
  /** Visits on connections of the node that was killed. */
  broken: number
  slowestMs: number
  p99Ms: number
  /** Answered visits that are not stored, and numbers that are stored twice. */
  lost: number
  doubled: number
  stored: number
  /** Stored without having been answered; at most what was broken off. */
  surplus: number
  /** Sum of the counters of the links. */
  counted: number
  writes: number
  made: number
  refused: number
  /** Writes whose connection broke off, or that weren't answered within half a minute. */
  unanswered: number
  /** Answers that were neither 201 nor 503 with Retry-After. */
  otherAnswers: string[]
  slowestWriteMs: number
  /** Refused, and there all the same, as the contract allows where a commit's answer was lost. */
  stoodAnyway: number
  /** Answered with 201 and not there. */
  gone: number
  /** Links, slugs, counters or audit entries that don't belong together. */
  halfDone: number
  /** Keys that have other than one link after all of them were tried until they succeeded. */
  notOnce: number
  offered: number
  admitted: number
  bound: number
  /** From the return until every node's readiness was as before, what waits to be counted apart. */
  readyMs: number
  /** Until every check of every node was fine. */
  wellMs: number
  /** Until each node has made a link that was asked for after the return. */
  madeMs: number
  /** What wasn't fine at last, and when. */
  unwell: { what: string; afterMs: number }[]
  /** Until every click was counted and stored; the load goes on for a while after the return. */
  drainedMs: number
}

const LINKS = 100
/** How slow a visit was is a figure of its own: only one that hangs is an error. */
const WITHIN_MS = 30_000

/** Takes something away under load, gives it back, and holds what is there against what was answered. */
export async function outageRun(cluster: TestCluster, options: OutageOptions): Promise<OutageRun> {
  const { fault, seconds, perSecond, limited, settleMs = 3_000 } = options
  const { nodes, key, networks } = cluster
  const name = `${fault}${Date.now().toString(36)}`
  const before = await countedNow(cluster)
  await makeLinks(cluster, name)
  const warmed = await warm(cluster, name)
  const down = new Set<number>()
  const up = () => nodes.filter((_, i) => !down.has(i)).map(({ url }) => url)
  const visits = startVisits({
    targets: up,
    perSecond,
    most: Math.ceil((seconds + 60) * perSecond),
    path: (mark) => `/${name}-${mark % LINKS}?utm_term=${name}.${mark}`,
    withinMs: WITHIN_MS,
  })
  const writes = startWrites({ nodes, key, name, isUp: (i) => !down.has(i) })
  const calls = startLimitedCalls({ nodes, ...limited, isUp: (i) => !down.has(i) })
  await Bun.sleep(settleMs)

  const victim = nodes.length - 1
  let broken = 0
  if (fault === 'postgres' || fault === 'both') await cluster.postgres.stop()
  if (fault === 'redis' || fault === 'both') await cluster.redis.stop()
  const cut = networks?.nodes.filter((_, i) => fault === 'cut' || i === victim) ?? []
  for (const network of cut) network.cut()
  if (fault === 'node') {
    down.add(victim)
    const errors = visits.refused.get('error') ?? 0
    await nodes[victim]?.kill()
    await Bun.sleep(500)
    broken = (visits.refused.get('error') ?? 0) - errors
  }
  await Bun.sleep(seconds * 1_000)

  const back = performance.now()
  if (fault === 'postgres' || fault === 'both') await cluster.postgres.start()
  if (fault === 'redis' || fault === 'both') await cluster.redis.start()
  for (const network of cut) network.restore()
  // A server's own start isn't ours: the time begins when it takes connections.
  const isServer = fault === 'postgres' || fault === 'redis' || fault === 'both'
  const returned = isServer ? performance.now() : back
  if (fault === 'node') await nodes[victim]?.restart()
  down.clear()
  const making = writes.eachHasMade(nodes.length).then(() => performance.now() - returned)
  const unwell = await cluster.allWell()
  const wellMs = performance.now() - returned
  const madeMs = await making
  await Bun.sleep(settleMs)

  const [, , bound] = await Promise.all([visits.stop(), writes.stop(), calls.stop()])
  await cluster.drained()
  const drainedMs = performance.now() - returned
  const found = await compareWrites(cluster, writes, name)
  const stored = await compareClicks(cluster, name, visits.fates, visits.sent)
  const counted = (await countedNow(cluster)) - before - warmed
  const took = [...visits.tookMs.subarray(0, visits.sent)]
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b)
  const notRedirected = Object.fromEntries(visits.refused)
  if (broken > 0) notRedirected.error = (notRedirected.error ?? 0) - broken
  for (const [what, n] of Object.entries(notRedirected)) if (n === 0) delete notRedirected[what]
  return {
    visits: visits.sent,
    notRedirected,
    broken,
    slowestMs: took.at(-1) ?? 0,
    p99Ms: took[Math.floor(took.length * 0.99)] ?? 0,
    ...stored,
    counted,
    ...writes.summary(),
    ...found,
    ...summaryOf(calls, bound),
    readyMs: Math.max(0, ...unwell.filter(isServing).map(({ afterMs }) => afterMs)),
    wellMs,
    madeMs,
    unwell,
    drainedMs,
  }
}

/** Whether a complaint is about what answers people; the counting of clicks may lag. */
function isServing({ what }: { what: string }): boolean {
  return !/ (?:click_worker|statistics) /.test(what)
}

function summaryOf({ offered, admitted }: LimitedCalls, bound: number) {
  return { offered, admitted, bound }
}

async function makeLinks({ nodes, key }: TestCluster, name: string): Promise<void> {
  const [first] = nodes
  for (let n = 0; n < LINKS; n++) {
    const body = { destination_url: 'https://example.com/', slug: `${name}-${n}` }
    const answer = await first?.call('POST', '/api/v1/links', { key, body })
    if (answer?.status !== 201) throw new Error(`A link was not made: ${answer?.status}`)
  }
}

/** Has every node remember them, and keep them: late messages of their making would be news. */
async function warm({ nodes, key }: TestCluster, name: string): Promise<number> {
  await allHaveHeard(nodes, key)
  for (let n = 0; n < LINKS; n++) {
    await Promise.all(nodes.map(({ url }) => fetch(`${url}/${name}-${n}`, { redirect: 'manual' })))
  }
  return LINKS * nodes.length
}

async function one(cluster: TestCluster, statement: string): Promise<Record<string, number>> {
  const [row = {}] = await cluster.postgres.admin(statement, cluster.database)
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
}

async function countedNow(cluster: TestCluster): Promise<number> {
  await cluster.drained()
  return (await one(cluster, 'SELECT coalesce(sum(total), 0) AS n FROM link_counters')).n as number
}

async function compareWrites(cluster: TestCluster, writes: Writes, name: string) {
  const rows = (await cluster.postgres.admin(
    `SELECT external_id FROM links WHERE external_id LIKE '${name}-%'`,
    cluster.database,
  )) as { external_id: string }[]
  const there = new Set(rows.map(({ external_id }) => external_id))
  const stoodAnyway = writes.notMade().filter((id) => there.has(id)).length
  const gone = writes.made().filter((id) => !there.has(id)).length
  await writes.insist()
  const all = writes.ids()
  const { halfDone = 0 } = await one(
    cluster,
    `SELECT (SELECT count(*) FROM links l WHERE (SELECT count(*) FROM slugs s
        WHERE s.link_seq = l.seq AND s.target_url = l.target_url) <> 1)
      + (SELECT count(*) FROM slugs s WHERE link_seq IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM links l WHERE l.seq = s.link_seq))
      + (SELECT sum(abs(links_count - (SELECT count(*) FROM links l WHERE l.workspace_no = w.no)))
        FROM workspaces w)
      + abs((SELECT count(*) FROM audit WHERE action = 'link.created')
        - (SELECT count(*) FROM links)) AS "halfDone"`,
  )
  const { n = 0, distinct = 0 } = await one(
    cluster,
    `SELECT count(*) AS n, count(DISTINCT external_id) AS distinct FROM links
     WHERE external_id LIKE '${name}-%'`,
  )
  const notOnce = Math.abs(n - all.length) + Math.abs(distinct - all.length)
  return { stoodAnyway, gone, halfDone, notOnce }
}

/** What is stored of the numbers, click by click. */
async function compareClicks(cluster: TestCluster, name: string, fates: Uint8Array, sent: number) {
  const times = new Uint8Array(sent)
  let surplus = 0
  const rows = await cluster.clicks(`${name}.`)
  for (const { term } of rows) {
    const mark = Number(term.slice(name.length + 1))
    times[mark] = Math.min(2, (times[mark] ?? 0) + 1)
    if (fates[mark] !== FATE.answered) surplus++
  }
  let lost = 0
  let doubled = 0
  for (let mark = 0; mark < sent; mark++) {
    if (fates[mark] === FATE.answered && times[mark] === 0) lost++
    if (times[mark] === 2) doubled++
  }
  return { stored: rows.length, lost, doubled, surplus }
}
