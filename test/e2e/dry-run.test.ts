import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Link } from '../../src/features/links/index.ts'
import { LOGO_EXAMPLE } from '../../src/features/qr/schemas.ts'
import { SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { allRows as storedRows } from '../harness/rows.ts'

const LINKS = '/api/v1/links'

/** Without how far the events of time are: a job of the server moves it. */
async function allRows(its: Slugline): Promise<Record<string, string | undefined>> {
  const rows = await storedRows(its)
  const instance = rows.instance?.split('\n').filter((row) => !row.includes('"events.'))
  return { ...rows, instance: instance?.join('\n') }
}
const URL = 'https://example.com/'

let slugline: Slugline
let key: string
let link: Link
let gone: Link
let tagId: string
let folderId: string
let templateId: string
let domainId: string
let jobId: string

beforeAll(async () => {
  slugline = await startSlugline()
  const scopes = 'links:read,links:write,domains:read,domains:write'
  key = (await slugline.createKey({ scopes })).key
  const create = async (body: object) => (await (await send('POST', LINKS, body)).json()) as Link
  link = await create({ destination_url: URL, slug: 'kept', external_id: 'crm-1' })
  gone = await create({ destination_url: URL, slug: 'gone' })
  await send('DELETE', `${LINKS}/${gone.id}`)
  const idOf = async (path: string, name: string) =>
    ((await (await send('POST', path, { name })).json()) as { id: string }).id
  tagId = await idOf('/api/v1/tags', 'kept')
  folderId = await idOf('/api/v1/folders', 'Kept')
  templateId = await idOf('/api/v1/utm-templates', 'Kept')
  const domain = await send('POST', '/api/v1/domains', { host: 'kept.example' })
  domainId = ((await domain.json()) as { id: string }).id
  await send('PUT', '/api/v1/logo', { image: LOGO_EXAMPLE.image })
  const nothing = { filter: { tag: ['none'] }, patch: { title: 'T' }, expected: 0 }
  const started = await send('POST', `${LINKS}/bulk/by-filter`, nothing)
  jobId = ((await started.json()) as { id: string }).id
  await eventually('the change has ended', async () => {
    const job = (await (await send('GET', `/api/v1/jobs/${jobId}`)).json()) as { status: string }
    return job.status === 'succeeded' ? job : undefined
  })
})
afterAll(() => slugline.dispose())

function send(method: string, path: string, body?: object, headers?: Record<string, string>) {
  return slugline.call(method, path, {
    key,
    ...(body && { body }),
    ...(headers && { headers }),
  })
}

/** Every write of links: the request, and the status of its response. */
const WRITES: [status: number, method: string, path: () => string, body?: object][] = [
  [
    201,
    'POST',
    () => LINKS,
    { destination_url: URL, slug: 'new', tags: ['a'], aliases: ['other'] },
  ],
  [201, 'POST', () => LINKS, { destination_url: URL, password: 'open sesame' }],
  [409, 'POST', () => LINKS, { destination_url: URL, slug: 'kept' }],
  [422, 'POST', () => LINKS, { destination_url: 'nowhere' }],
  [201, 'POST', () => '/api/v1/tags', { name: 'dry' }],
  [200, 'PATCH', () => `/api/v1/tags/${tagId}`, { name: 'renamed' }],
  [204, 'DELETE', () => `/api/v1/tags/${tagId}`],
  [201, 'POST', () => '/api/v1/folders', { name: 'Dry' }],
  [200, 'PATCH', () => `/api/v1/folders/${folderId}`, { name: 'Renamed' }],
  [204, 'DELETE', () => `/api/v1/folders/${folderId}`],
  [200, 'PUT', () => `${LINKS}/external/crm-1`, { destination_url: URL, title: 'T' }],
  [200, 'PATCH', () => `${LINKS}/external/crm-1`, { title: 'T' }],
  [204, 'DELETE', () => `${LINKS}/external/crm-1`],
  [201, 'PUT', () => `${LINKS}/external/crm-2`, { destination_url: URL }],
  [
    200,
    'POST',
    () => `${LINKS}/bulk`,
    {
      operations: [
        { op: 'create', link: { destination_url: URL, slug: 'one-of-many' } },
        { op: 'create', link: { destination_url: URL, slug: 'kept' } },
        { op: 'delete', external_id: 'crm-1' },
      ],
    },
  ],
  [200, 'PATCH', () => `${LINKS}/${link.id}`, { slug: 'moved', title: 'T', password: 'secret' }],
  [404, 'PATCH', () => `${LINKS}/lnk_none`, { title: 'T' }],
  [204, 'DELETE', () => `${LINKS}/${link.id}`],
  [404, 'DELETE', () => `${LINKS}/${gone.id}`],
  [200, 'POST', () => `${LINKS}/${gone.id}/restore`],
  [204, 'DELETE', () => `${LINKS}/${link.id}/clicks?before=2999-01-01`],
  [201, 'POST', () => '/api/v1/utm-templates', { name: 'Dry', source: 'a' }],
  [200, 'PATCH', () => `/api/v1/utm-templates/${templateId}`, { source: 'b' }],
  [204, 'DELETE', () => `/api/v1/utm-templates/${templateId}`],
  [200, 'PUT', () => '/api/v1/logo', { image: LOGO_EXAMPLE.image }],
  [204, 'DELETE', () => '/api/v1/logo'],
  [201, 'POST', () => '/api/v1/domains', { host: 'dry.example' }],
  [200, 'PATCH', () => `/api/v1/domains/${domainId}`, { root_url: URL }],
  [204, 'DELETE', () => `/api/v1/domains/${domainId}`],
  [
    202,
    'POST',
    () => `${LINKS}/bulk/by-filter`,
    { filter: {}, patch: { title: 'T' }, expected: 1 },
  ],
  [202, 'POST', () => `${LINKS}/bulk/by-filter/${jobId}/undo`],
  [409, 'POST', () => `${LINKS}/${link.id}/appeal`, { text: 'Why?' }],
]

test('no dry run changes the database, and each has the same response as the write', async () => {
  const before = await eventually(
    'the click worker has created the counters of both links',
    async () => {
      const rows = await allRows(slugline)
      return rows.counter_watermarks?.includes(`${SEQS_PER_WORKSPACE + 2}`) ? rows : undefined
    },
  )
  expect(before.links).toContain('crm-1')
  for (const [status, method, path, body] of WRITES) {
    const headers = { 'Idempotency-Key': `dry-${path()}` }
    const joint = path().includes('?') ? '&' : '?'
    const answer = await send(method, `${path()}${joint}dry_run=true`, body, headers)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('dry-run'), text]).toEqual([status, 'true', text])
    if (status < 300 && status !== 204 && path().startsWith(LINKS) && !path().includes('bulk')) {
      const { destination_url, ...shown } = JSON.parse(text) as Link & Record<string, unknown>
      expect(destination_url).toBe(URL)
      for (const name of ['slug', 'title'] as const) {
        const sent = (body as Record<string, unknown> | undefined)?.[name]
        if (sent !== undefined) expect(shown[name]).toBe(sent as string)
      }
    }
  }
  expect(await allRows(slugline)).toEqual(before)
  const visit = (slug: string) => slugline.call('GET', `/${slug}`)
  expect((await visit('kept')).headers.get('location')).toBe(URL)
  expect((await visit('new')).status).toBe(404)
})

test('an invalid value of the parameter is reported with all other errors', async () => {
  const body = { destination_url: 'nowhere', color: 'red' }
  const answer = await send('POST', `${LINKS}?dry_run=x&page=1`, body)
  const { error } = (await answer.json()) as { error: { details: { field: string }[] } }
  expect([answer.status, error.details.map(({ field }) => field)]).toEqual([
    422,
    ['page', 'dry_run', 'destination_url', 'color'],
  ])
})

test('the write can follow its dry run, with the same key', async () => {
  const body = { destination_url: URL, slug: 'tried' }
  const headers = { 'Idempotency-Key': 'tried' }
  expect((await send('POST', `${LINKS}?dry_run=true`, body, headers)).status).toBe(201)
  const answer = await send('POST', LINKS, body, headers)
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, null])
  expect(await allRows(slugline)).not.toEqual({})
})
