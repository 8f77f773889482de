/**
 * Random requests and visits on three nodes while these, PostgreSQL and Redis are killed and frozen, for
 * an hour: whether what was answered is what one node could have answered. See test/harness/history.ts.
 * Usage: bin/bun bench/histories.ts [--minutes 60] [--seed 1] [--nodes 3]
 */
import { parseArgs } from 'node:util'
import { startCluster } from '../test/harness/cluster.ts'
import { FAULTS, historyEnv, historyRun } from '../test/harness/history-run.ts'
import { machine } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    nodes: { type: 'string', default: '3' },
  },
})
const until = performance.now() + Number(values.minutes) * 60_000
const cluster = await startCluster({ nodes: Number(values.nodes), env: historyEnv() })
const total = { rounds: 0, failures: 0, requests: 0, unknown: 0, repeated: 0 }
const visits = { visits: 0, bound: 0, limited: 0 }
const wrong: string[] = []
try {
  for (let seed = Number(values.seed); performance.now() < until; seed++) {
    const run = await historyRun(cluster, { seed, faults: FAULTS })
    total.rounds++
    total.failures += FAULTS.length
    for (const name of ['requests', 'unknown', 'repeated'] as const) total[name] += run[name]
    for (const name of ['visits', 'bound', 'limited'] as const) visits[name] += run[name]
    wrong.push(...run.faults.map((fault) => `--seed ${seed}: ${fault}`))
    console.error(`seed ${seed}: ${run.requests} requests, ${run.faults.length} faults`)
  }
  console.log(machine())
  console.table({ ...total, ...visits })
  for (const fault of wrong) console.log(fault)
  console.log(wrong.length === 0 ? 'As one node would have answered.' : 'NOT AS PROMISED')
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await cluster.dispose()
}
