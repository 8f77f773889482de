/**
 * What the statistics do to the redirect's p99: while reports over a year of clicks run one after
 * another, while everything is exported (to a reader who takes all, and to one who takes a megabyte
 * a second), while clicks are put in order, rolled up, purged, and the file is made smaller. Each is
 * compared with the same load without it, in short pairs that take turns: a machine has its moods, and
 * `nothing at all` says which. What goes on in the background is compared with a second server that
 * has nothing to do, while the first one's statistics are held up.
 *
 * Visitors (wrk) and whoever reads exports (this process) are pinned to the last core, because they
 * would be elsewhere; the server and its helpers run where they are put.
 * Usage: bin/bun bench/isolation.ts [--clicks 10000000] [--rounds 15] [--seconds 2] [--data DIR]
 *   [--only TEXT] [--load steady|full]
 * `--data`: as in `bench/reports.ts`; it is copied, and left as it is.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { statisticsFile } from '../src/statistics/process/index.ts'
import { openStatistics } from '../src/statistics/store/duckdb.ts'
import { childOf } from '../test/harness/children.ts'
import { writePlans } from '../test/harness/plans.ts'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { makeClickYear } from './lib/click-year.ts'
import { cpuSeconds, machine, median, quantile, versionOf } from './lib/machine.ts'
import { type Load, runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    load: { type: 'string', default: '' },
  },
})
const LINKS = 100_000
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const temporary = mkdtempSync(join(tmpdir(), 'slugline-bench-'))
const source = values.data ?? join(temporary, 'source')
if (!existsSync(statisticsFile(source))) {
  await makeClickYear(source, { clicks: Number(values.clicks), links: LINKS })
}

/** Visitors who come at a steady pace, some 2,500 a second; and as many as will be answered. */
const LOADS: Record<string, Pick<Load, 'connections' | 'script'>> = {
  steady: { connections: 50, script: `${visitorScript(LINKS)}\ndelay = function() return 20 end` },
  full: { connections: 8, script: visitorScript(LINKS) },
}
const YEAR = `from=${dayBack(364)}&to=${dayBack(0)}`

/** Starts something, and returns what ends it. */
type Beside = (its: Instance) => Promise<() => Promise<void>>
interface Instance {
  slugline: Slugline
  ask(path: string, signal?: AbortSignal): Promise<Response>
}

const lastCore = cpus().length - 1
const everywhere = ['taskset', '-c', `0-${lastCore}`]
Bun.spawnSync(['taskset', '-cp', String(lastCore), String(process.pid)])

const rows: Record<string, object> = {}
console.log(machine(tools))
await scenario('nothing at all', async () => async () => {})
await scenario('reports over all clicks', async (its) => whileGoing(() => report(its)))
for (const format of ['csv', 'parquet']) {
  await scenario(`export as ${format}`, (its) => exporting(its, format, false))
}
await scenario('export as csv, slow reader', (its) => exporting(its, 'csv', true))
await background('putting in order', async (dir) => {
  await change(dir, 'DELETE FROM ordered')
  return {}
})
await background('rolling up', async (dir) => {
  await change(dir, 'DELETE FROM rolled')
  return {}
})
await background('a purge', async () => ({
  SLUGLINE_PLANS: writePlans({ unlimited: { analytics_retention_days: 30 } }),
}))
await background('making smaller', async (dir) => {
  await change(dir, 'DELETE FROM clicks WHERE link % 3 = 0')
  return {}
})
console.table(rows)
rmSync(temporary, { recursive: true, force: true })

async function change(dir: string, statement: string): Promise<void> {
  const database = await openStatistics(statisticsFile(dir))
  await (await database.connect()).run(statement)
  database.close()
}

