/**
 * What a year of clicks in one workspace costs: how long each question takes, asked over HTTP of a
 * real server; bytes a click on the disk; memory of the processes; the rate of exports, and what they
 * take for a slow reader.
 * Usage: bin/bun bench/reports.ts [--clicks 10000000] [--links 100000] [--calls 20] [--data DIR] [--only TEXT] [--scope TEXT]
 * `--data` keeps the clicks there for the next time.
 */
import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../src/platform/storage/index.ts'
import { openDuckDb } from '../src/statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../src/statistics/process/index.ts'
import { DIMENSIONS } from '../src/statistics/types.ts'
import { childOf } from '../test/harness/children.ts'
import { startSlugline } from '../test/harness/process.ts'
import { clickYearOf, DAYS, WORKSPACE } from './lib/click-year.ts'
import { cpuSeconds, machine, median, memoryMb, quantile, watchStolen } from './lib/machine.ts'
import { statisticsPid, watchMemory } from './lib/statistics-process.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    links: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '20' },
    data: { type: 'string' },
    make: { type: 'string' },
    only: { type: 'string', default: '' },
    scope: { type: 'string', default: '' },
  },
})
const clicks = Number(values.clicks)
const links = Number(values.links)
const calls = Number(values.calls)

const dir = await clickYearOf(values, { clicks, links })

const used = await usedBytes()
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir })
const { key } = await slugline.createKey()
const headers = { authorization: `Bearer ${key}` }
const random = Math.random

/** Dates of a range of `days` days that ends `ago` days ago. */
function range(days: number, ago = 0): string {
  const date = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
  return `from=${date(ago + days - 1)}&to=${date(ago)}`
}

