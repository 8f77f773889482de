/**
 * New nodes with many links that lose PostgreSQL as soon as they are ready: visits of all links
 * during the outage.
 * Usage: bin/bun bench/cluster-cold.ts [--links 45000] [--nodes 3] [--seconds 60] [--rate 300]
 */
import { parseArgs } from 'node:util'
import { eventually } from '../test/harness/eventually.ts'
import { startPostgres } from '../test/harness/postgres.ts'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { startRedis } from '../test/harness/redis.ts'
import { startVisits } from '../test/harness/visits.ts'
import { machine, memoryMb, quantile } from './lib/machine.ts'
import { seedPostgres } from './lib/seed-postgres.ts'
import { slugAt } from './lib/wrk.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '45000' },
    nodes: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '300' },
  },
})
const [links, count, seconds, rate] = [values.links, values.nodes, values.seconds, values.rate].map(
  Number,
) as [number, number, number, number]

const postgres = await startPostgres({ durable: true })
const redis = await startRedis()
const url = await postgres.createDatabase({ empty: true })
const env = {
  DATABASE_URL: url,
  REDIS_URL: redis.url,
  CLICKHOUSE_URL: 'http://127.0.0.1:9/clicks',
  BASE_URL: 'http://sho.rt',
  SLUGLINE_SECRET: 'a secret that all nodes of this bench have',
  METRICS: 'public',
}
const first = await startSlugline(env)
await first.createKey()
await first.dispose()
await seedPostgres(url, { workspaceNo: 1, links })

const starting = Array.from({ length: count }, async () => {
  const begin = performance.now()
  const node = await startSlugline({ ...env, LOG_LEVEL: 'warn' })
  await ready(node)
  return { node, ms: performance.now() - begin }
})
const started = await Promise.all(starting)
const nodes = started.map(({ node }) => node)
await postgres.stop()
const visits = startVisits({
  targets: () => nodes.map((node) => node.url),
  perSecond: rate,
  most: Math.ceil(rate * (seconds + 30)),
  // Every link once, then again.
  path: (mark) => `/${slugAt((mark * 7_919) % links)}`,
})
await Bun.sleep(seconds * 1_000)
const away = { sent: visits.sent, refused: Object.fromEntries(visits.refused) }
const metrics = await Promise.all(nodes.map(refusals))
const memory = nodes.map((node) => Math.round(memoryMb(node.pid).rss))
await postgres.start()
await Promise.all(nodes.map(ready))
await visits.stop()

console.log(machine())
console.log(`${count} fresh nodes, ${links} links, PostgreSQL away for ${seconds} s`)
console.log(`ready after ${started.map(({ ms }) => Math.round(ms)).join(', ')} ms`)
console.log(`visits ${away.sent}, not redirected ${JSON.stringify(away.refused)}`)
const took = [...visits.tookMs].filter((ms) => !Number.isNaN(ms))
console.log(`p50 ${quantile(took, 0.5).toFixed(1)} ms, p99 ${quantile(took, 0.99).toFixed(1)} ms`)
console.log(`slugline_resolver_refused_total ${metrics.join(', ')}; RSS with helpers ${memory} MB`)
console.log(`nodes that run: ${nodes.filter((node) => isAlive(node.pid)).length}`)
console.log(`lines in the log: ${nodes.map((node) => node.output().split('\n').length).join(', ')}`)
await Promise.all(nodes.map((node) => node.dispose()))
await redis.dispose()
await postgres.dispose()
process.exit()

async function ready(node: Slugline): Promise<void> {
  await eventually('it is ready', async () => {
    const answer = await fetch(`${node.url}/readyz`).catch(() => undefined)
    return answer?.status === 200 ? true : undefined
  })
}

async function refusals(node: Slugline): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return Number(/^slugline_resolver_refused_total (\d+)$/m.exec(text)?.[1])
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
