/**
 * What memory an upload of the largest file needs that an import takes, how long it takes, and that one
 * that is larger is refused. Its records are as large as they may be, so that the job is short.
 * Usage: bin/bun bench/upload.ts [--postgres]
 */
import { parseArgs } from 'node:util'
import { FILE_BYTES_MAX } from '../src/features/imports/upload.ts'
import { startSlugline } from '../test/harness/process.ts'
import { machine, memoryOf, watchMemory } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const LINE_BYTES = 64 * 1024

const { values } = parseArgs({ options: { postgres: { type: 'boolean', default: false } } })
const dataDir = temporaryDirectory()
const scaled = values.postgres ? await startScaled() : null
const slugline = await startSlugline({ LOG_LEVEL: 'error', ...scaled?.env }, { dataDir })
const { key } = await slugline.createKey()
const headers = { Authorization: `Bearer ${key}` }

/** Lines of NDJSON with a total size, generated as they are sent. */
function fileOf(bytes: number): ReadableStream<Uint8Array> {
  const empty = JSON.stringify({ destination_url: 'https://example.com/', notes: '' }).length + 1
  const encoder = new TextEncoder()
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close()
      // The last line includes what would be too short for another one.
      const size = left < 2 * LINE_BYTES ? left : LINE_BYTES
      const notes = 'n'.repeat(size - empty)
      const line = JSON.stringify({ destination_url: 'https://example.com/', notes })
      controller.enqueue(encoder.encode(`${line}\n`))
      left -= size
    },
  })
}

async function upload(bytes: number) {
  const peak = watchMemory(slugline.pid)
  const start = performance.now()
  const answer = await fetch(`${slugline.url}/api/v1/imports?format=slugline`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: fileOf(bytes),
  })
  const { id, error } = (await answer.json()) as { id?: string; error?: { code: string } }
  const seconds = ((performance.now() - start) / 1_000).toFixed(1)
  return { id, row: { answer: error?.code ?? answer.status, seconds, ...peak() } }
}

const table: Record<string, object> = { 'at rest': memoryOf(slugline.pid) }
const whole = await upload(FILE_BYTES_MAX)
table['200 MB'] = whole.row
const ofJob = watchMemory(slugline.pid)
for (;;) {
  const answer = await fetch(`${slugline.url}/api/v1/jobs/${whole.id}`, { headers })
  const job = (await answer.json()) as { status: string; progress: { done: number } }
  if (job.status !== 'queued' && job.status !== 'running') {
    table['its job'] = { answer: `${job.status}, ${job.progress.done} records`, ...ofJob() }
    break
  }
  await Bun.sleep(100)
}
table['201 MB'] = (await upload(FILE_BYTES_MAX + 1024 * 1024)).row
await slugline.stop()
await scaled?.dispose()

console.log(machine({}))
console.log('Memory in MB: all of it, its own, and what is mapped of the database')
console.table(table)