async function get(path: string): Promise<Response> {
  const answer = await fetch(`${slugline.url}/api/v1${path}`, { headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

// A different range each time, so that no answer can be cached.
const year = () => range(DAYS - Math.floor(random() * 10))
const month = () => range(31, Math.floor(random() * 10))
const stats = (query: string, when = year) => [`/stats?${when()}&${query}`]
const top = (dimension: string, query = '') => [`/stats/${dimension}?${year()}&${query}`]
// The most frequent one of the generated clicks.
const NEWS = 'referrer=site18.example'
/** The end of names of cases of at most 31 days. */
const MONTH = ', 31 days'
/** The beginning of names of cases of single clicks. */
const PAGE = 'page of clicks'
const half = () => range(DAYS / 2, Math.floor(DAYS / 2))

/** Paths below `/api/v1` or `/api/v1/links/{id}`, requested one after another. */
const cases: Record<string, () => string[]> = {}
for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu']) {
  for (const interval of ['day', 'week', 'month']) {
    cases[`stats by ${interval}, ${zone}`] = () =>
      stats(`interval=${interval}&timezone=${encodeURIComponent(zone)}`)
  }
  cases[`stats by hour, ${zone}${MONTH}`] = () =>
    stats(`interval=hour&timezone=${encodeURIComponent(zone)}`, () => range(31))
}
Object.assign(cases, {
  [`stats by day, and of those before${MONTH}`]: () => [
    `/stats?${range(30)}&interval=day`,
    `/stats?${range(30, 30)}&interval=day`,
  ],
  ...Object.fromEntries(
    DIMENSIONS.map((name) => [`top ${name}${MONTH}`, () => [`/stats/${name}?${month()}`]]),
  ),
  [`top browser, one country${MONTH}`]: () => [`/stats/browser?${month()}&country=US`],
  ...Object.fromEntries(DIMENSIONS.map((name) => [`top ${name}`, () => top(name)])),
  'stats, country × browser': () => stats('country=US&browser=Chrome&interval=month'),
  'stats, country × device × referrer × utm': () =>
    stats(`country=US&device=desktop&${NEWS}&utm_source=source1&interval=month`),
  'stats, without a referrer': () => stats(`not_${NEWS}&interval=month`),
  'stats, working hours': () => stats('hour=9&hour=10&hour=11&hour=12&hour=13&interval=month'),
  'stats by day, one referrer, Europe/Berlin': () =>
    stats(`${NEWS}&interval=day&timezone=Europe/Berlin`),
  'stats, a tag': () => stats('tag=tag7&interval=month'),
  'top browser, one country': () => top('browser', 'country=US'),
  'top country, one referrer': () => top('country', NEWS),
  'top country, without a referrer': () => top('country', `not_${NEWS}`),
  'top referrer, one utm_source': () => top('referrer', 'utm_source=source1'),
  'top link, three referrers': () => top('link', `${NEWS}&referrer=site19.example&referrer=`),
  'top referrer, one country, one device': () => top('referrer', 'country=US&device=mobile'),
  [`stats by hour, one country${MONTH}`]: () => stats('interval=hour&country=US', () => range(31)),
  'top hour, one country': () => top('hour', 'country=US'),
  'top referrer_path, one country': () => top('referrer_path', 'country=US'),
  'top link, one country': () => top('link', 'country=US'),
  'top city, one browser, a weekday': () => top('city', 'browser=Chrome&weekday=2'),
  [PAGE]: () => [`/clicks?${year()}&limit=100`],
  [`${PAGE}, half a year back`]: () => [`/clicks?${half()}&limit=100`],
} satisfies Record<string, () => string[]>)

await (await get(`/stats?${range(1)}`)).json()
let pid = statisticsPid(slugline.pid)
const memory = watchMemory({ serving: () => slugline.pid, statistics: () => pid })
console.log(machine())
const all = (await (await get(`/stats?${range(DAYS + 2)}&interval=month&bots=include`)).json()) as {
  totals: { clicks: number }
}
const stored = all.totals.clicks
const bytes = statSync(statisticsFile(dir)).size
console.log(
  `${stored} clicks, ${links} links; ${(bytes / stored).toFixed(1)} bytes a click in the file, ${(used / stored).toFixed(1)} of them in use`,
)

const ids = new Database(databaseFiles(dir).main, { readonly: true }).query(
  'SELECT id FROM links WHERE seq = ?',
)
const link = (rank: number) => {
  const { id } = ids.get(WORKSPACE * SEQS_PER_WORKSPACE + 1 + Math.floor(rank)) as { id: string }
  return `/links/${id}`
}
const between = (from: number, to: number) => from + random() * (to - from)
const scopes: Record<string, () => string> = {
  workspace: () => '',
  'any link': () => link(random() * links),
  'link, drawn by clicks': () => link(Math.exp(random() * Math.log(links)) - 1),
  'hot link (the first)': () => link(0),
  'middle link (100th to 2,000th)': () => link(between(100, 2_000)),
  'cold link (from the 10,000th on)': () => link(between(10_000, links - 1)),
}
for (const [scope, prefix] of Object.entries(scopes)) {
  if (!scope.includes(values.scope)) continue
  const rounds = scope === 'workspace' ? calls : calls * 2
  const stolen = watchStolen()
  const taken: Record<string, { wall: number[]; cpu: number }> = {}
  for (let round = 0; round <= rounds; round++) {
    for (const [name, paths] of Object.entries(cases)) {
      if (!name.includes(values.only)) continue
      if (scope !== 'workspace' && /link|a tag/.test(name)) continue
      const about = prefix()
      const before = statisticsCpu()
      const start = performance.now()
      for (const path of paths()) await (await get(about + path)).arrayBuffer()
      const wall = performance.now() - start
      // The first round reads the file.
      if (round === 0) continue
      taken[name] ??= { wall: [], cpu: 0 }
      taken[name].wall.push(wall)
      taken[name].cpu += Math.max(0, statisticsCpu() - before)
    }
  }
  console.log(`\n${scope}, milliseconds, ${rounds} calls each; stolen: ${stolen()}`)
  const rows = Object.entries(taken).map(([name, { wall, cpu }]) => [
    name,
    {
      p50: median(wall).toFixed(1),
      p99: quantile(wall, 0.99).toFixed(1),
      'mean CPU': ((1_000 * cpu) / wall.length).toFixed(0),
    },
  ])
  console.table(Object.fromEntries(rows))
  const isPage = (name: string) => name.startsWith(PAGE)
  const isMonth = (name: string) => name.endsWith(MONTH)
  tell('31 days together', taken, isMonth)
  tell('a year together', taken, (name) => !isPage(name) && !isMonth(name))
  tell('pages of clicks together', taken, isPage)
}
console.log(`\nmemory while answering, at most: ${memory.read()}`)

if (values.only === '') {
  for (const format of ['csv', 'ndjson', 'parquet']) {
    for (const reader of ['fast', 'slow']) await exportAll(format, reader)
  }
}
await Bun.sleep(8_000)
statisticsCpu()
const rest = memoryMb(pid).rss.toFixed(0)
console.log(`statistics process at rest: ${rest} MB`)
memory.stop()
await slugline.stop()

/** Prints all calls of the selected cases. */
function tell(
  what: string,
  taken: Record<string, { wall: number[] }>,
  isMeant: (name: string) => boolean,
): void {
  const meant = Object.entries(taken).filter(([name]) => isMeant(name))
  const every = meant.flatMap(([, { wall }]) => wall)
  if (every.length === 0) return
  const [p50, p99] = [median(every), quantile(every, 0.99)].map((ms) => ms.toFixed(1))
  console.log(`${what}, ${every.length} calls: p50 ${p50}, p99 ${p99}`)
}

/** CPU of the running process: an idle one ends, and the next query starts another one. */
function statisticsCpu(): number {
  try {
    return cpuSeconds(pid)
  } catch {
    pid = childOf(slugline.pid, 'statistics') ?? pid
    return existsSync(`/proc/${pid}`) ? cpuSeconds(pid) : 0
  }
}

/** Exports all clicks; the slow reader takes a megabyte a second, and disconnects after a while. */
async function exportAll(format: string, reader: string): Promise<void> {
  memory.reset()
  const start = performance.now()
  const before = statisticsCpu()
  let size = 0
  let firstByteMs = 0
  const leaving = new AbortController()
  const path = `${slugline.url}/api/v1/clicks.${format}`
  const { body } = await fetch(path, { headers, signal: leaving.signal })
  const source = (body as ReadableStream<Uint8Array>).getReader()
  for (;;) {
    const { done, value } = await source.read()
    if (done) break
    size += value.length
    // The header row of CSV comes with the first clicks.
    if (firstByteMs === 0) firstByteMs = performance.now() - start
    if (reader === 'fast') continue
    await Bun.sleep(value.length / 1_000)
    if (performance.now() - start > 20_000) break
  }
  const seconds = (performance.now() - start) / 1_000
  const cpu = statisticsCpu() - before
  const rate =
    reader === 'fast' ? `${Math.round(stored / seconds)} clicks/s, ` : `${seconds.toFixed(0)} s of `
  console.log(
    `export as ${format}, ${reader} reader: first byte after ${(firstByteMs / 1_000).toFixed(1)} s, ${rate}${(size / 1e6).toFixed(0)} MB, ${cpu.toFixed(1)} s of CPU; memory at most ${memory.read()}`,
  )
  leaving.abort()
  if (reader === 'fast') return
  await Bun.sleep(500)
  const after = statisticsCpu()
  await Bun.sleep(1_500)
  console.log(`  ${(statisticsCpu() - after).toFixed(2)} s of CPU in the 1.5 s after it had left`)
}

/** Bytes of the file that hold data: the space of deleted clicks is reused. */
async function usedBytes(): Promise<number> {
  const database = await openDuckDb(statisticsFile(dir), { readonly: true })
  const connection = await database.connect()
  const [row] = await connection.run('SELECT block_size * used_blocks FROM pragma_database_size()')
  database.close()
  return Number(row?.[0])
}
