import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { HistoryPage, Link } from '../../src/features/links/index.ts'
import { eventually } from '../harness/eventually.ts'
import { type CallOptions, type Slugline, startSlugline } from '../harness/process.ts'

const LINKS = '/api/v1/links'
const A = 'https://a.example/'
const B = 'https://b.example/'

let slugline: Slugline
let key: string
let keyId: string
beforeAll(async () => {
  slugline = await startSlugline()
  const created = await slugline.createKey()
  key = created.key
  keyId = created.id
})
afterAll(() => slugline.dispose())

const call = (method: string, path: string, options: CallOptions = {}) =>
  slugline.call(method, path, { key, ...options })
const read = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const visit = async (slug: string) => {
  const headers = { 'user-agent': 'Mozilla/5.0 Firefox/140.0' }
  const answer = await slugline.call('GET', `/${slug}`, { headers })
  return [answer.status, answer.headers.get('location')]
}

const clicked = (path: string, total: number) =>
  eventually(`${total} clicks are counted`, async () =>
    (await read<Link>(call('GET', path))).clicks.total === total ? true : undefined,
  )

test('a deleted link is restored with its address and its clicks', async () => {
  const body = { destination_url: A, slug: 'Undone', aliases: ['undone2'] }
  const { id } = await read<Link>(call('POST', LINKS, { body }))
  const path = `${LINKS}/${id}`
  await visit('undone')
  await clicked(path, 1)
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await visit('undone'))[0]).toBe(404)
  expect((await call('GET', path)).status).toBe(404)

  const headers = { 'idempotency-key': 'undo' }
  const restored = await call('POST', `${path}/restore`, { headers })
  expect(restored.status).toBe(200)
  const link = (await restored.json()) as Link
  expect(link).toMatchObject({ ...body, id, version: 2, clicks: { total: 1, human: 1 } })
  expect(restored.headers.get('etag')).toBe((await call('GET', path)).headers.get('etag'))
  expect(await visit('undone2')).toEqual([302, A])
  await clicked(path, 2)
  const list = await read<{ data: Link[] }>(call('GET', `${LINKS}?sort=clicks`))
  expect(list.data.map((each) => each.id)).toEqual([id])

  // The idempotent response is repeated, whatever happened since.
  expect((await call('DELETE', path)).status).toBe(204)
  const replayed = await call('POST', `${path}/restore`, { headers })
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(await replayed.json()).toEqual(link)
  expect((await call('GET', path)).status).toBe(404)
})

test('a restored version takes effect with the next visit', async () => {
  const { id } = await read<Link>(call('POST', LINKS, { body: { destination_url: A, slug: 'v' } }))
  const path = `${LINKS}/${id}`
  await call('PATCH', path, { body: { destination_url: B, slug: 'w', aliases: [] } })
  expect(await visit('w')).toEqual([302, B])
  const stale = await call('POST', `${path}/restore`, {
    body: { version: 1 },
    headers: { 'if-match': '"1"' },
  })
  expect(stale.status).toBe(412)
  const restored = await read<Link>(call('POST', `${path}/restore`, { body: { version: 1 } }))
  expect(restored).toMatchObject({ destination_url: A, slug: 'v', aliases: [], version: 3 })
  expect(await visit('v')).toEqual([302, A])
  expect((await visit('w'))[0]).toBe(404)

  const page = await read<HistoryPage>(call('GET', `${path}/history?limit=2`))
  expect(page.data.map(({ action, version }) => [action, version])).toEqual([
    ['link.restored', 3],
    ['link.updated', 2],
  ])
  expect(page.data[0]).toMatchObject({
    actor: { type: 'api_key', id: keyId },
    changes: { destination_url: { from: B, to: A }, slug: { from: 'w', to: 'v' } },
  })
  const cursor = page.pagination.next_cursor
  const rest = await read<HistoryPage>(call('GET', `${path}/history?limit=2&cursor=${cursor}`))
  expect(rest.data.map(({ action }) => action)).toEqual(['link.created'])
  const { stdout } = await slugline.cli(
    'audit',
    '--workspace',
    'test',
    '--action',
    'link',
    '--json',
  )
  expect(JSON.parse(stdout).data[0]).toMatchObject({
    action: 'link.restored',
    target: { id, label: 'v' },
  })
})
