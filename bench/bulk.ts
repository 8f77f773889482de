/**
 * Durable creations per second by POST /links/bulk, each request 1,000 of them in one transaction,
 * one after another; and how long visits of another link take meanwhile.
 * Usage: bin/bun bench/bulk.ts [--requests 50] [--atomic] [--postgres]
 */
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, familyCpuSeconds, machine, median } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const OPERATIONS = 1_000
/** The interval of visits in milliseconds. */
const VISIT_EVERY_MS = 5

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50' },
    atomic: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
})
const requests = Number(values.requests)
const dir = temporaryDirectory()
const scaled = values.postgres ? await startScaled() : null
const slugline = await startSlugline({ LOG_LEVEL: 'error', ...scaled?.env }, { dataDir: dir })
const { key } = await slugline.createKey()
await slugline.call('POST', '/api/v1/links', {
  key,
  body: { destination_url: 'https://example.com/', slug: 'visited' },
})

let made = 0
async function bulk(): Promise<number> {
  const operations = Array.from({ length: OPERATIONS }, () => {
    const n = ++made
    const destination_url = `https://example.com/articles/${n}?utm_source=newsletter`
    return { op: 'create', link: { destination_url, title: `Article ${n}`, tags: ['import'] } }
  })
  const start = performance.now()
  const answer = await slugline.call('POST', '/api/v1/links/bulk', {
    key,
    body: { atomic: values.atomic, operations },
  })
  const { summary } = (await answer.json()) as { summary: { succeeded: number } }
  if (summary.succeeded !== OPERATIONS) throw new Error(`Only ${summary.succeeded} were made`)
  return performance.now() - start
}

const visits: number[] = []
let isVisiting = true
async function visit(): Promise<void> {
  while (isVisiting) {
    const start = performance.now()
    await (await slugline.call('GET', '/visited')).arrayBuffer()
    visits.push(performance.now() - start)
    await Bun.sleep(VISIT_EVERY_MS)
  }
}

for (let warm = 0; warm < 5; warm++) await bulk()
const visiting = visit()
const ofPostgres = () => (scaled === null ? 0 : familyCpuSeconds(scaled.postgres.pid))
const before = cpuSeconds(slugline.pid)
const postgresBefore = ofPostgres()
const times: number[] = []
for (let n = 0; n < requests; n++) times.push(await bulk())
const cpu = cpuSeconds(slugline.pid) - before
const postgresCpu = ofPostgres() - postgresBefore
isVisiting = false
await visiting
await slugline.stop()
await scaled?.dispose()

const total = times.reduce((sum, ms) => sum + ms, 0)
visits.sort((a, b) => a - b)
const at = (share: number) => visits[Math.floor(visits.length * share)]?.toFixed(1)
console.log(machine({}))
console.log(`${requests} requests of ${OPERATIONS} creations${values.atomic ? ', atomic' : ''}`)
console.table({
  'links per second': Math.round((requests * OPERATIONS * 1_000) / total),
  'ms per request': median(times).toFixed(0),
  'CPU µs per link': ((cpu * 1e6) / requests / OPERATIONS).toFixed(0),
  ...(scaled && { 'of PostgreSQL': ((postgresCpu * 1e6) / requests / OPERATIONS).toFixed(0) }),
  'visits p50 ms': at(0.5),
  'visits p99 ms': at(0.99),
  'visits longest ms': visits.at(-1)?.toFixed(1),
})
