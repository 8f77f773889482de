/**
 * Latency of lists in one workspace with a million links, total included, and what they do to the
 * redirect's p99 meanwhile. The reference is the same call for a workspace with one link. The first
 * call of a case counts its total, which the others remember; it is likely to be the worst one.
 * Usage: bin/bun bench/list.ts [--links 1000000] [--calls 300] [--postgres]
 */
import { parseArgs } from 'node:util'
import { STATUSES } from '../src/features/links/index.ts'
import { startSlugline } from '../test/harness/process.ts'
import { familyCpuSeconds, machine, median, quantile, versionOf } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { seedLinks } from './lib/seed.ts'
import { seedPostgres } from './lib/seed-postgres.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '300' },
    postgres: { type: 'boolean', default: false },
  },
})
const links = Number(values.links)
const calls = Number(values.calls)
const common = Math.round(links / 10)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const dir = temporaryDirectory()

const scaled = values.postgres ? await startScaled() : null
let slugline = await startSlugline({ ...scaled?.env }, { dataDir: dir })
const { key } = await slugline.createKey()
const small = await slugline.createKey({ workspace: 'small' })
await slugline.call('POST', '/api/v1/links', {
  key: small.key,
  body: { destination_url: 'https://example.com/' },
})
await slugline.stop()
const seed = { workspaceNo: 1, links, rare: 3, common, statuses: true }
if (scaled === null) seedLinks(dir, seed)
else await seedPostgres(scaled.databaseUrl, seed)
slugline = await startSlugline({ LOG_LEVEL: 'error', ...scaled?.env }, { dataDir: dir })

interface Page {
  data: { id: string }[]
  pagination: { total: number; next_cursor: string | null }
}

async function page(query: string, as = key): Promise<Page> {
  const answer = await slugline.call('GET', `/api/v1/links${query}`, { key: as })
  if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Page
}

async function time(query: () => string, as = key, before?: () => Promise<void>) {
  const taken: number[] = []
  const cpu = cpuOfPostgres()
  for (let call = 0; call < calls; call++) {
    await before?.()
    const start = performance.now()
    await page(query(), as)
    taken.push(performance.now() - start)
  }
  return { taken, cpuMs: ((cpuOfPostgres() - cpu) / calls) * 1e3 }
}

/** In seconds, of all its living processes. */
function cpuOfPostgres(): number {
  return scaled === null ? 0 : familyCpuSeconds(scaled.postgres.pid)
}

// Some clicks, so that sorting by clicks has data, and the rows exist.
const visits = { url: slugline.url, connections: 64, core: 1, script: visitorScript(links) }
await runLoad({ ...visits, seconds: 3 })
for (let rows = 0; rows < links; ) {
  const { pagination } = await page('?sort=clicks&order=asc&limit=1')
  rows = pagination.total
}
await Bun.sleep(5000)

let cursor = ''
for (let step = 0; step < 200; step++) {
  const { pagination } = await page(`?limit=100${cursor && `&cursor=${cursor}`}`)
  // With few links the last page comes sooner.
  if (pagination.next_cursor === null) break
  cursor = pagination.next_cursor
}
const cases: Record<string, string> = {
  'first page': '',
  'by cursor, deep inside': `?limit=100&cursor=${cursor}`,
  'search, 3 hits': '?search=zyxrare',
  [`search, ${common} hits`]: '?search=commonword',
  [`search, ${common} hits, sort=clicks`]: '?search=commonword&sort=clicks',
  'search, one letter': '?search=z',
  'search, two letters': '?search=zy',
  'search, two letters, sort=clicks': '?search=zy&sort=clicks',
  tag: '?tag=tag7',
  'tag, sort=clicks': '?tag=tag7&sort=clicks',
  'two tags': '?tag=tag7&tag=tag8',
  'tag and two letters': '?tag=tag7&search=zy',
  ...Object.fromEntries(STATUSES.map((status) => [`status=${status}`, `?status=${status}`])),
  'status=expired, sort=slug': '?status=expired&sort=slug',
  'active, search, sort=clicks': '?status=active&search=commonword&sort=clicks',
  'active, two letters, sort=slug': '?status=active&search=zy&sort=slug',
  'disabled, tag, sort=clicks': '?status=disabled&tag=tag7&sort=clicks',
}
for (const sort of [
  'created_at',
  'updated_at',
  'clicks',
  'clicks_with_imported',
  'last_clicked_at',
  'slug',
]) {
  for (const order of ['asc', 'desc'])
    cases[`sort=${sort} ${order}`] = `?sort=${sort}&order=${order}`
}

const quiet = await runLoad({ ...visits, seconds: 6, connections: 8 })
const reference = await time(() => '', small.key)
console.log(machine(tools))
console.log(`${links} links in one workspace, ${calls} calls each, milliseconds`)
const rows: Record<string, object> = { 'reference: one link': figures(reference) }
for (const [name, query] of Object.entries(cases)) rows[name] = figures(await time(() => query))
// Totals are cached until a link changes: a change before each call causes a recount.
const change = async () => {
  await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/' },
  })
}
for (const query of [
  '?search=zyxrare',
  '?search=commonword',
  '?status=active',
  '?status=expired',
]) {
  rows[`${query}, total counted anew`] = figures(await time(() => query, key, change))
}
console.table(rows)

let going = true
const busyLists = (async () => {
  const queries = Object.values(cases)
  for (let call = 0; going; call++) await page(queries[call % queries.length] as string)
})()
const busy = await runLoad({ ...visits, seconds: 6, connections: 8 })
going = false
await busyLists
console.log(
  `redirect p99 alone ${quiet.p99.toFixed(2)} ms, while lists run ${busy.p99.toFixed(2)} ms`,
)
await slugline.stop()
await scaled?.dispose()

function figures({ taken, cpuMs }: Awaited<ReturnType<typeof time>>) {
  return {
    median: median(taken).toFixed(2),
    p99: quantile(taken, 0.99).toFixed(2),
    worst: Math.max(...taken).toFixed(2),
    ratio: (median(taken) / median(reference.taken)).toFixed(2),
    ...(scaled !== null && { 'PostgreSQL CPU': cpuMs.toFixed(2) }),
  }
}
