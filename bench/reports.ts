/**
 * Latency and CPU of every report over a year of clicks in one workspace, bytes a click, memory, and
 * the rate of exports. Each answer that is timed is asked of another range, so that none is kept.
 * Usage: bin/bun bench/reports.ts [--clicks 10000000] [--links 100000] [--calls 15] [--data FILE]
 * `--data` keeps the made clicks there for the next time; making them takes some minutes.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { bucketStarts, type Interval } from '../src/statistics/intervals.ts'
import { createReports } from '../src/statistics/reports/index.ts'
import { duckdbVersion, openStatistics } from '../src/statistics/store/duckdb.ts'
import { TABLES } from '../src/statistics/store/schema.ts'
import {
  DIMENSIONS,
  type ExportFormat,
  type Filter,
  type Selection,
} from '../src/statistics/types.ts'
import { zoneOffsets } from '../src/statistics/zones.ts'
import { SEQS_PER_WORKSPACE } from '../src/storage/index.ts'
import { DAYS, generateYear, WORKSPACE } from './lib/click-year.ts'
import { machine, median, memoryMb, quantile } from './lib/machine.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    links: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '15' },
    data: { type: 'string' },
    make: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const clicks = Number(values.clicks)
const links = Number(values.links)
const calls = Number(values.calls)
const FIRST_DAY = 20_100
const DAY_MS = 86_400_000

if (values.make !== undefined) {
  await make(values.make)
  process.exit()
}

const directory = mkdtempSync(join(tmpdir(), 'slugline-bench-'))
const file = values.data ?? join(directory, 'statistics.duckdb')
if (!existsSync(file)) {
  // In a process of its own: sorting a month takes memory that answering doesn't.
  const made = Bun.spawnSync([process.execPath, ...process.argv.slice(1), '--make', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (made.exitCode !== 0) throw new Error('The clicks could not be made')
}

let peak = 0
const watching = setInterval(() => {
  peak = Math.max(peak, memoryMb(process.pid).rss)
}, 20)
const database = await openStatistics(file)
const reports = createReports(database, {
  names: {
    links: async (seqs) =>
      new Map(seqs.map((seq) => [seq, `lnk_${String(seq).padStart(26, '0')}`])),
    domains: async () => new Map([[1, 'go.example.com']]),
  },
})

const year: Selection = {
  workspaceNo: WORKSPACE,
  linkSeq: null,
  linkSeqs: null,
  from: FIRST_DAY * DAY_MS,
  to: (FIRST_DAY + DAYS) * DAY_MS,
  filters: [],
  bots: 'exclude',
  offsets: [{ from: FIRST_DAY * DAY_MS, offsetMs: 0 }],
}
type Report = (selection: Selection) => Promise<unknown>

function series(interval: Interval, zone = 'UTC', days = DAYS): Report {
  return (about) => {
    const { to } = about
    const from = Math.max(about.from, to - days * DAY_MS)
    const selection = { ...about, from, offsets: zoneOffsets(zone, from, to) }
    const starts = bucketStarts(selection, interval, zone) as number[]
    return reports.series(selection, [from, ...starts.slice(1), to])
  }
}

const only =
  (filters: Filter[], report: Report): Report =>
  (about) =>
    report({ ...about, filters })
const keep = (dimension: Filter['dimension'], ...list: Filter['values']): Filter => ({
  dimension,
  values: list,
  exclude: false,
})
const without = (dimension: Filter['dimension'], ...list: Filter['values']): Filter => ({
  ...keep(dimension, ...list),
  exclude: true,
})
const totals: Report = (about) => reports.totals(about)
const top =
  (dimension: Filter['dimension']): Report =>
  (about) =>
    reports.top(about, dimension, 10)
const BUSY = 'www5.example.org'

const cases: Record<string, Report> = {
  totals,
  'series day UTC': series('day'),
  'series day Europe/Berlin': series('day', 'Europe/Berlin'),
  'series week Asia/Kolkata': series('week', 'Asia/Kolkata'),
  'series month UTC': series('month'),
  'series month America/Los_Angeles': series('month', 'America/Los_Angeles'),
  'series hour, 31 days': series('hour', 'Europe/Berlin', 31),
  ...Object.fromEntries(DIMENSIONS.map((name) => [`top ${name}`, top(name)])),
  'totals country × browser': only([keep('country', 'C1'), keep('browser', 'Browser1')], totals),
  'top browser, one country': only([keep('country', 'C1')], top('browser')),
  'top country, one referrer': only([keep('referrer', BUSY)], top('country')),
  'top country, no referrer': only([keep('referrer', null)], top('country')),
  'top referrer, one utm_source': only([keep('utm_source', 'source1')], top('referrer')),
  'series day, one referrer': only([keep('referrer', BUSY)], series('day')),
  'series day Europe/Berlin, one referrer': only(
    [keep('referrer', BUSY)],
    series('day', 'Europe/Berlin'),
  ),
  'totals, without a referrer': only([without('referrer', BUSY)], totals),
  'top country, without a referrer': only([without('referrer', BUSY)], top('country')),
  'top referrer, without a language': only([without('language', 'l1')], top('referrer')),
  'top link, three referrers': only(
    [keep('referrer', BUSY, 'www6.example.org', null)],
    top('link'),
  ),
  'totals, working hours': only([keep('hour', 9, 10, 11, 12, 13, 14, 15, 16)], totals),
  'page of clicks': (about) => reports.clicks(about, { limit: 100 }),
  'page of clicks, half a year back': (about) =>
    reports.clicks(about, { before: { time: about.from + 180 * DAY_MS, n: 0 }, limit: 100 }),
}

console.log(machine({ duckdb: duckdbVersion() }))
const bytes = statSync(file).size
const [stored] = await (await database.connect()).all<{ n: bigint }>(
  'SELECT count(*) AS n FROM clicks',
)
console.log(
  `${stored?.n} clicks, ${links} links, ${(bytes / Number(stored?.n)).toFixed(1)} bytes a click; ${memoryMb(process.pid).rss.toFixed(0)} MB when opened`,
)

const linkOf = (rank: number) => WORKSPACE * SEQS_PER_WORKSPACE + 1 + Math.floor(rank)
const scopes: Record<string, () => Partial<Selection>> = {
  workspace: () => ({}),
  'link, drawn by clicks': () => ({
    linkSeq: linkOf(Math.exp(Math.random() * Math.log(links)) - 1),
  }),
  'link, drawn evenly': () => ({ linkSeq: linkOf(Math.random() * links) }),
  'link with the most clicks': () => ({ linkSeq: linkOf(0) }),
}
for (const [scope, draw] of Object.entries(scopes)) {
  const rounds = scope === 'workspace' ? calls : calls * 4
  const taken: Record<string, { wall: number[]; cpu: number[] }> = {}
  for (let round = 0; round <= rounds; round++) {
    for (const [name, report] of Object.entries(cases)) {
      if (!name.includes(values.only) || (scope !== 'workspace' && name.includes('link'))) continue
      const about = { ...year, ...draw() }
      const before = process.cpuUsage()
      const start = performance.now()
      await report(about)
      const wall = performance.now() - start
      const { user, system } = process.cpuUsage(before)
      // The first round reads the file.
      if (round === 0) continue
      taken[name] ??= { wall: [], cpu: [] }
      taken[name].wall.push(wall)
      taken[name].cpu.push((user + system) / 1_000)
    }
  }
  console.log(`\n${scope}, milliseconds, ${rounds} calls each`)
  console.table(
    Object.fromEntries(
      Object.entries(taken).map(([name, { wall, cpu }]) => [
        name,
        {
          p50: median(wall).toFixed(1),
          p99: quantile(wall, 0.99).toFixed(1),
          cpu: median(cpu).toFixed(1),
        },
      ]),
    ),
  )
  const all = Object.values(taken).flatMap(({ wall }) => wall)
  console.log(`all together: p50 ${median(all).toFixed(1)}, p99 ${quantile(all, 0.99).toFixed(1)}`)
}

const sparkTaken: number[] = []
for (let call = 0; call < calls * 4; call++) {
  const some = Array.from({ length: 100 }, () =>
    linkOf(Math.exp(Math.random() * Math.log(links)) - 1),
  )
  const start = performance.now()
  await reports.daily(some, FIRST_DAY + DAYS - 30, 30)
  sparkTaken.push(performance.now() - start)
}
console.log(
  `\nsparklines of 100 links: p50 ${median(sparkTaken).toFixed(1)} ms, p99 ${quantile(sparkTaken, 0.99).toFixed(1)} ms`,
)
console.log(`memory while answering: at most ${peak.toFixed(0)} MB`)

if (values.only === '') {
  for (const format of ['csv', 'ndjson', 'parquet'] satisfies ExportFormat[]) {
    peak = 0
    const start = performance.now()
    const before = process.cpuUsage()
    let size = 0
    for await (const part of await reports.export({ ...year, bots: 'include' }, format)) {
      size += part.length
    }
    const seconds = (performance.now() - start) / 1_000
    const { user, system } = process.cpuUsage(before)
    console.log(
      `export ${format}: ${Math.round(clicks / seconds)} clicks/s (${Math.round(clicks / ((user + system) / 1e6))} per CPU second), ${(size / 1e6).toFixed(0)} MB, memory at most ${peak.toFixed(0)} MB`,
    )
  }
}
await database.releaseMemory()
Bun.gc(true)
await Bun.sleep(2_000)
console.log(`memory at rest: ${memoryMb(process.pid).rss.toFixed(0)} MB`)
clearInterval(watching)
database.close()
rmSync(directory, { recursive: true, force: true })

async function make(target: string): Promise<void> {
  const instance = await DuckDBInstance.create(target, { threads: '1', memory_limit: '3GB' })
  const connection = await instance.connect()
  for (const table of TABLES) await connection.run(table)
  const start = performance.now()
  await generateYear(connection, { clicks, others: clicks / 50, links, firstDay: FIRST_DAY })
  console.log(`clicks made in ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  connection.closeSync()
  instance.closeSync()
}
