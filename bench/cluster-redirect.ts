/**
 * CPU per redirect of a node with a shared database against the embedded server, in alternating pairs of the
 * same run. Nothing takes the clicks of the node but its journal and its counts. It has started before its
 * links were there: with `--links 1000000` nearly every visit finds its memory cold, and asks PostgreSQL.
 * Usage: bin/bun bench/cluster-redirect.ts [--links 10000] [--rounds 5] [--seconds 6]
 */
import { parseArgs } from 'node:util'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, family, machine, median, versionOf } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { seedLinks } from './lib/seed.ts'
import { seedPostgres } from './lib/seed-postgres.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
  },
})
const links = Number(values.links)
const seconds = Number(values.seconds)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const wrapper = ['taskset', '-c', '0']
const HITS = 'slugline_resolver_hits_total'
const quiet = { LOG_LEVEL: 'error' }
const dirs = [0, 1].map(() => temporaryDirectory()) as [string, string]

const first = await startSlugline({}, { dataDir: dirs[0] })
await first.createKey()
await first.stop()
seedLinks(dirs[0], { workspaceNo: 1, links })
const embedded = await startSlugline(quiet, { dataDir: dirs[0], wrapper })

const scaled = await startScaled()
const node = await startSlugline({ ...quiet, ...scaled.env }, { dataDir: dirs[1], wrapper })
await node.createKey()
await seedPostgres(scaled.databaseUrl, { workspaceNo: 1, links })
const load = { seconds, connections: 64, core: 1, script: visitorScript(links) }

interface Round {
  serving: number
  all: number
  perSecond: number
  p99: number
  /** The share of redirects answered from memory; NaN if there is no cache. */
  hits: number
}

async function metric(server: Slugline, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}

async function counted(server: Slugline): Promise<void> {
  while ((await metric(server, 'slugline_click_backlog_bytes')) > 0) await Bun.sleep(100)
}

function snapshot({ pid }: Slugline) {
  const all = family(pid).reduce((sum, member) => sum + cpuSeconds(member), 0)
  return { serving: cpuSeconds(pid), all }
}

async function measure(server: Slugline): Promise<Round> {
  await runLoad({ ...load, url: server.url, seconds: 2 })
  await counted(server)
  const hits = await metric(server, HITS)
  const before = snapshot(server)
  const result = await runLoad({ ...load, url: server.url })
  const serving = cpuSeconds(server.pid) - before.serving
  const found = (await metric(server, HITS)) - hits
  // The click worker's counting is part of the cost, so it has to finish first.
  await counted(server)
  if (result.refused > 0 || result.socketErrors > 0) {
    throw new Error(`${result.refused} refused, ${result.socketErrors} socket errors`)
  }
  return {
    serving: (serving / result.requests) * 1e6,
    all: ((snapshot(server).all - before.all) / result.requests) * 1e6,
    perSecond: result.perSecond,
    p99: result.p99,
    hits: found / result.requests,
  }
}

const theirs: Round[] = []
const ours: Round[] = []
for (let round = 0; round < Number(values.rounds); round++) {
  theirs.push(await measure(embedded))
  ours.push(await measure(node))
}
await Promise.all([embedded.stop(), node.stop()])
await scaled.dispose()

const of = (rounds: Round[], figure: keyof Round) => median(rounds.map((round) => round[figure]))
const paired = (figure: 'serving' | 'all') =>
  median(ours.map((round, i) => round[figure] / (theirs[i] as Round)[figure]))
console.log(machine(tools))
console.log(`${links} links, 64 connections, ${values.rounds} rounds of ${seconds} s, medians`)
console.table({ embedded: row(theirs), node: row(ours) })
console.log(
  `CPU per redirect against embedded, pair by pair: serving process ${paired('serving').toFixed(2)} ×, ` +
    `with its children ${paired('all').toFixed(2)} ×`,
)

function row(rounds: Round[]) {
  return {
    'serving µs': of(rounds, 'serving').toFixed(2),
    'all µs': of(rounds, 'all').toFixed(2),
    'redirects/s': Math.round(of(rounds, 'perSecond')),
    'p99 ms': of(rounds, 'p99').toFixed(2),
    'from memory': `${(100 * of(rounds, 'hits')).toFixed(2)} %`,
  }
}
