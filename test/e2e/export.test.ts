import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { eventually } from '../harness/eventually.ts'
import { runCommand, type Slugline, startSlugline } from '../harness/process.ts'

interface Link {
  id: string
  slug: string
  folder_id: string | null
}

let slugline: Slugline
let folder: string
let key: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-export-'))
  slugline = await startSlugline()
  key = (await slugline.createKey({ scopes: 'links:read,links:write,domains:read' })).key
  const made = await post('/folders', { name: 'Campaigns' })
  for (let n = 0; n < 120; n++) {
    const body = {
      destination_url: `https://example.com/${n}`,
      slug: `e${n}`,
      tags: [`t${n}`],
      ...(n % 2 === 0 && { folder_id: made.id }),
      archived: n === 5,
    }
    await post('/links', body)
  }
  for (let n = 0; n < 7; n++) await fetch(`${slugline.url}/e${n}`, { redirect: 'manual' })
})
afterAll(async () => {
  await slugline?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function post(path: string, body: object): Promise<{ id: string }> {
  const answer = await slugline.call('POST', `/api/v1${path}`, { key, body })
  if (answer.status !== 201) throw new Error(await answer.text())
  return (await answer.json()) as { id: string }
}

async function get<T>(path: string): Promise<T[]> {
  const answer = await slugline.call('GET', `/api/v1${path}`, { key })
  return ((await answer.json()) as { data: T[] }).data
}

/** The fields of a link that an import sets anew. */
const OWN = ['id', 'created_at', 'updated_at', 'version', 'clicks', 'last_clicked_at']

async function allLinks(): Promise<object[]> {
  const pages = [1, 2].map((page) => get<Link>(`/links?limit=100&archived=any&page=${page}`))
  const links = (await Promise.all(pages)).flat().sort((a, b) => (a.slug < b.slug ? -1 : 1))
  return links.map((link) =>
    Object.fromEntries(Object.entries(link).filter(([name]) => !OWN.includes(name))),
  )
}

const run = (directory: string, env: Record<string, string> = {}) =>
  runCommand(['export', directory, '--json'], {
    ...slugline.env,
    SLUGLINE_URL: slugline.url,
    SLUGLINE_API_KEY: key,
    ...env,
  })

const lines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('everything of a workspace is written, like in the API', async () => {
  await eventually('the clicks are stored', async () => {
    const clicks = await get('/clicks?bots=include&limit=100')
    return clicks.length === 7 ? true : undefined
  })
  const directory = join(folder, 'all')
  const { status, stdout, stderr } = await run(directory)
  expect([status, stderr]).toEqual([0, ''])
  const written = readdirSync(directory).sort()
  expect(written).toContain('export.json')
  expect(Object.keys(JSON.parse(stdout).files).sort()).toEqual(
    written.filter((name) => name !== 'export.json'),
  )
  const links = lines<Link>(join(directory, 'links.ndjson'))
  expect(links.map(({ slug }) => slug)).toEqual(Array.from({ length: 120 }, (_, n) => `e${n}`))
  const listed = new Map(
    (await get<Link>('/links?limit=100&archived=any')).map((link) => [link.id, link]),
  )
  for (const link of links.filter(({ id }) => listed.has(id))) {
    const { 'clicks.imported': imported, ...fields } = link as Link & { 'clicks.imported': number }
    expect(listed.get(link.id)).toMatchObject({ ...fields, clicks: { imported } })
  }
  const byId = <T extends { id: string }>(all: T[]) =>
    all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(byId(lines<Link>(join(directory, 'folders.ndjson')))).toEqual(byId(await get('/folders')))
  const domains = lines<{ id: string }>(join(directory, 'domains.ndjson'))
  expect(byId(domains)).toEqual(byId(await get('/domains')))
  // Over two pages.
  expect(lines(join(directory, 'tags.ndjson'))).toHaveLength(120)
  const history = lines<{ link_id: string; action: string }>(join(directory, 'history.ndjson'))
  expect(history).toHaveLength(120)
  expect(new Set(history.map(({ link_id }) => link_id))).toEqual(new Set(links.map(({ id }) => id)))
  const duckDb = await (await DuckDBInstance.create(':memory:')).connect()
  const clicks = await duckDb.runAndReadAll(
    `SELECT count(*), count(DISTINCT link_id) FROM read_parquet('${join(directory, 'clicks.parquet')}')`,
  )
  expect(clicks.getRows().flat().map(Number)).toEqual([7, 7])
  duckDb.closeSync()
  expect(statSync(directory).mode & 0o077).toBe(0)
})

test('an interrupted export continues, only for the same workspace', async () => {
  const directory = join(folder, 'resumed')
  expect((await run(directory)).status).toBe(0)
  const again = await run(directory)
  expect(JSON.parse(again.stderr).error.code).toBe('EXPORT_COMPLETE')
  const note = JSON.parse(readFileSync(join(directory, 'export.json'), 'utf8'))
  writeFileSync(join(directory, 'export.json'), JSON.stringify({ ...note, ended_at: null }))
  rmSync(join(directory, 'links.ndjson'))
  writeFileSync(join(directory, 'links.ndjson.partial'), 'half')
  writeFileSync(join(directory, 'tags.ndjson'), 'was there')
  const other = (await slugline.createKey({ workspace: 'other' })).key
  const refused = await run(directory, { SLUGLINE_API_KEY: other })
  expect(JSON.parse(refused.stderr).error.code).toBe('OTHER_EXPORT')
  expect((await run(directory)).status).toBe(0)
  expect(lines(join(directory, 'links.ndjson'))).toHaveLength(120)
  expect(existsSync(join(directory, 'links.ndjson.partial'))).toBe(false)
  expect(readFileSync(join(directory, 'tags.ndjson'), 'utf8')).toBe('was there')
  expect(JSON.parse(readFileSync(join(directory, 'export.json'), 'utf8'))).toMatchObject({
    began_at: note.began_at,
    ended_at: expect.any(String),
  })
})

test('an archive has everything, and can be imported to equal links', async () => {
  const file = join(folder, 'main.tar.gz')
  // The rest of an earlier run is completed.
  expect((await run(`${file}.partial`)).status).toBe(0)
  const { status, stdout, stderr } = await run(file)
  expect([status, stderr]).toEqual([0, ''])
  expect(readdirSync(folder).filter((name) => name.startsWith('main'))).toEqual(['main.tar.gz'])
  expect(statSync(file).mode & 0o077).toBe(0)
  expect(JSON.parse((await run(file)).stderr).error.code).toBe('EXPORT_COMPLETE')
  await new Bun.Archive(await Bun.file(file).bytes()).extract(folder)
  const { files } = JSON.parse(stdout) as { files: Record<string, number> }
  const unpacked = readdirSync(join(folder, 'main')).filter((name) => name !== 'export.json')
  const sizes = unpacked.map((name) => [name, statSync(join(folder, 'main', name)).size])
  expect(Object.fromEntries(sizes)).toEqual(files)

  const before = await allLinks()
  const operations = lines<Link>(join(folder, 'main', 'links.ndjson')).map(({ id }) => ({
    op: 'delete',
    id,
  }))
  const deleted = await slugline.call('POST', '/api/v1/links/bulk', { key, body: { operations } })
  expect(((await deleted.json()) as { summary: object }).summary).toEqual({
    succeeded: 120,
    failed: 0,
  })
  const imported = await runCommand(['import', join(folder, 'main', 'links.ndjson'), '--json'], {
    ...slugline.env,
    SLUGLINE_URL: slugline.url,
    SLUGLINE_API_KEY: key,
  })
  expect(JSON.parse(imported.stdout)).toMatchObject({ created: 120, refused: 0 })
  expect(await allLinks()).toEqual(before)
})

test('what the key may not read is left out, with a note', async () => {
  const reader = (await slugline.createKey({ scopes: 'links:read' })).key
  const { status, stdout, stderr } = await run(join(folder, 'reader'), { SLUGLINE_API_KEY: reader })
  expect([status, JSON.parse(stdout).skipped]).toEqual([0, ['domains']])
  expect(stderr).toContain('domains')
  expect(readdirSync(join(folder, 'reader'))).not.toContain('domains.ndjson')
})

test('an incomplete file is discarded', async () => {
  const answers: Record<string, string> = {
    '/api/v1/me': '{"workspace":{"id":"wsp_1"}}',
    '/api/v1': '{"resources":{}}',
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const path = String(bytes).split(/[ ?]/)[1] ?? ''
      const body = answers[path]
      socket.end(
        body === undefined
          ? // A chunked body without its end.
            'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'
          : `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const directory = join(folder, 'half')
  const { status, stderr } = await run(directory, { SLUGLINE_URL: `http://127.0.0.1:${port}` })
  server.close()
  expect([status, JSON.parse(stderr).error.code]).toEqual([1, 'INTERRUPTED'])
  expect(readdirSync(directory)).toEqual(['export.json'])
})

test('the command line writes links as a table, also for Excel', async () => {
  const env = { ...slugline.env, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
  const write = async (name: string, ...options: string[]) => {
    const file = join(folder, name)
    const { status } = await runCommand(['links', 'export', '--output', file, ...options], env)
    return { status, bytes: status === 0 ? readFileSync(file) : Buffer.alloc(0) }
  }
  const plain = await write('links.csv')
  const excel = await write('excel.csv', '--excel')
  expect([plain.status, excel.status]).toEqual([0, 0])
  expect(excel.bytes.equals(Buffer.concat([Buffer.from('\ufeff'), plain.bytes]))).toBe(true)
  expect(plain.bytes.toString().trim().split('\r\n')).toHaveLength(121)
  expect((await write('links.ndjson')).bytes.toString().trim().split('\n')).toHaveLength(120)
  expect((await write('links.xlsx')).status).toBe(2)
  expect((await write('more.ndjson', '--excel')).status).toBe(2)
})
