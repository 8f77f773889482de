import { SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import type { TestCluster } from './cluster.ts'
import * as history from './history.ts'
import { nodesOf } from './history-calls.ts'
import * as clients from './history-clients.ts'
import { writePlans } from './plans.ts'
import type { Slugline } from './process.ts'
import { seeded } from './random.ts'

/** What happens to the nodes and their servers. */
export type HistoryFault =
  | 'kill a node'
  | 'freeze a node'
  | 'kill PostgreSQL'
  | 'freeze PostgreSQL'
  | 'kill Redis'
  | 'freeze Redis'

export const FAULTS: readonly HistoryFault[] = [
  ...(['kill a node', 'freeze a node', 'kill Redis'] as const),
  ...(['kill PostgreSQL', 'freeze Redis', 'freeze PostgreSQL'] as const),
]

/** The plan of a workspace with few links. */
const FEW = { name: 'few', links: 6 }

/** The settings of nodes. */
export const historyEnv = (): Record<string, string> => ({
  LOG_LEVEL: 'error',
  SLUGLINE_PLANS: writePlans({ unlimited: {}, [FEW.name]: { links: FEW.links } }),
})

/** Options of a run. */
export interface HistoryOptions {
  /** Decides what is asked for and what fails; not how long anything takes. */
  seed: number
  /** One after the other; how long each lasts is random. */
  faults: readonly HistoryFault[]
}

/** The result of a run. */
export interface HistoryRun {
  requests: number
  /** Requests that were never answered, or with 503. */
  unknown: number
  repeated: number
  visits: number
  /** Visits that must be within the bound: the others were at times when a node couldn't ask. */
  bound: number
  /** Visits of links with `max_clicks`. */
  limited: number
  /** What can't be. */
  faults: string[]
}

/** How long a fault lasts, and the time after it. */
const FAULT_MS = { least: 500, most: 2_500 }
const CALM_MS = 1_200

/**
 * Clients that create, change, delete, read and visit links on all nodes at random while these and
 * their servers are killed and frozen. What they saw is held against what one node would do.
 */
export async function historyRun(
  cluster: TestCluster,
  { seed, faults }: HistoryOptions,
): Promise<HistoryRun> {
  const name = `h${Date.now().toString(36)}`
  const [first] = cluster.nodes as [Slugline]
  const { key } = await first.createKey({ workspace: name })
  const few = await first.createKey({ workspace: `${name}-few`, plan: FEW.name })
  const nodes = nodesOf(cluster.nodes)
  const run: clients.HistoryState = {
    ...{ name, key, nodes, isOver: false, count: 0 },
    ...{ operations: [], visits: [], places: [], limited: [] },
    ...{ answers: new Map(), current: new Map(), unexpected: [], repeated: 0 },
  }
  const work = (client: number) => {
    const random = seeded(seed * 1_000 + client)
    if (client < 4) return clients.repeat(run, () => clients.write(run, random))
    if (client < 7) return clients.repeat(run, () => clients.visit(run, random))
    if (client < 9) return clients.takePlaces(run, random, few.key)
    return clients.repeat(run, () => clients.crowd(run, random))
  }
  const all = Promise.all(Array.from({ length: 10 }, (_, client) => work(client)))
  let isSeen = false
  const watch = nodes.watch(() => isSeen)
  try {
    const random = seeded(seed)
    for (const fault of faults) {
      await Bun.sleep(CALM_MS * (0.5 + random()))
      await cause(fault, run, cluster, random)
      await cluster.allWell()
    }
    await Bun.sleep(CALM_MS)
    run.isOver = true
    await all
    await clients.lookAtAll(run)
  } finally {
    run.isOver = isSeen = true
    await Promise.allSettled([all, watch])
  }
  return judge(run, cluster)
}

/** Lets something fail for a while. */
async function cause(
  fault: HistoryFault,
  { nodes }: clients.HistoryState,
  { postgres, redis }: TestCluster,
  random: () => number,
): Promise<void> {
  const pause = () => Bun.sleep(FAULT_MS.least + random() * (FAULT_MS.most - FAULT_MS.least))
  const at = nodes.any(random)
  const node = nodes.all[at] as Slugline
  switch (fault) {
    case 'kill a node':
      await node.kill()
      await pause()
      nodes.starts[at] = (nodes.starts[at] ?? 0) + 1
      return node.restart()
    case 'freeze a node':
      process.kill(node.pid, 'SIGSTOP')
      await pause()
      process.kill(node.pid, 'SIGCONT')
      return
    case 'kill PostgreSQL':
      await postgres.stop('crash')
      await pause()
      return postgres.start()
    case 'freeze PostgreSQL':
      postgres.freeze()
      await pause()
      return postgres.thaw()
    case 'kill Redis':
      await redis.stop()
      await pause()
      return redis.start()
    case 'freeze Redis':
      redis.freeze()
      await pause()
      return redis.thaw()
  }
}

async function judge(
  run: clients.HistoryState,
  { postgres, database }: TestCluster,
): Promise<HistoryRun> {
  const { operations, answers, nodes } = run
  const visits = run.visits.map((one) => ({ ...one, isBound: nodes.isSure(one.at, one) }))
  const admin = (query: string) => postgres.admin(query, database)
  const [workspace] = await admin(
    `SELECT no, audit_made, events_made FROM workspaces WHERE name = '${run.name}'`,
  )
  const from = Number(workspace?.no) * SEQS_PER_WORKSPACE
  const rows = await admin(
    `SELECT seq - ${from} AS number, sequence, action, target_id AS target, version,
      after::json->>'destination_url' AS url
     FROM audit WHERE seq >= ${from} AND seq < ${from + SEQS_PER_WORKSPACE} ORDER BY seq`,
  )
  const entries = rows.map(
    ({ number, sequence, action, target, version, url }): history.Entry => ({
      ...{ number: Number(number), sequence: sequence === null ? null : Number(sequence) },
      ...{ action: String(action), target: String(target) },
      ...{ version: version === null ? null : Number(version) },
      // Links with `max_clicks` share one.
      url: typeof url === 'string' && url.includes(run.name) ? url : undefined,
    }),
  )
  const answered = operations.flatMap(({ kind, outcome, link }) =>
    outcome === 'done' && (kind === 'create' || kind === 'patch') && link ? [link.url] : [],
  )
  const made = [Number(workspace?.audit_made), Number(workspace?.events_made)]
  const kept = [entries.length, entries.filter(({ sequence }) => sequence !== null).length]
  const [places] = await admin(
    `SELECT links_count AS counted, (SELECT count(*) FROM links WHERE workspace_no = no) AS stored
     FROM workspaces WHERE name = '${run.name}-few'`,
  )
  const [counted, stored] = [Number(places?.counted), Number(places?.stored)]
  return {
    requests: operations.length + run.places.length,
    unknown: operations.filter(({ outcome }) => outcome === 'unknown').length,
    repeated: run.repeated,
    visits: visits.length,
    bound: visits.filter(({ isBound }) => isBound).length,
    limited: run.limited.flat().length,
    faults: [
      ...run.unexpected,
      ...history.slugFaults(operations, visits),
      ...history.backFaults(operations, visits),
      ...history.quotaFaults(run.places, FEW.links),
      ...run.limited.flatMap((each) => history.limitFaults(each, clients.MAX_CLICKS)),
      ...history.answerFaults(answers),
      ...history.auditFaults(entries, answered),
      ...(made.join() === kept.join() ? [] : [`${kept} entries and events instead of ${made}`]),
      ...(counted === stored && stored <= FEW.links
        ? []
        : [`${stored} links of ${FEW.links}, counted as ${counted}`]),
    ],
  }
}
