/**
 * Four nodes under load, from which PostgreSQL, Redis, both, one of them, or the way to the servers (of
 * all, or of one) is taken for a while; a client that keeps its own count holds it against what is there afterwards.
 * Usage: bin/bun bench/cluster-outage.ts [--seconds 60] [--rate 400] [--clickhouse]
 *   [--only postgres|redis|both|node|cut|cut-one]
 */
import { parseArgs } from 'node:util'
import { startCluster } from '../test/harness/cluster.ts'
import { networksMissing } from '../test/harness/network.ts'
import { type OutageRun, outageRun, type ValidationIssue } from '../test/harness/outage-run.ts'
import { writePlans } from '../test/harness/plans.ts'
import { machine } from './lib/machine.ts'
import './lib/temporary.ts'

const FAULTS: readonly ValidationIssue[] = ['postgres', 'redis', 'both', 'node', 'cut', 'cut-one']
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '400' },
    only: { type: 'string' },
    clickhouse: { type: 'boolean', default: false },
  },
})
const faults = FAULTS.filter((fault) => values.only === undefined || values.only === fault)
const strict = { requests_per_minute: 60, burst: 20 }
const env = {
  SLUGLINE_PLANS: writePlans({ unlimited: {}, strict }),
  METRICS: 'public',
  LOG_LEVEL: 'error',
}
const runs: [ValidationIssue, OutageRun][] = []
for (const fault of faults) {
  const isCut = fault.startsWith('cut')
  if (isCut && networksMissing !== undefined) {
    console.log(`${fault}: ${networksMissing}`)
    continue
  }
  const cluster = await startCluster({
    clicks: values.clickhouse ? 'clickhouse' : 'postgres',
    networks: isCut,
    env,
  })
  try {
    const { key } = await (cluster.nodes[0] as (typeof cluster.nodes)[0]).createKey({
      workspace: 'strict',
      plan: 'strict',
    })
    const limited = { key, perMinute: strict.requests_per_minute, burst: strict.burst }
    const run = await outageRun(cluster, {
      fault,
      seconds: Number(values.seconds),
      perSecond: Number(values.rate),
      limited,
    })
    runs.push([fault, run])
    console.error(fault, run)
  } finally {
    await cluster.dispose()
  }
}

console.log(machine())
console.log(
  `4 nodes, ${values.rate} visits/s, each fault for ${values.seconds} s, clicks kept in ` +
    (values.clickhouse ? 'ClickHouse' : 'PostgreSQL'),
)
console.table(Object.fromEntries(runs.map(([fault, run]) => [fault, visitsRow(run)])))
console.table(Object.fromEntries(runs.map(([fault, run]) => [fault, writesRow(run)])))

function visitsRow(run: OutageRun) {
  return {
    visits: run.visits,
    'not redirected': Object.values(run.notRedirected).reduce((sum, n) => sum + n, 0),
    'broken by the kill': run.broken,
    'p99 ms': run.p99Ms.toFixed(1),
    'slowest ms': run.slowestMs.toFixed(0),
    lost: run.lost,
    doubled: run.doubled,
    stored: run.stored,
    counted: run.counted,
    'never answered': run.surplus,
    'ready s': (run.readyMs / 1_000).toFixed(1),
    'writes s': (run.madeMs / 1_000).toFixed(1),
    'every check s': (run.wellMs / 1_000).toFixed(1),
    'stored s': (run.drainedMs / 1_000).toFixed(1),
  }
}

function writesRow(run: OutageRun) {
  return {
    writes: run.writes,
    '201': run.made,
    '503': run.refused,
    'no answer': run.unanswered,
    other: run.otherAnswers.length,
    'slowest ms': Math.round(run.slowestWriteMs),
    'stood anyway': run.stoodAnyway,
    'half done': run.halfDone,
    'not once': run.notOnce + run.gone,
    'limit: admitted': run.admitted,
    'of at most': run.bound.toFixed(0),
    offered: run.offered,
  }
}
