/**
 * What the statistics do to the redirect's p99: while reports over a year of clicks run one after
 * another, while everything is exported (to a reader who takes all, and to one who takes a megabyte
 * a second), while clicks are put in order, and while they are purged. Each is compared with the same
 * load without it, in pairs that take turns: a machine has its moods.
 * Usage: bin/bun bench/isolation.ts [--clicks 10000000] [--rounds 7] [--seconds 4] [--data DIR] [--only TEXT]
 * `--data`: as in `bench/reports.ts`; it is copied, and left as it is.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { statisticsFile } from '../src/statistics/process/index.ts'
import { openStatistics } from '../src/statistics/store/duckdb.ts'
import { childOf } from '../test/harness/children.ts'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { makeClickYear } from './lib/click-year.ts'
import { cpuSeconds, machine, median, versionOf } from './lib/machine.ts'
import { type Load, runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
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

const rows: Record<string, object> = {}
console.log(machine(tools))
await scenario('nothing at all', async () => async () => {})
await scenario('reports over all clicks', async (its) => whileGoing(() => report(its)))
for (const format of ['csv', 'parquet']) {
  await scenario(`export as ${format}`, (its) => exporting(its, format, false))
}
await scenario('export as csv, slow reader', (its) => exporting(its, 'csv', true))
await scenario('putting in order', pausing, async (dir) => {
  const database = await openStatistics(statisticsFile(dir))
  await (await database.connect()).run('DELETE FROM ordered')
  database.close()
})
await scenario('a purge', pausing, undefined, async ({ slugline }) => {
  const { status } = await slugline.cli('workspaces', 'set-plan', 'test', 'free')
  if (status !== 0) throw new Error('The plan was not changed')
})
console.table(rows)
rmSync(temporary, { recursive: true, force: true })

/** On a copy of the data: the load alone and with `beside`, in turn, `rounds` times. */
async function scenario(
  name: string,
  beside: Beside,
  prepare?: (dir: string) => Promise<void>,
  begin?: (its: Instance) => Promise<void>,
): Promise<void> {
  if (!name.includes(values.only)) return
  const dir = join(temporary, 'data')
  cpSync(source, dir, { recursive: true })
  await prepare?.(dir)
  const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir })
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
  await begin?.(its)
  for (const [kind, load] of Object.entries(LOADS)) {
    const visits = { ...load, url: slugline.url, core: 1, seconds }
    const alone: number[] = []
    const busy: number[] = []
    const ratios: number[] = []
    let cpu = 0
    // The first one warms up.
    await runLoad({ ...visits, seconds: 2 })
    for (let round = 0; round < rounds; round++) {
      const both = [alone, busy]
      const order = round % 2 === 0 ? [0, 1] : [1, 0]
      for (const which of order) {
        const end = which === 1 ? await beside(its) : await apart(beside, its)
        const pid = childOf(slugline.pid, 'statistics')
        const before = pid === undefined ? 0 : cpuSeconds(pid)
        both[which]?.push((await runLoad(visits)).p99)
        if (which === 1 && pid === childOf(slugline.pid, 'statistics') && pid !== undefined) {
          cpu += (cpuSeconds(pid) - before) / seconds / rounds
        }
        await end()
      }
      ratios.push((busy[round] as number) / (alone[round] as number))
    }
    rows[`${name}, ${kind} load`] = {
      'alone, ms': median(alone).toFixed(2),
      'beside, ms': median(busy).toFixed(2),
      'of medians': (median(busy) / median(alone)).toFixed(2),
      'median of pairs': median(ratios).toFixed(2),
      'CPU beside': `${Math.round(100 * cpu)} %`,
    }
    console.log(name, kind, rows[`${name}, ${kind} load`])
  }
  await slugline.dispose()
}

/** What goes on by itself is held up while the load is alone. */
async function apart(beside: Beside, { slugline }: Instance): Promise<() => Promise<void>> {
  const pid = childOf(slugline.pid, 'statistics')
  if (beside !== pausing || pid === undefined) return async () => {}
  process.kill(pid, 'SIGSTOP')
  return async () => void process.kill(pid, 'SIGCONT')
}

/** Nothing needs to be started: it goes on until it is held up. */
async function pausing(): Promise<() => Promise<void>> {
  return async () => {}
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
