/**
 * What memory the exports of links need, as CSV and as NDJSON, by a client that reads as fast as it can and
 * by one that pauses. Anonymous memory is the process's own; the other is the database's file as it is
 * mapped, which the system takes back when others need it.
 * Usage: bin/bun bench/export.ts [--links 300000]
 */
import { readFileSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { machine } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const { values } = parseArgs({ options: { links: { type: 'string', default: '300000' } } })
const links = Number(values.links)
const dataDir = temporaryDirectory('slugline-bench-')
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir })
const { key } = await slugline.createKey()
await slugline.stop()
seedLinks(dataDir, { workspaceNo: 1, links })
await slugline.restart()

/** In megabytes, what the process holds now. */
function memory() {
  const text = readFileSync(`/proc/${slugline.pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1_000
  return { all: of('VmRSS'), own: of('RssAnon'), mapped: of('RssFile') }
}
type Memory = ReturnType<typeof memory>

async function exported(format: string, pauseMs: number) {
  const peak: Memory = memory()
  const sample = () => {
    const now = memory()
    for (const name of ['all', 'own', 'mapped'] as const) {
      peak[name] = Math.max(peak[name], now[name])
    }
  }
  const sampling = setInterval(sample, 20)
  const start = performance.now()
  const answer = await fetch(`${slugline.url}/api/v1/links.${format}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  let bytes = 0
  let lines = 0
  for await (const part of answer.body ?? []) {
    bytes += part.byteLength
    for (const byte of part) if (byte === 10) lines++
    if (pauseMs > 0) await Bun.sleep(pauseMs)
  }
  sample()
  clearInterval(sampling)
  const expected = links + (format === 'csv' ? 1 : 0)
  if (lines !== expected) throw new Error(`${lines} lines instead of ${expected}`)
  const figures = { all: peak.all, own: peak.own, mapped: peak.mapped, bytes: bytes / 1e6 }
  return {
    ...Object.fromEntries(
      Object.entries(figures).map(([name, mb]) => [`${name} MB`, Math.round(mb)]),
    ),
    seconds: ((performance.now() - start) / 1_000).toFixed(1),
  }
}

const idle = memory()
const table: Record<string, object> = {
  'at rest': {
    'all MB': Math.round(idle.all),
    'own MB': Math.round(idle.own),
    'mapped MB': Math.round(idle.mapped),
  },
}
for (const round of process.env.ONCE ? [1] : [1, 2]) {
  for (const format of ['csv', 'ndjson']) table[`${format} ${round}`] = await exported(format, 0)
}
table['csv, slowly'] = await exported('csv', 5)
await slugline.stop()
rmSync(dataDir, { recursive: true, force: true })

console.log(machine({}))
console.log(`${links} links`)
console.table(table)
