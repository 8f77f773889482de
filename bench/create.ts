/**
 * Durable creations per second over HTTP: key, limit, validation, search index, answer after the
 * sync. The reference is a bare server in the same run that parses the same body and echoes it.
 * With --links, that many links are there before, and what is measured is find-or-create: of a link that
 * exists, and of one that doesn't.
 * With --postgres the node, PostgreSQL and the load share this machine's cores; CPU is given of each,
 * and the rate at which the busiest of them would fill a core.
 * Usage: bin/bun bench/create.ts [--rounds 5] [--seconds 6] [--connections 64] [--postgres]
 *   [--links 1000000]
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, familyCpuSeconds, machine, median, versionOf } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { seedLinks } from './lib/seed.ts'
import { seedPostgres } from './lib/seed-postgres.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '64' },
    postgres: { type: 'boolean', default: false },
    links: { type: 'string', default: '0' },
  },
})
const links = Number(values.links)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const dir = temporaryDirectory()
const scaled = values.postgres ? await startScaled() : null
const start = () => startSlugline({ LOG_LEVEL: 'error', ...scaled?.env }, { dataDir: dir })
let slugline = await start()
const { key } = await slugline.createKey()
if (links > 0) {
  await slugline.stop()
  if (scaled === null) seedLinks(dir, { workspaceNo: 1, links })
  else await seedPostgres(scaled.databaseUrl, { workspaceNo: 1, links })
  slugline = await start()
}
const reference = Bun.spawn([process.execPath, join(import.meta.dir, 'lib/echo.ts')], {
  stdout: 'pipe',
})
const referenceUrl = await firstLine(reference.stdout)

/** Requests with a random body; `body` is an expression of Lua. */
const scriptOf = (body: string, query = '') => `
math.randomseed(os.time())
local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer ${key}" }
request = function()
  local n = math.random(0, ${Math.max(links, 1) - 1})
  return wrk.format("POST", "/api/v1/links${query}", headers, ${body})
end`
const NEW = `'{"destination_url":"https://example.com/articles/' .. math.random(1, 1e9) ..
    '?utm_source=newsletter","title":"Article ' .. math.random(1, 1e9) .. '"}'`
/** The destination of a seeded link. */
const SEEDED = `string.format('{"destination_url":"https://example.com/articles/%d?ref=%d"}', n,
    (n * 2654435761) % 1000003)`
const FIND = '?if_exists=return'
const scripts: Record<string, string> =
  links === 0
    ? { create: scriptOf(NEW) }
    : { found: scriptOf(SEEDED, FIND), made: scriptOf(NEW, FIND) }
const [first] = Object.values(scripts) as [string]
const load = {
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  core: 1,
}

/** CPU seconds of each participating process, by name. */
type Cpu = Record<string, number>

async function measure(url: string, cpu: () => Cpu, script = first) {
  const before = cpu()
  const result = await runLoad({ ...load, script, url })
  if (result.refused > 0) throw new Error(`${result.refused} were refused`)
  const after = cpu()
  const each = (name: string) =>
    (((after[name] ?? 0) - (before[name] ?? 0)) / result.requests) * 1e6
  return { ...result, cpu: each('server'), postgres: each('postgres'), redis: each('redis') }
}
const ofReference = () => ({ server: cpuSeconds(reference.pid) })
const ofOurs = () => ({
  server: cpuSeconds(slugline.pid),
  ...(scaled !== null && {
    postgres: familyCpuSeconds(scaled.postgres.pid),
    redis: cpuSeconds(scaled.redis.pid),
  }),
})

await runLoad({ ...load, script: first, url: slugline.url, seconds: 2 })
await runLoad({ ...load, script: first, url: referenceUrl, seconds: 1 })
type Round = Awaited<ReturnType<typeof measure>>
const rounds = new Map<string, Round[]>(Object.keys(scripts).map((name) => [name, []]))
const theirs: Round[] = []
for (let round = 0; round < Number(values.rounds); round++) {
  theirs.push(await measure(referenceUrl, ofReference))
  for (const [name, script] of Object.entries(scripts)) {
    rounds.get(name)?.push(await measure(slugline.url, ofOurs, script))
  }
}
const [ours] = [...rounds.values()] as [Round[]]
reference.kill()
await slugline.stop()
await scaled?.dispose()

console.log(machine(tools))
console.log(
  `${values.connections} connections, ${values.rounds} rounds of ${values.seconds} s, medians`,
)
if (links > 0) console.log(`${links} links before`)
console.table({
  echo: row(theirs),
  ...Object.fromEntries([...rounds].map(([name, all]) => [name, row(all)])),
})
const ratio = median(ours.map((round, i) => round.cpu / (theirs[i]?.cpu ?? Number.NaN)))
console.log(`CPU per request against the echo, pair by pair: ${ratio.toFixed(2)} ×`)
if (scaled !== null) {
  const [node, postgres, redis] = (['cpu', 'postgres', 'redis'] as const).map((who) =>
    median(ours.map((round) => round[who])),
  ) as [number, number, number]
  console.log(
    `CPU µs per request: node ${node.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)} (all of its ` +
      `processes), Redis ${redis.toFixed(0)}. With a core for the node and one for PostgreSQL that is ` +
      `${Math.floor(1e6 / Math.max(node, postgres))} a second at most: computed, not measured.`,
  )
}

function row(rounds: Round[]) {
  const of = (figure: 'perSecond' | 'cpu' | 'p50' | 'p99') =>
    median(rounds.map((round) => round[figure]))
  return {
    'per second': Math.round(of('perSecond')),
    'CPU µs': of('cpu').toFixed(1),
    'p50 ms': of('p50').toFixed(2),
    'p99 ms': of('p99').toFixed(2),
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk).trim()
  throw new Error('The reference server printed nothing')
}
