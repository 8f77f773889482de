import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { runCommand, SLUGLINE, type Slugline, startSlugline } from '../harness/process.ts'
import { allRows } from '../harness/rows.ts'
import { testStore } from '../harness/store.ts'
import { CTRL_C, onTerminal } from '../harness/terminal.ts'

const FIXTURES = resolve(import.meta.dir, '../../src/features/imports/testing')
const HOST = 'go.example'

let directory: string
let slugline: Slugline
let key: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'slugline-import-'))
  slugline = await startSlugline({ BASE_URL: 'https://sho.rt', SLUGLINE_DOMAINS: HOST })
  key = (await slugline.createKey({ workspace: 'own' })).key
})
afterAll(async () => {
  await slugline.dispose()
  rmSync(directory, { recursive: true })
})

interface Row {
  row: number
  slug: string
  destination_url: string
  status: string
}

/** Runs `slugline import` against the server of this test. */
async function importFile(file: string, ...options: string[]) {
  const env = { ...slugline.env, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
  const child = Bun.spawn([SLUGLINE, 'import', file, '--json', ...options], {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stderr, body: stdout === '' ? null : JSON.parse(stdout) }
}

const get = async <T>(path: string) =>
  (await (await slugline.call('GET', path, { key })).json()) as T

const rowsOf = async (id: string) => {
  const { data } = await get<{ data: Row[] }>(`/api/v1/imports/${id}/rows?limit=100`)
  return data
}

const visit = (slug: string) =>
  fetch(`${slugline.url}/${slug.split('/').map(encodeURIComponent).join('/')}`, {
    headers: { Host: HOST },
    redirect: 'manual',
  })

const finished = (id: string) =>
  eventually('the job has ended', async () => {
    const job = await get<{ status: string; result: object }>(`/api/v1/jobs/${id}`)
    return job.status === 'queued' || job.status === 'running' ? undefined : job
  })

/** The file, how many links it has, and how many are refused. */
const FILES: [string, number, number][] = [
  ['bitly.csv', 3, 0],
  ['dub.csv', 3, 0],
  ['shlink.csv', 2, 0],
  ['yourls.csv', 3, 0],
  ['kutt.json', 2, 1],
  ['short_io.csv', 2, 0],
  ['rebrandly.csv', 2, 0],
  ['sink.json', 2, 1],
  ['chhoto.json', 2, 0],
  ['slugline.ndjson', 2, 0],
]
/** Formats are parsed before anything is stored: the other stores test a few. */
const PRODUCTS = testStore === 'embedded' ? FILES : FILES.slice(3, 5)

describe.each(PRODUCTS)('%s', (name, created, refused) => {
  test('passes dry run, import, the redirect of every slug, and undo', async () => {
    const file = join(FIXTURES, name)
    const dry = await importFile(file, '--domain', HOST, '--dry-run')
    expect(dry).toMatchObject({ status: 0, body: { created, refused } })
    const done = await importFile(file, '--domain', HOST)
    expect(done.body).toMatchObject({ created, refused })
    const made = (await rowsOf(done.body.id)).filter(({ status }) => status === 'created')
    expect(made.length).toBe(created)
    for (const { slug, destination_url: destination } of made) {
      const answer = await visit(slug)
      // One of the fixtures is disabled.
      if (slug === 'plain') expect(answer.status).toBe(410)
      else expect(answer.headers.get('location')).toBe(destination)
    }
    const undo = await slugline.call('POST', `/api/v1/imports/${done.body.id}/undo`, { key })
    const { id } = (await undo.json()) as { id: string }
    type Page = { data: { id: string }[]; pagination: { next_cursor: string | null } }
    const imports = await get<Page>('/api/v1/imports?limit=1')
    expect(imports.data.map((job) => job.id)).toEqual([done.body.id])
    const older = await get<Page>(`/api/v1/imports?cursor=${imports.pagination.next_cursor}`)
    expect(older.data.every((job) => job.id < done.body.id)).toBe(true)
    const one = await get<{ id: string }>(`/api/v1/imports/${done.body.id}`)
    expect(one).toEqual(await get(`/api/v1/jobs/${done.body.id}`))
    expect((await finished(id)).result).toMatchObject({ deleted: created, restored: 0, kept: 0 })
    for (const { slug } of made) expect((await visit(slug)).status).toBe(404)
  })
})

test('the command reports refusals, and fails if nothing can be imported', async () => {
  const file = join(directory, 'some.csv')
  writeFileSync(file, 'Long URL,Slug\nhttps://a.example/,one\nnot an address,two\n')
  const refused = join(directory, 'refused.csv')
  const done = await importFile(file, '--refused', refused)
  expect(done).toMatchObject({ status: 0, body: { created: 1, refused: 1 } })
  expect(readFileSync(refused, 'utf8')).toContain('INVALID_URL')

  const conflict = await importFile(file, '--on-conflict', 'fail')
  expect(conflict.status).toBe(1)
  expect(conflict.stderr).toContain('IMPORT_CONFLICT')
  writeFileSync(file, 'Color,Size\nred,1\n')
  expect((await importFile(file)).stderr).toContain('VALIDATION_FAILED')
  expect((await importFile(join(directory, 'none.csv'))).status).toBe(2)
  expect((await importFile(file, '--format', 'excel')).status).toBe(2)
})

test('the commands name the clicks that came along', async () => {
  const file = join(directory, 'clicks.csv')
  writeFileSync(
    file,
    'Long URL,Slug,Clicks\nhttps://a.example/,seen,393\nhttps://a.example/,new,0\n',
  )
  const env = { ...slugline.env, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
  const run = async (...args: string[]) => (await runCommand(args, env)).stdout
  expect(await run('import', file)).toMatch(/^clicks +393$/m)
  const [titles = '', ...rows] = (await run('links', 'list', '--search', 'a.example')).split('\n')
  expect(titles).toMatch(/ CLICKS +IMPORTED /)
  expect(rows.find((row) => row.includes('/seen'))).toMatch(/ 0 +393 /)
  expect(await run('links', 'get', 'seen')).toMatch(/^clicks .*\b393\b/m)
  expect(await run('links', 'get', 'new')).not.toContain('393')
  expect(await run('links', 'stats', 'seen')).toMatch(/^imported +393$/m)
  expect(await run('links', 'stats', 'new')).not.toContain('imported')
  // They are exported again, and the list sorts by them.
  const csv = await slugline.call('GET', '/api/v1/links.csv?search=a.example', { key })
  expect(await csv.text()).toContain(',393,')
  await eventually('the worker has copied them', async () => {
    const { data } = await get<{ data: { slug: string }[] }>(
      '/api/v1/links?search=a.example&sort=clicks_with_imported&limit=1',
    )
    return data[0]?.slug === 'seen' ? true : undefined
  })
})

test('an upload that is cut off in the middle is deleted', async () => {
  const uploads = async () => {
    const { import_chunks: chunks = '' } = await allRows(slugline)
    const lines = chunks.split('\n').filter((line) => line !== '')
    return new Set(lines.map((line) => (JSON.parse(line) as { upload: string }).upload))
  }
  const before = await uploads()
  const { hostname, port } = new URL(slugline.url)
  const socket = connect(Number(port), hostname)
  const line = `https://example.org/${'a'.repeat(1_000)}\n`
  socket.write(
    `POST /api/v1/imports HTTP/1.1\r\nHost: sho.rt\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: text/csv\r\nContent-Length: 10000000\r\n\r\n',
  )
  socket.write(`Long URL\n${line.repeat(2_000)}`)
  const id = await eventually('a part of it is stored', async () =>
    [...(await uploads()).difference(before)].at(0),
  )
  socket.destroy()
  await eventually('it is gone', async () => ((await uploads()).has(id) ? undefined : true))
})

test('Ctrl+C leaves the import running, and prints how to watch it again', async () => {
  const file = join(directory, 'long.csv')
  // Long enough that it still runs then; PostgreSQL takes longer per record.
  const records = testStore === 'embedded' ? 10_000 : 4_000
  const lines = Array.from({ length: records }, (_, i) => `https://example.org/${i},long-${i}`)
  writeFileSync(file, `Long URL,Slug\n${lines.join('\n')}\n`)
  const env = { ...slugline.env, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
  const child = onTerminal([SLUGLINE, 'import', file], env)
  await child.shows('\r[')
  child.type(CTRL_C)
  const { status, shown } = await child.ended
  expect(status).toBe(1)
  const [, id = ''] = /slugline jobs watch (job_\w+)/.exec(shown) ?? []
  const bar = await onTerminal([SLUGLINE, 'jobs', 'watch', id], env).ended
  expect(bar.status).toBe(0)
  const all = records.toLocaleString('en')
  expect(bar.shown).toContain(`\r[${'#'.repeat(30)}] 100%  ${all} of ${all}`)
  const watched = Bun.spawn([SLUGLINE, 'jobs', 'watch', id, '--json'], { env, stderr: 'pipe' })
  const job = JSON.parse(await new Response(watched.stdout).text())
  expect(job).toMatchObject({ id, status: 'succeeded', result: { created: records } })
})

test('a repeatedly killed process continues without duplicating a link', async () => {
  const records = 2_000
  const lines = Array.from({ length: records }, (_, i) => `https://example.org/${i},killed-${i}`)
  const answer = await fetch(`${slugline.url}/api/v1/imports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
    body: `Long URL,Slug\n${lines.join('\n')}\n`,
  })
  const { id } = (await answer.json()) as { id: string }
  const doneSoFar = async () =>
    (await get<{ progress: { done: number } }>(`/api/v1/jobs/${id}`)).progress.done
  for (const least of [1, 500, 1_000]) {
    await eventually('it has come so far', async () =>
      (await doneSoFar()) >= least ? true : undefined,
    )
    await slugline.kill()
    await slugline.restart()
  }
  const job = await finished(id)
  expect(job).toMatchObject({
    status: 'succeeded',
    result: { created: records, updated: 0, skipped: 0, refused: 0 },
  })
  const list = await get<{ pagination: { total: number } }>('/api/v1/links?search=killed-&limit=1')
  expect(list.pagination.total).toBe(records)
})
