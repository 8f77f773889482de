/**
 * CPU per redirect with 1,000 links and with 1,000,000, slugs drawn evenly, in the same run.
 * Usage: bin/bun bench/growth.ts [--small 1000] [--large 1000000] [--rounds 5] [--seconds 6]
 */
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, machine, median, versionOf } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '1000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
  },
})
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const wrapper = ['taskset', '-c', '0']
const sizes = [Number(values.small), Number(values.large)]
const figures = new Map<number, number[]>(sizes.map((size) => [size, []]))
const dirs = new Map<number, string>()

for (const size of sizes) {
  const dir = temporaryDirectory()
  dirs.set(size, dir)
  const server = await startSlugline({}, { dataDir: dir })
  await server.createKey()
  await server.stop()
  seedLinks(dir, { workspaceNo: 1, links: size })
}

for (let round = 0; round < Number(values.rounds); round++) {
  for (const size of sizes) {
    const dataDir = dirs.get(size) as string
    const server = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir, wrapper })
    const load = { url: server.url, connections: 64, core: 1, script: visitorScript(size) }
    await runLoad({ ...load, seconds: 3 })
    const before = cpuSeconds(server.pid)
    const { requests } = await runLoad({ ...load, seconds: Number(values.seconds) })
    figures.get(size)?.push(((cpuSeconds(server.pid) - before) / requests) * 1e6)
    await server.stop()
  }
}

const [small, large] = sizes.map((size) => figures.get(size) ?? []) as [number[], number[]]
console.log(machine(tools))
for (const [size, taken] of figures) {
  console.log(`${size} links: ${median(taken).toFixed(2)} µs of CPU per redirect`)
}
const growth = median(large.map((value, i) => value / (small[i] ?? Number.NaN)))
console.log(`growth, pair by pair: ${growth.toFixed(3)} ×`)
