/**
 * What memory the exports of links need, as CSV and as NDJSON, by a client that reads as fast as it can and
 * by one that pauses. Anonymous memory is the process's own; the other is the database's file as it is
 * mapped, which the system takes back when others need it.
 * Usage: bin/bun bench/export.ts [--links 300000]
 */
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { machine, memoryOf, watchMemory } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const { values } = parseArgs({ options: { links: { type: 'string', default: '300000' } } })
const links = Number(values.links)
const dataDir = temporaryDirectory()
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir })
const { key } = await slugline.createKey()
await slugline.stop()
seedLinks(dataDir, { workspaceNo: 1, links })
await slugline.restart()

async function exported(format: string, pauseMs: number) {
  const peak = watchMemory(slugline.pid)
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
  const expected = links + (format === 'csv' ? 1 : 0)
  if (lines !== expected) throw new Error(`${lines} lines instead of ${expected}`)
  const seconds = ((performance.now() - start) / 1_000).toFixed(1)
  return { ...peak(), 'bytes in MB': Math.round(bytes / 1e6), seconds }
}

const table: Record<string, object> = { 'at rest': memoryOf(slugline.pid) }
for (const format of ['csv', 'ndjson']) table[format] = await exported(format, 0)
table['csv, slowly'] = await exported('csv', 5)
await slugline.stop()

console.log(machine({}))
console.log(`${links} links; memory in MB: all of it, its own, and what is mapped of the database`)
console.table(table)
