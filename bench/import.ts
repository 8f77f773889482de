/**
 * How long an import of a CSV file takes, what memory the server needs for it, and how long redirects take
 * meanwhile. With `--kills`, the server is killed so often in the middle: no link may be missing or doubled.
 * Usage: bin/bun bench/import.ts [--records 100000] [--kills 0]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { machine } from './lib/machine.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '0' },
  },
})
const records = Number(values.records)
const kills = Number(values.kills)
const dataDir = temporaryDirectory()
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir })
const { key } = await slugline.createKey()
const headers = { Authorization: `Bearer ${key}` }

interface Job {
  id: string
  status: string
  progress: { done: number }
  result: Record<string, number> | null
}

const get = async (path: string) =>
  (await fetch(`${slugline.url}/api/v1${path}`, { headers })).json()

function* lines() {
  yield 'Long URL,Bitlink,Title,Tags,Created,Total Clicks\n'
  for (let i = 0; i < records; i++) {
    const title = `"A title, with a comma ${i}"`
    const tags = `"promo, t${i % 50}"`
    yield `https://example.com/page/${i}?utm_source=bitly,https://bit.ly/i${i},${title},${tags},2024-01-01,${i}\n`
  }
}

/** The process's current and peak memory in megabytes. */
function memory() {
  const text = readFileSync(`/proc/${slugline.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1_000
}

const before = memory()
const start = performance.now()
const answer = await fetch(`${slugline.url}/api/v1/imports`, {
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'text/csv' },
  body: [...lines()].join(''),
})
const uploaded = performance.now() - start
const { id } = (await answer.json()) as Job
const waits: number[] = []
let killed = 0
let job: Job
let peak = before
for (;;) {
  const asked = performance.now()
  await fetch(`${slugline.url}/i0`, { redirect: 'manual' })
  waits.push(performance.now() - asked)
  job = (await get(`/jobs/${id}`)) as Job
  peak = Math.max(peak, memory())
  if (job.status !== 'queued' && job.status !== 'running') break
  if (killed < kills && job.progress.done > (records * (killed + 0.5)) / kills) {
    killed++
    await slugline.kill()
    await slugline.restart()
  }
  await Bun.sleep(50)
}
const seconds = (performance.now() - start) / 1_000
const list = (await get('/links?limit=1')) as { pagination: { total: number } }
waits.sort((a, b) => a - b)
await slugline.stop()

console.log(machine({}))
console.log(
  `${records} records in ${seconds.toFixed(1)} s (${Math.round(records / seconds)}/s; uploaded in ` +
    `${(uploaded / 1_000).toFixed(1)} s), ${killed} times killed: ${job.status} ${JSON.stringify(job.result)}`,
)
console.log(
  `${list.pagination.total} links; memory ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; a ` +
    `redirect meanwhile ${(waits[waits.length >> 1] ?? 0).toFixed(1)} ms, p99 ` +
    `${(waits[Math.floor(waits.length * 0.99)] ?? 0).toFixed(1)} ms`,
)
if (list.pagination.total !== records) process.exit(1)
