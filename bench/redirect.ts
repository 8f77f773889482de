/**
 * CPU per redirect against nginx answering the same slugs from a map, in the same run.
 * Usage: bin/bun bench/redirect.ts [--links 100000] [--rounds 5] [--seconds 6]
 */
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, family, machine, median, versionOf } from './lib/machine.ts'
import { startNginx } from './lib/nginx.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
  },
})
const links = Number(values.links)
const seconds = Number(values.seconds)

const tools = {
  nginx: versionOf('nginx', ['-v'], /nginx\/(\S+)/),
  wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/),
}
const dir = temporaryDirectory('slugline-bench-')
const wrapper = ['taskset', '-c', '0']

const first = await startSlugline({}, { dataDir: dir })
await first.createKey()
await first.stop()
seedLinks(dir, { workspaceNo: 1, links })

const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir, wrapper })
const nginx = await startNginx(links, wrapper)
const load = { seconds, connections: 64, core: 1, script: visitorScript(links) }

interface Round {
  serving: number
  all: number
  perSecond: number
  p99: number
}

async function measure(url: string, pid: number): Promise<Round> {
  await runLoad({ ...load, url, seconds: 2 })
  if (pid === slugline.pid) await counted()
  const before = snapshot(pid)
  const result = await runLoad({ ...load, url })
  // The click worker counts what came in; it is part of the cost, so it reaches the end first.
  if (pid === slugline.pid) await counted()
  const after = snapshot(pid)
  if (result.refused > 0 || result.socketErrors > 0) {
    throw new Error(`${result.refused} refused, ${result.socketErrors} socket errors`)
  }
  return {
    serving: ((after.serving - before.serving) / result.requests) * 1e6,
    all: ((after.all - before.all) / result.requests) * 1e6,
    perSecond: result.perSecond,
    p99: result.p99,
  }
}

async function counted(): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${slugline.url}/metrics`)).text()
    if (/^slugline_click_backlog_bytes 0$/m.test(metrics)) return
    await Bun.sleep(100)
  }
}

function snapshot(pid: number) {
  const members = family(pid)
  return {
    serving: cpuSeconds(pid),
    all: members.reduce((sum, member) => sum + cpuSeconds(member), 0),
  }
}

const ours: Round[] = []
const theirs: Round[] = []
for (let round = 0; round < Number(values.rounds); round++) {
  theirs.push(await measure(nginx.url, nginx.workerPid))
  ours.push(await measure(slugline.url, slugline.pid))
}
await slugline.stop()
await nginx.stop()
rmSync(dir, { recursive: true, force: true })

const of = (rounds: Round[], figure: keyof Round) => median(rounds.map((round) => round[figure]))
const paired = (figure: 'serving' | 'all') =>
  median(ours.map((round, i) => round[figure] / (theirs[i] as Round).serving))
console.log(machine(tools))
console.log(`${links} links, 64 connections, ${values.rounds} rounds of ${seconds} s, medians`)
console.table({
  nginx: row(theirs),
  slugline: row(ours),
})
console.log(
  `CPU per redirect against nginx, pair by pair: serving process ${paired('serving').toFixed(2)} ×, ` +
    `with the click worker ${paired('all').toFixed(2)} ×`,
)

function row(rounds: Round[]) {
  return {
    'serving µs': of(rounds, 'serving').toFixed(2),
    'all µs': of(rounds, 'all').toFixed(2),
    'redirects/s': Math.round(of(rounds, 'perSecond')),
    'p99 ms': of(rounds, 'p99').toFixed(2),
  }
}
