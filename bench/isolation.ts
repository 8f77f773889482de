/**
 * What the statistics do to the redirect's p99: heavy reports one after another, exports, and
 * maintenance: months sorted, clicks purged. Visitors come at a steady mean
 * rate, whatever becomes of earlier ones, and are counted from when they were due; the work beside them
 * is switched on and off twice a second, in random order. What can't be begun and ended so quickly is
 * stopped and continued, with the statistics process (SIGSTOP, SIGCONT). All latencies of a kind are
 * pooled, so that the machine's moods are in both; `usual` is the median of the windows' own p99.
 * `nothing` says how far the figures can be trusted.
 *
 * Visitors run on the last core with the highest priority, and the reader of exports, this process,
 * with the lowest, because both would be elsewhere in production (both as root only).
 * Usage: bin/bun bench/isolation.ts [--clicks 10000000] [--rate 1000] [--pairs 40] [--window 0.5]
 *   [--data DIR] [--only REGEXP]
 * `--data`: as in `bench/reports.ts`; it is copied, and left as it is.
 */
import { Database } from 'bun:sqlite'
import { cpSync, existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseFiles } from '../src/platform/storage/index.ts'
import { openDuckDb } from '../src/statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../src/statistics/process/index.ts'
import { writePlans } from '../test/harness/plans.ts'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { makeClickYear } from './lib/click-year.ts'
import { machine, quantile, watchStolen } from './lib/machine.ts'
import { asOthers, comeLast, startVisitors, type Visits } from './lib/open-load.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { noTurns, type Switch, settled, stopping, takeTurns } from './lib/turns.ts'
import { compareWindows } from './lib/windows.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    rate: { type: 'string', default: '1000' },
    pairs: { type: 'string', default: '40' },
    window: { type: 'string', default: '0.5' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const LINKS = 100_000
const pairs = Number(values.pairs)
const windowMs = Number(values.window) * 1_000
const temporary = temporaryDirectory()
const source = values.data ?? join(temporary, 'source')
if (!existsSync(statisticsFile(source))) {
  await makeClickYear(source, { clicks: Number(values.clicks), links: LINKS })
}
const YEAR = `from=${dayBack(364)}&to=${dayBack(0)}`
const lastCore = cpus().length - 1
comeLast()

interface Instance {
  slugline: Slugline
  ask(path: string, signal?: AbortSignal): Promise<Response>
}

/** Work that runs beside the visitors, on a server whose data `prepare` has set up. */
interface Scenario {
  prepare?(dir: string): Promise<Record<string, string>>
  /** Starts work for the whole time, until the signal aborts. */
  begin?(its: Instance, signal: AbortSignal): Promise<void>
  /** How the work is switched on and off; by default by stopping the process. */
  switched?(its: Instance): Switch
  /** The work ends by itself, and is restarted with another copy of the data. */
  ends?: true
}

const noSwitch = () => ({ on() {}, async off() {} })
const scenarios: Record<string, Scenario> = {
  nothing: { switched: noSwitch },
  'clicks being stored': {},
  'reports over all clicks': { switched: reporting },
  'export as CSV': { begin: (its, signal) => exporting(its, 'csv', signal) },
  'export as Parquet': { begin: (its, signal) => exporting(its, 'parquet', signal) },
  'sorting months': { ends: true, prepare: (dir) => change(dir, 'DELETE FROM closed_months') },
  'purge of old clicks': {
    ends: true,
    prepare: async () => ({
      SLUGLINE_PLANS: writePlans({ unlimited: { analytics_retention_days: 30 } }),
    }),
  },
  'purge of deleted links': {
    ends: true,
    async prepare(dir) {
      const main = new Database(databaseFiles(dir).main)
      main.run('DELETE FROM links WHERE seq % 3 = 0')
      main.close()
      return {}
    },
  },
}

console.log(machine())
const rows: Record<string, object> = {}
for (const [name, scenario] of Object.entries(scenarios)) {
  if (!new RegExp(values.only).test(name)) continue
  rows[name] = await measure(scenario)
  console.log(name, rows[name])
}
console.table(rows)

async function measure({ ends, begin, switched, ...scenario }: Scenario): Promise<object> {
  const turns = noTurns()
  const visits: Visits = { due: [], latency: [], late: [] }
  const stolen = watchStolen()
  while (turns.windows.length < 2 * pairs) {
    const its = await start(scenario)
    const leaving = new AbortController()
    const { pid, url } = its.slugline
    try {
      const work = switched?.(its) ?? stopping(pid)
      // Work that ends must not do so before it is measured.
      if (ends) await work.off()
      else await settled(pid)
      const load = { url, perSecond: Number(values.rate), links: LINKS, core: lastCore }
      const visitors = startVisitors(load)
      await begin?.(its, leaving.signal)
      await Bun.sleep(1_000)
      await takeTurns({ pid, work, pairs, windowMs, ends: ends ?? false }, turns)
      await visitors.stop(visits)
    } finally {
      leaving.abort()
      await its.slugline.dispose()
    }
  }
  const { alone, beside, ratio, between, usual, requests } = compareWindows(visits, turns.windows)
  const two = (...figures: number[]) => figures.map((figure) => figure.toFixed(2))
  return {
    'p50, ms': two(alone.p50, beside.p50).join(' / '),
    'p99, ms': two(alone.p99, beside.p99).join(' / '),
    ratio: `${two(ratio.p99)} (${two(...between).join('–')})`,
    'usual p99, ms': two(usual.alone, usual.beside).join(' / '),
    'ratio of usual': `${two(usual.ratio)} (${two(...usual.between).join('–')})`,
    'CPU of statistics': `${Math.round((100 * turns.cpu) / pairs)} %`,
    'takes its share': `${Math.round((100 * turns.shares) / pairs)} %`,
    'server waits for CPU, ms/s': turns.waits.map((wait) => (wait / pairs).toFixed(1)).join(' / '),
    'generator late p99, ms': quantile(visits.late, 0.99).toFixed(2),
    stolen: stolen(),
    requests,
  }
}

/** A server on a copy of the data, queried once so that its statistics process runs. */
async function start({ prepare }: Pick<Scenario, 'prepare'>): Promise<Instance> {
  const dir = join(temporary, 'data')
  cpSync(source, dir, { recursive: true })
  const settings = await prepare?.(dir)
  // Pending writes must not reach the disk during the measurement.
  Bun.spawnSync(['sync'])
  const slugline = await startSlugline(
    { LOG_LEVEL: 'error', ...settings },
    { dataDir: dir, wrapper: [...asOthers] },
  )
  const { key } = await slugline.createKey()
  const its: Instance = {
    slugline,
    async ask(path, signal) {
      const headers = { authorization: `Bearer ${key}` }
      const url = `${slugline.url}/api/v1${path}`
      const answer = await fetch(url, { headers, signal: signal ?? null })
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
      return answer
    },
  }
  for (let tries = 0; ; tries++) {
    try {
      await (await its.ask(`/stats?from=${dayBack(0)}`)).arrayBuffer()
      return its
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

async function change(dir: string, statement: string): Promise<Record<string, string>> {
  const database = await openDuckDb(statisticsFile(dir))
  await (await database.connect()).run(statement)
  database.close()
  return {}
}

function reporting({ ask }: Instance) {
  const reports = [
    `/stats?${YEAR}&interval=day&timezone=Europe/Berlin&referrer=site18.example`,
    `/stats/referrer_path?${YEAR}`,
    `/stats/link?${YEAR}&referrer=site18.example&referrer=site19.example&referrer=`,
    `/stats/referrer?${YEAR}&utm_source=source1`,
    `/stats?${YEAR}&tag=tag7&interval=month`,
  ]
  let next = 0
  let going = false
  let done = Promise.resolve()
  return {
    on() {
      if (going) return
      going = true
      done = (async () => {
        while (going) await (await ask(reports[next++ % reports.length] as string)).arrayBuffer()
      })()
    },
    async off() {
      going = false
      await done
    },
  }
}

/** Runs one export after another, dropping the data. */
async function exporting({ ask }: Instance, format: string, signal: AbortSignal): Promise<void> {
  const exports = async () => {
    for (;;) {
      const { body } = await ask(`/clicks.${format}?${YEAR}`, signal)
      for await (const _ of body as ReadableStream<Uint8Array>);
    }
  }
  void exports().catch((error) => {
    if (!signal.aborted) throw error
  })
}

function dayBack(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
