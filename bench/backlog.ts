/**
 * Whether statistics and counters keep up: visits at the server's full rate, how much of the
 * journal is unprocessed meanwhile, and how long the rest takes afterwards.
 * Usage: bin/bun bench/backlog.ts [--links 100000] [--seconds 40] [--cores 0,1]
 */
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, family, machine, versionOf } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '40' },
    cores: { type: 'string', default: '0,1' },
  },
})
const links = Number(values.links)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const dir = temporaryDirectory()
const first = await startSlugline({}, { dataDir: dir })
await first.createKey()
await first.stop()
seedLinks(dir, { workspaceNo: 1, links })
const wrapper = ['taskset', '-c', values.cores]
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir, wrapper })

interface Sample {
  seconds: number
  counters: number
  statistics: number
  behind: number
  stored: number
}

async function sample(start: number): Promise<Sample> {
  const text = await (await fetch(`${slugline.url}/metrics`)).text()
  const metric = (name: string) =>
    Number(new RegExp(`^slugline_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  return {
    seconds: (performance.now() - start) / 1_000,
    counters: metric('click_backlog_bytes') / 1e6,
    statistics: metric('statistics_backlog_bytes') / 1e6,
    behind: metric('statistics_backlog_seconds'),
    stored: metric('statistics_stored_total'),
  }
}

const start = performance.now()
const samples: Sample[] = []
let going = true
const watching = (async () => {
  while (going) {
    samples.push(await sample(start))
    await Bun.sleep(500)
  }
})()
const seconds = Number(values.seconds)
const load = { seconds, connections: 64, core: 1, script: visitorScript(links) }
const result = await runLoad({ ...load, url: slugline.url })
const loaded = performance.now()
for (;;) {
  const { statistics, counters } = await sample(start)
  if (statistics === 0 && counters === 0) break
  await Bun.sleep(50)
}
const drainSeconds = (performance.now() - loaded) / 1_000
going = false
await watching
const cpu = family(slugline.pid).map((pid) => cpuSeconds(pid))
await slugline.stop()

console.log(machine(tools))
console.log(
  `${Math.round(result.perSecond)} redirects/s for ${seconds} s, p99 ${result.p99.toFixed(1)} ms, ` +
    `${result.refused + result.socketErrors} errors; all stored and counted ${drainSeconds.toFixed(1)} s after`,
)
console.log(`CPU seconds of server and helpers: ${cpu.map((one) => one.toFixed(1)).join(', ')}`)
const every = Math.max(1, Math.floor(samples.length / 16))
console.table(
  samples
    .filter((_, i) => i % every === 0)
    .map((one) => ({
      second: one.seconds.toFixed(0),
      'statistics wait MB': one.statistics.toFixed(1),
      'behind s': one.behind.toFixed(1),
      'counters wait MB': one.counters.toFixed(1),
      stored: one.stored,
    })),
)
