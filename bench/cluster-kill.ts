/**
 * Clicks through four nodes by a client that keeps its own count, while nodes, their children and
 * ClickHouse are killed at random moments: what was answered is stored, once.
 * Usage: bin/bun bench/cluster-kill.ts [--clicks 1000000] [--kills 20] [--links 200] [--connections 16]
 *   [--clickhouse]: kept there instead of in PostgreSQL
 */
import { parseArgs } from 'node:util'
import { hasClickHouse } from '../test/harness/clickhouse.ts'
import { startCluster } from '../test/harness/cluster.ts'
import { type ClusterVictim, clusterKillRun } from '../test/harness/cluster-kill-run.ts'
import { seeded } from '../test/harness/random.ts'
import { userAgents } from './lib/clicks.ts'
import { machine } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '20' },
    links: { type: 'string', default: '200' },
    connections: { type: 'string', default: '16' },
    clickhouse: { type: 'boolean', default: false },
  },
})
if (values.clickhouse && !hasClickHouse)
  throw new Error('This figure needs ClickHouse: npm install in test/harness/clickhouse')
const agents = userAgents(seeded(7))

/** Of ten kills six of nodes, two of shippers, one each of a counter and of the store; shuffled. */
const OF_TEN: readonly ClusterVictim[] = [
  ...Array<ClusterVictim>(6).fill('node'),
  'statistics',
  'statistics',
  'click-worker',
  values.clickhouse ? 'clickhouse' : 'postgres',
]
const victims = Array.from(
  { length: Number(values.kills) },
  (_, i) => OF_TEN[(i * 7) % OF_TEN.length] as ClusterVictim,
).sort(() => Math.random() - 0.5)

const cluster = await startCluster({
  clicks: values.clickhouse ? 'clickhouse' : 'postgres',
  env: { LOG_LEVEL: 'error', TRUSTED_PROXIES: '127.0.0.1' },
})
try {
  const run = await clusterKillRun(cluster, {
    clicks: Number(values.clicks),
    links: Number(values.links),
    connections: Number(values.connections),
    kills: victims,
    headers(mark) {
      const part = (n: number) => ((mark * n) % 253) + 1
      const address = `${part(3)}.${part(5)}.${part(7)}.${part(11)}`
      return `User-Agent: ${agents[mark % agents.length]}\r\nX-Forwarded-For: ${address}\r\n`
    },
  })
  console.log(machine())
  console.table({
    ...run,
    loadSeconds: run.loadSeconds.toFixed(1),
    drainSeconds: run.drainSeconds.toFixed(1),
  })
  const wrong = run.answeredMissing + run.storedTwice + run.wrong + run.countersDiffer
  const isKept = wrong === 0 && run.surplus <= run.inFlight
  console.log(isKept ? 'Every answered click is stored, once.' : 'NOT AS PROMISED')
  process.exitCode = isKept ? 0 : 1
} finally {
  await cluster.dispose()
}
