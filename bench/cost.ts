/**
 * What one redirect costs a node and everything behind it, in CPU: answered from memory, counted,
 * and stored for reports, until all of it has arrived. Visitors differ and links are drawn evenly,
 * which is the dearest way to count. docs/scaling.md reckons with it.
 * The reference is a bare server in the same run that answers 302.
 * Usage: bin/bun bench/cost.ts [--clicks clickhouse|postgres] [--links 10000] [--visitors 1000000]
 *   [--rounds 3] [--seconds 5] [--connections 64]
 */
import { parseArgs } from 'node:util'
import { childOf } from '../test/harness/children.ts'
import { startClickHouse } from '../test/harness/clickhouse.ts'
import { startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, familyCpuSeconds, machine, median, versionOf } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { seedPostgres } from './lib/seed-postgres.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: 'clickhouse' },
    links: { type: 'string', default: '10000' },
    visitors: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
  },
})
const links = Number(values.links)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const dir = temporaryDirectory()

const scaled = await startScaled()
const clickHouse = values.clicks === 'postgres' ? null : await startClickHouse()
const env = {
  ...scaled.env,
  CLICKHOUSE_URL: clickHouse?.url('slugline') ?? '',
  TRUSTED_PROXIES: '127.0.0.1',
  LOG_LEVEL: 'error',
}
const first = await startSlugline(env, { dataDir: dir })
await first.createKey()
await first.stop()
await seedPostgres(scaled.databaseUrl, { workspaceNo: 1, links })
const slugline = await startSlugline(env, { dataDir: dir })
const reference = Bun.spawn(
  [
    process.execPath,
    '-e',
    `const s = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () =>
      new Response(null, { status: 302, headers: { location: 'https://example.com/' } }) })
    console.log(s.url.href)`,
  ],
  { stdout: 'pipe' },
)
const said = await reference.stdout.getReader().read()
const referenceUrl = new TextDecoder().decode(said.value).trim().replace(/\/$/, '')

/** The visitors' script, with a separate address for each visit. */
const script = visitorScript(links).replace(
  /\n {2}return wrk/,
  `
  local v = math.random(0, ${Number(values.visitors) - 1})
  headers["X-Forwarded-For"] = string.format("%d.%d.%d.9", 20 + v / 65536, v / 256 % 256, v % 256)
  return wrk`,
)
const load = {
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  core: 1,
  script,
}

/** CPU that each part has used so far, in seconds. */
function snapshot() {
  const child = (name: 'click-worker' | 'statistics') => {
    const pid = childOf(slugline.pid, name)
    return pid === undefined ? 0 : cpuSeconds(pid)
  }
  return {
    node: cpuSeconds(slugline.pid),
    'click worker': child('click-worker'),
    'statistics process': child('statistics'),
    postgres: familyCpuSeconds(scaled.postgres.pid),
    redis: cpuSeconds(scaled.redis.pid),
    clickhouse: clickHouse === null ? 0 : cpuSeconds(clickHouse.pid),
  }
}
type Part = keyof ReturnType<typeof snapshot>

/** Resolves when every click is counted and stored. */
async function arrived(): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${slugline.url}/metrics`)).text()
    if (['click', 'statistics'].every((n) => text.includes(`slugline_${n}_backlog_bytes 0\n`)))
      return
    await Bun.sleep(100)
  }
}

interface Round {
  parts: Record<Part, number>
  reference: number
  perSecond: number
  arrivedPerSecond: number
}

async function round(): Promise<Round> {
  const referenceBefore = cpuSeconds(reference.pid)
  const bare = await runLoad({ ...load, seconds: 2, url: referenceUrl })
  const ofReference = ((cpuSeconds(reference.pid) - referenceBefore) / bare.requests) * 1e6
  const before = snapshot()
  const start = performance.now()
  const { requests, perSecond, refused } = await runLoad({ ...load, url: slugline.url })
  if (refused > 0) throw new Error(`${refused} were refused`)
  await arrived()
  const seconds = (performance.now() - start) / 1_000
  const after = snapshot()
  const parts = Object.fromEntries(
    (Object.keys(before) as Part[]).map((part) => [
      part,
      ((after[part] - before[part]) / requests) * 1e6,
    ]),
  ) as Record<Part, number>
  return { parts, reference: ofReference, perSecond, arrivedPerSecond: requests / seconds }
}

await runLoad({ ...load, url: slugline.url, seconds: 2 })
await arrived()
const rounds: Round[] = []
for (let i = 0; i < Number(values.rounds); i++) rounds.push(await round())
const [size] = await scaled.postgres.admin(
  `SELECT count(*)::int AS n, pg_total_relation_size('clicks')::float8 AS bytes FROM clicks`,
  new URL(scaled.databaseUrl).pathname.slice(1),
)
await slugline.stop()
reference.kill()
await clickHouse?.stop()
await scaled.dispose()

const middle = (of: (each: Round) => number) => median(rounds.map(of))
console.log(machine(tools))
console.log(
  `${links} links, ${values.visitors} visitors, clicks in ${values.clicks}, ${values.connections} ` +
    `connections, ${rounds.length} rounds of ${values.seconds} s, medians; everything shares the cores`,
)
console.table(
  Object.fromEntries(
    (Object.keys(rounds[0]?.parts ?? {}) as Part[]).map((part) => [
      part,
      { 'CPU µs per redirect': middle(({ parts }) => parts[part]).toFixed(2) },
    ]),
  ),
)
const ratio = median(rounds.map(({ parts, reference: bare }) => parts.node / bare))
console.log(
  `a bare 302: ${middle((each) => each.reference).toFixed(2)} µs; the node ${ratio.toFixed(2)} ×`,
)
console.log(
  `${Math.round(middle((each) => each.perSecond))} redirects/s answered, ` +
    `${Math.round(middle((each) => each.arrivedPerSecond))}/s counted and stored`,
)
if (clickHouse === null) {
  const { n, bytes } = size as { n: number; bytes: number }
  console.log(`${(bytes / n).toFixed(0)} bytes a click in PostgreSQL, indexes included`)
}