/** A server on a copy of the data, asked once so that its statistics run. */
async function start(
  name: string,
  prepare?: (dir: string) => Promise<Record<string, string>>,
): Promise<Instance> {
  const dir = join(temporary, name)
  cpSync(source, dir, { recursive: true })
  const settings = await prepare?.(dir)
  const slugline = await startSlugline(
    { LOG_LEVEL: 'error', ...settings },
    { dataDir: dir, wrapper: everywhere },
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
  await (await its.ask(`/stats?from=${dayBack(0)}`)).arrayBuffer()
  return its
}

/** The load alone and with `beside`, in turn, on one server. */
async function scenario(name: string, beside: Beside): Promise<void> {
  if (!name.includes(values.only)) return
  const its = await start('data')
  await compare(name, its, async (isBusy) => {
    const end = isBusy ? await beside(its) : async () => {}
    return { its, end }
  })
  await its.slugline.dispose()
}

/** What a server does by itself, beside the load, and the load on another one that does nothing. */
async function background(
  name: string,
  prepare: (dir: string) => Promise<Record<string, string>>,
): Promise<void> {
  if (!name.includes(values.only)) return
  const plain = await start('plain')
  // Nothing of what it does once an hour is left to do.
  await Bun.sleep(5_000)
  const busy = await start('data', prepare)
  const hold = (signal: 'SIGSTOP' | 'SIGCONT') => {
    const pid = childOf(busy.slugline.pid, 'statistics')
    if (pid !== undefined) process.kill(pid, signal)
  }
  hold('SIGSTOP')
  await compare(name, busy, async (isBusy) => {
    if (!isBusy) return { its: plain, end: async () => {} }
    hold('SIGCONT')
    return { its: busy, end: async () => hold('SIGSTOP') }
  })
  hold('SIGCONT')
  await Promise.all([plain.slugline.dispose(), busy.slugline.dispose()])
}

/** Pairs of the load alone and beside something. `begin`: on which server, and what ends it. */
async function compare(
  name: string,
  busy: Instance,
  begin: (isBusy: boolean) => Promise<{ its: Instance; end: () => Promise<void> }>,
): Promise<void> {
  for (const [kind, load] of Object.entries(LOADS)) {
    if (!kind.includes(values.load)) continue
    const found: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] }
    let cpu = 0
    let seen = 0
    // The first pair warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const isBusy of round % 2 === 0 ? [false, true] : [true, false]) {
        const { its, end } = await begin(isBusy)
        const pid = childOf(busy.slugline.pid, 'statistics')
        const before = pid === undefined ? 0 : cpuSeconds(pid)
        const { p99 } = await runLoad({ ...load, url: its.slugline.url, core: lastCore, seconds })
        if (round > 0) found[isBusy ? 'beside' : 'alone'].push(p99)
        if (isBusy && pid !== undefined && pid === childOf(busy.slugline.pid, 'statistics')) {
          cpu += (cpuSeconds(pid) - before) / seconds
          seen++
        }
        await end()
      }
    }
    const ratios = found.beside.map((p99, i) => p99 / (found.alone[i] as number))
    rows[`${name}, ${kind} load`] = {
      'alone, ms': median(found.alone).toFixed(2),
      'beside, ms': median(found.beside).toFixed(2),
      'of medians': (median(found.beside) / median(found.alone)).toFixed(2),
      'median of pairs': median(ratios).toFixed(2),
      'middle half of pairs': [0.25, 0.75].map((q) => quantile(ratios, q).toFixed(2)).join('–'),
      'CPU of statistics': `${Math.round((100 * cpu) / seen)} %`,
    }
    console.log(name, kind, rows[`${name}, ${kind} load`])
  }
}

function whileGoing(work: () => Promise<void>): () => Promise<void> {
  let going = true
  const done = (async () => {
    while (going) await work()
  })()
  return async () => {
    going = false
    await done
  }
}

async function report({ ask }: Instance): Promise<void> {
  await (await ask(`/stats?${YEAR}&interval=day&timezone=Europe/Berlin`)).arrayBuffer()
  await (await ask(`/stats/referrer?${YEAR}`)).arrayBuffer()
  await (await ask(`/stats?${YEAR}&tag=tag7&interval=month`)).arrayBuffer()
}

async function exporting(its: Instance, format: string, isSlow: boolean) {
  const leaving = new AbortController()
  const done = (async () => {
    while (!leaving.signal.aborted) {
      const { body } = await its.ask(`/clicks.${format}?${YEAR}`, leaving.signal)
      for await (const part of body as ReadableStream<Uint8Array>) {
        // Read and dropped: only its being made matters.
        if (isSlow) await Bun.sleep(part.length / 1_000)
        if (leaving.signal.aborted) return
      }
    }
  })().catch((error) => {
    if (!leaving.signal.aborted) throw error
  })
  return async () => {
    leaving.abort()
    await done
  }
}

function dayBack(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
