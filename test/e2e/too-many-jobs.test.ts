/** The limit of unfinished jobs of a workspace, at each endpoint that makes one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const OPEN_MAX = 20
const LINKS = '/api/v1/links'
const IMPORTS = '/api/v1/imports'
const CSV = { 'content-type': 'text/csv' }
const FILE = 'destination_url\nhttps://example.com/\n'

/** It never responds, so an import from it holds the workspace's place. */
const silent = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: () => new Promise<Response>(() => {}),
})
const REMOTE = { source: 'shlink', base_url: silent.url.origin, token: 't' }
let slugline: Slugline
let key: string

beforeAll(async () => {
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  key = (await slugline.createKey()).key
})
afterAll(async () => {
  await slugline.dispose()
  await silent.stop(true)
})

const post = (path: string, body: unknown, headers = {}, as = key) =>
  slugline.call('POST', path, { key: as, body, headers })
const idOf = async (answer: Response) => {
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { id: string }).id
}

test('the job after the 20th unfinished one of a workspace is refused, until one has ended', async () => {
  const imported = await idOf(await post(IMPORTS, FILE, CSV))
  const { status } = await eventually('the import ends', async () => {
    const answer = await slugline.call('GET', `/api/v1/jobs/${imported}`, { key })
    const job = (await answer.json()) as { status: string; finished_at: string | null }
    return job.finished_at === null ? undefined : job
  })
  expect(status).toBe('succeeded')
  const byFilter = { filter: {}, patch: { title: 'new' }, expected: 1 }
  const creations = {
    remote: () => post(`${IMPORTS}/remote`, REMOTE),
    file: () => post(IMPORTS, FILE, CSV),
    'by filter': () => post(`${LINKS}/bulk/by-filter`, byFilter),
    undo: () => post(`${IMPORTS}/${imported}/undo`, {}),
  }
  const first = await idOf(await creations.remote())
  for (let n = 1; n < OPEN_MAX; n++) await idOf(await creations.file())
  for (const [name, create] of Object.entries(creations)) {
    const refused = await create()
    const { error } = (await refused.json()) as { error: { code: string } }
    expect([name, refused.status, error.code]).toEqual([name, 429, 'TOO_MANY_JOBS'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  // A refused request leaves nothing behind.
  const jobs = await slugline.call('GET', '/api/v1/jobs?limit=100', { key })
  expect(((await jobs.json()) as { data: unknown[] }).data).toHaveLength(OPEN_MAX + 1)
  // Other workspaces go on, and so do requests without a job.
  const other = (await slugline.createKey({ workspace: 'other' })).key
  await idOf(await post(IMPORTS, FILE, CSV, other))
  expect((await post(LINKS, { destination_url: 'https://example.com/' })).status).toBe(201)
  expect((await post(`/api/v1/jobs/${first}/cancel`, undefined)).status).toBe(200)
  await idOf(await creations.file())
})
