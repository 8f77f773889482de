import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTestImports, type TestImports } from './testing/site.ts'

const MAX = 3_000_000
/** A file of some 600 KB. */
const FILE = `destination_url,slug\n${'https://example.org/,\n'.repeat(27_000)}`
const STRANGER = { Authorization: 'Bearer stranger' }

let site: TestImports
beforeEach(async () => {
  site = await createTestImports({ storedBytesMax: MAX })
  // Their jobs wait.
  await site.stopJobs()
})
afterEach(() => site.close())

const upload = (headers: Record<string, string> = {}) => site.upload(FILE, 'csv', '', headers)

const codeOf = async (answer: Awaited<ReturnType<typeof upload>>) =>
  ((await answer.json()) as { error?: { code: string } }).error?.code

const stored = async () => {
  const chunks = site.storage.read.db.selectFrom('import_chunks')
  const rows = await chunks.select(['upload', 'bytes']).execute()
  return {
    files: new Set(rows.map(({ upload }) => upload)).size,
    bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  }
}

/** A request without a length. */
function endless(signal: { read: number }) {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      signal.read++
      controller.enqueue(new TextEncoder().encode('https://example.org/,\n'.repeat(30_000)))
    },
  })
  const headers = { 'Content-Type': 'text/csv' }
  return new Request('http://sho.rt/', { method: 'POST', headers, body })
}

test('the files of waiting imports have a limited size in a workspace', async () => {
  for (let n = 0; n < 5; n++) expect((await upload()).status).toBe(202)
  const jobs = await site.get<{ data: { id: string }[] }>('/api/v1/imports')
  const before = await stored()
  const refused = await upload()
  expect([refused.status, await codeOf(refused)]).toEqual([429, 'IMPORTS_FULL'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await stored()).toEqual(before)
  // A small one has room, another workspace as much as this one.
  const small = 'destination_url\nhttps://example.org/\n'
  expect((await site.upload(small)).status).toBe(202)
  expect((await upload(STRANGER)).status).toBe(202)
  // Once an import has ended, its file makes room.
  expect((await site.send('POST', `/api/v1/jobs/${jobs.data[0]?.id}/cancel`)).status).toBe(200)
  await site.imports.purge()
  expect((await upload()).status).toBe(202)
})

test('files are counted while they arrive, on all nodes together', async () => {
  const others = await Promise.all([site.anotherNode(), site.anotherNode()])
  const read = { read: 0 }
  const ends = await Promise.all(
    [site.imports, ...others].map((imports) =>
      imports.receive({ workspace: { no: 1 } }, endless(read)).then(
        () => 'received',
        ({ code }) => code,
      ),
    ),
  )
  expect(ends).toEqual(Array(3).fill('IMPORTS_FULL'))
  // A chunk has some 600 KB; each node reads ahead.
  expect(read.read * 660_000).toBeLessThan(MAX + 3 * 3 * 660_000)
  expect(await stored()).toEqual({ files: 0, bytes: 0 })
})
