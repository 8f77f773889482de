import type { TestCluster } from './cluster.ts'
import { allHaveHeard } from './heard.ts'
import { FATE } from './marked-clicks.ts'
import { startVisits } from './visits.ts'
import { type LimitedCalls, startLimitedCalls, startWrites, type Writes } from './writes.ts'

/** What fails; `cut-one`: the network between the servers and one of the nodes. */
export type ValidationIssue = 'postgres' | 'redis' | 'both' | 'node' | 'cut' | 'cut-one'

/** Options of a run. */
export interface OutageOptions {
  fault: ValidationIssue
  seconds: number
  /** Visits per second, to links that every node has cached. */
  perSecond: number
  /** A key of a plan with these limits; requests with it are sent all the time. */
  limited: { key: string; perMinute: number; burst: number }
  /** How long the load runs before and after, in milliseconds. */
  settleMs?: number
}

/** The result of a run. Times are milliseconds. */
export interface OutageRun {
  visits: number
  /** Visits that weren't redirected, by response; `broken` for a killed node. */
  notRedirected: Record<string, number>
  /** Visits on connections of the killed node. */
  broken: number
  slowestMs: number
  p99Ms: number
  /** Answered visits that are not stored, and numbers that are stored twice. */
  lost: number
  doubled: number
  stored: number
  /** Stored without having been answered; at most as many as were interrupted. */
  surplus: number
  /** Sum of the counters of the links. */
  counted: number
  writes: number
  made: number
  refused: number
  /** Writes that were interrupted, or not answered within half a minute. */
  unanswered: number
  /** Responses other than 201 and 503 with Retry-After. */
  otherAnswers: string[]
  slowestWriteMs: number
  /** Refused but stored, as the contract allows if the response to a commit was lost. */
  stoodAnyway: number
  /** Answered with 201 but missing. */
  gone: number
  /** Inconsistent links, slugs, counters or audit entries. */
  halfDone: number
  /** Keys without exactly one link after all were retried until they succeeded. */
  notOnce: number
  offered: number
  admitted: number
  bound: number
  /** From the recovery until every node was ready as before, except for waiting clicks. */
  readyMs: number
  /** Until every check of every node was ok. */
  wellMs: number
  /** Until each node has created a link requested after the recovery. */
  madeMs: number
  /** The last failing checks, with times. */
  unwell: { what: string; afterMs: number }[]
  /** Until every click was counted and stored; the load continues for a while afterwards. */
  drainedMs: number
}

const LINKS = 100
/** Slow visits are measured separately: only hanging ones are errors. */
const WITHIN_MS = 30_000

/** Causes a failure under load, recovers, and compares the data with the responses. */
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
  // Excludes the server's own start: the time begins when it accepts connections.
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

/** Whether a failing check concerns responses to people; counting clicks may lag. */
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

/** Makes every node cache the links, after all messages about their creation. */
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
  await writes.withRetry()
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

/** Compares the stored clicks with their numbers, one by one. */
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
