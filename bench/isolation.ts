/**
 * What the statistics do to the redirect's p99: alone, while reports over everything run one after
 * another, while an export of everything is read, and while clicks are re-ordered and purged. The
 * reference is the same load with nothing beside it, before and after each, in the same run.
 * Usage: bin/bun bench/isolation.ts [--clicks 2000000] [--rounds 5]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { journalDirectory, segmentFile } from '../src/clicks/segments.ts'
import { SEQS_PER_WORKSPACE } from '../src/storage/index.ts'
import { startSlugline } from '../test/harness/process.ts'
import { journalLines } from './lib/clicks.ts'
import { machine, median, versionOf } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '5' },
  },
})
const LINKS = 100_000
const DAY_MS = 86_400_000
const rounds = Number(values.rounds)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const dir = mkdtempSync(join(tmpdir(), 'slugline-bench-'))

let slugline = await startSlugline({}, { dataDir: dir })
const { key } = await slugline.createKey()
await slugline.stop()
seedLinks(dir, { workspaceNo: 1, links: LINKS })
writeJournal()
slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir })

const visits = {
  url: slugline.url,
  connections: 8,
  core: 1,
  seconds: 5,
  script: visitorScript(LINKS),
}
const year = 'from=2025-11-01&to=2026-11-30'
await stored()

console.log(machine(tools))
console.log(`${values.clicks} clicks on ${LINKS} links; the redirect's p99 in milliseconds`)
const rows: Record<string, object> = {}
rows.reports = await compare(() => whileGoing(report))
rows['an export of everything'] = await compare(() => whileGoing(exportAll))
// A plan that keeps clicks for a short time: what is older is purged, the rest put in order.
rows['a purge, and putting in order'] = await compare(purge, 1)
console.table(rows)
await slugline.stop()
rmSync(dir, { recursive: true, force: true })

/** The load alone, then with `beside`, in turn; `beside` starts something and returns its end. */
async function compare(beside: () => () => Promise<void>, times = rounds) {
  const alone: number[] = []
  const busy: number[] = []
  for (let round = 0; round < times; round++) {
    alone.push((await runLoad(visits)).p99)
    const end = beside()
    busy.push((await runLoad(visits)).p99)
    await end()
  }
  alone.push((await runLoad(visits)).p99)
  const ratio = median(busy) / median(alone)
  return {
    alone: median(alone).toFixed(2),
    beside: median(busy).toFixed(2),
    ratio: ratio.toFixed(2),
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

async function ask(path: string): Promise<Response> {
  const answer = await slugline.call('GET', path, { key })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

async function report(): Promise<void> {
  const answer = await ask(`/api/v1/stats?${year}&interval=day&timezone=Europe/Berlin`)
  await answer.arrayBuffer()
  await (await ask(`/api/v1/stats/referrer?${year}`)).arrayBuffer()
}

async function exportAll(): Promise<void> {
  const { body } = await ask(`/api/v1/clicks.ndjson?${year}`)
  for await (const _ of body as ReadableStream<Uint8Array>) {
    // Read and dropped: only its being made matters.
  }
}

function purge(): () => Promise<void> {
  const set = slugline.cli('workspaces', 'set-plan', 'test', 'free')
  return async () => void (await set)
}

/** Waits until the statistics have all clicks. */
async function stored(): Promise<void> {
  for (;;) {
    const { data } = (await (await ask(`/api/v1/stats?${year}&bots=include`)).json()) as {
      data: { totals: { clicks: number } }
    }
    if (data.totals.clicks >= Number(values.clicks)) return
    await Bun.sleep(1_000)
  }
}

/** A year's clicks, as if the server had taken them down. */
function writeJournal(): void {
  const directory = journalDirectory(dir)
  mkdirSync(directory, { recursive: true })
  const to = Date.now() - DAY_MS
  const source = {
    firstLink: SEQS_PER_WORKSPACE + 1,
    links: LINKS,
    from: to - 365 * DAY_MS,
    to,
    clicks: Number(values.clicks),
    visitors: 20_000,
  }
  // Behind the segments that the first start has made.
  let segment = 100
  let lines: string[] = []
  for (const line of journalLines(source)) {
    lines.push(line)
    if (lines.length < 60_000) continue
    writeFileSync(segmentFile(directory, segment++), lines.join(''))
    lines = []
  }
  writeFileSync(segmentFile(directory, segment), lines.join(''))
}
