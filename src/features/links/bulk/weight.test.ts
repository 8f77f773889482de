import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTestApi, type TestApi } from '../../../http/testing/api.ts'
import type { PlanLimits } from '../../../model/plans/types.ts'
import { registerLinkRoutes } from '../routes.ts'
import type { Link } from '../schemas.ts'
import { bigLink } from '../testing/big-link.ts'
import { createTestLinks, type TestLinks } from '../testing/links.ts'

const BURST = 60
const MIB = 1_024 * 1_024
const URL = 'https://a.example/'

let links: TestLinks
let api: TestApi
beforeEach(async () => {
  links = await createTestLinks()
  api = await withLimits({ requests_per_minute: 60, burst: BURST })
})
afterEach(() => api.close())

async function withLimits(limits: Partial<PlanLimits>): Promise<TestApi> {
  const made = await createTestApi({ storage: links.storage, limits })
  registerLinkRoutes(made.api, { links: links.service })
  return made
}

interface Refusal {
  error: { details: { field: string; code: string; message: string }[] }
}

interface BulkResult {
  data: { error?: { details: object[] } }[]
}

const bulk = (operations: object[], query = '', more: object = {}, headers = {}) =>
  api.send('POST', `/api/v1/links/bulk${query}`, { body: { operations, ...more }, headers })
const cost = (response: Response) => BURST - Number(response.headers.get('X-RateLimit-Remaining'))
/** The allowance is full again. */
const rest = () => {
  api.clock.ms += 600_000
}
const titles = (n: number, name: object) =>
  Array.from({ length: n }, (_, i) => ({ op: 'update', ...name, link: { title: `Title ${i}` } }))

/** How many operations would fit, by the answer of a refused request. */
async function fitting(answer: Response): Promise<number> {
  expect(answer.status).toBe(422)
  const [detail, ...others] = ((await answer.json()) as Refusal).error.details
  expect([detail?.field, detail?.code, others]).toEqual(['operations', 'TOO_MANY', []])
  return Number(/\d+/.exec(detail?.message ?? '')?.[0])
}

const events = async () =>
  (await links.storage.read.db.selectFrom('audit').select('seq').execute()).length

test('a bulk request that would record more than 16 MiB of links is refused as a whole', async () => {
  const { id } = await links.create(bigLink())
  const before = await events()
  for (const query of ['', '?dry_run=true']) {
    rest()
    const most = await fitting(await bulk(titles(1_000, { id }), query))
    // 85 kB each: the burst has room for 15 MiB.
    expect(most).toBeGreaterThan(150)
    expect(most).toBeLessThan(190)
    expect(await events()).toBe(before)
    rest()
    expect(await fitting(await bulk(titles(most + 1, { id }), query))).toBe(most)
  }
  rest()
  const most = await fitting(await bulk(titles(1_000, { id })))
  rest()
  const done = await bulk(titles(most, { id }))
  expect([done.status, cost(done)]).toEqual([200, BURST])
  expect(await events()).toBe(before + most)
  expect((await links.list()).data).toMatchObject([{ title: `Title ${most - 1}` }])
}, 120_000)

test('without a limit of requests, 16 MiB are the most', async () => {
  const { id } = await links.create(bigLink())
  const unlimited = await withLimits({})
  const body = { operations: titles(1_000, { id }) }
  const most = await fitting(await unlimited.send('POST', '/api/v1/links/bulk', { body }))
  expect(most).toBeGreaterThan((15 * MIB) / 86_000)
  expect(most).toBeLessThanOrEqual((16 * MIB) / 80_000)
})

test('each 256 KiB of links cost a request, and less than 100 operations do', async () => {
  const { id } = await links.create(bigLink({ external_id: 'big' }))
  // Links that aren't named or don't exist weigh nothing, and neither do creations.
  const creations = Array.from({ length: 101 }, () => ({
    op: 'create',
    link: { destination_url: URL },
  }))
  expect(cost(await bulk(creations))).toBe(2)
  rest()
  expect(cost(await bulk(titles(50, { id: 'lnk_none' })))).toBe(1)
  for (const name of [{ id }, { external_id: 'big' }]) {
    for (const [n, expected] of [
      [1, 1],
      [3, 1],
      [4, 2],
      [30, 10],
    ] as const) {
      rest()
      expect([n, cost(await bulk(titles(n, name)))]).toEqual([n, expected])
    }
  }
  rest()
  const dry = await bulk(titles(30, { id }), '?dry_run=true')
  expect([dry.status, cost(dry)]).toEqual([200, 10])
})

test('a refused bulk request succeeds after Retry-After, which waits for what it costs', async () => {
  const { id } = await links.create(bigLink())
  const operations = titles(60, { id })
  rest()
  for (let i = 0; i < 50; i++) await api.send('GET', '/api/v1/links')
  const refused = await bulk(operations)
  // 20 requests, of which 10 are there.
  expect([refused.status, Number(refused.headers.get('Retry-After'))]).toEqual([429, 10])
  api.clock.ms += 10_000
  expect((await bulk(operations)).status).toBe(200)
})

test('a link weighs what earlier operations of the request send for it', async () => {
  const { id } = await links.create({ destination_url: URL, external_id: 'old' })
  const { title: _, ...big } = bigLink()
  const growing = (name: object, then: object) => [
    { op: 'update', ...name, link: { ...big, external_id: 'new' } },
    ...titles(900, then),
  ]
  for (const [name, then] of [
    [{ id }, { id }],
    [{ id }, { external_id: 'new' }],
    [{ external_id: 'old' }, { id }],
    [{ external_id: 'old' }, { external_id: 'new' }],
  ] as const) {
    rest()
    expect(await fitting(await bulk(growing(name, then)))).toBeLessThan(200)
  }
  rest()
  const made = [
    { op: 'create', link: { ...big, external_id: 'made' } },
    ...titles(900, { external_id: 'made' }),
  ]
  expect(await fitting(await bulk(made))).toBeLessThan(200)
  rest()
  const upserts = Array.from({ length: 900 }, (_, i) => ({
    op: 'upsert',
    external_id: 'made',
    link: { destination_url: URL, title: `Title ${i}`, ...(i === 0 && big) },
  }))
  expect(await fitting(await bulk(upserts))).toBeLessThan(200)
})

test('an external id that another link might have doesn’t hide the larger one', async () => {
  const { id } = await links.create({ destination_url: URL })
  await links.create(bigLink({ external_id: 'big' }))
  const operations = [
    { op: 'update', id, link: { external_id: 'big' } },
    ...titles(900, { external_id: 'big' }),
  ]
  rest()
  expect(await fitting(await bulk(operations))).toBeLessThan(200)
})

test('deleted links weigh as much, and restores of versions what these had', async () => {
  const { id } = await links.create(bigLink())
  await links.patch(id, { rules: [], variants: [] })
  const { version } = await links.patch(id, { title: 'Small' })
  const alternating = Array.from({ length: 900 }, (_, i) => ({
    op: 'restore',
    id,
    version: i % 2 === 0 ? 1 : version,
  }))
  rest()
  expect(await fitting(await bulk(alternating))).toBeLessThan(250)
  await links.restore(id, { version: 1 })
  await links.remove(id)
  const again = Array.from({ length: 900 }, (_, i) =>
    i % 2 === 0 ? { op: 'restore', id } : { op: 'delete', id },
  )
  rest()
  expect(await fitting(await bulk(again))).toBeLessThan(250)
  expect(await links.list()).toMatchObject({ data: [] })
})

test('restores of one link go at most 20 versions back, with those made by the request', async () => {
  const { id } = await links.create({ destination_url: URL, title: 'One' })
  await links.patch(id, { title: 'Two' })
  const operations = Array.from({ length: 100 }, (_, i) => ({
    op: 'restore',
    id,
    version: 1 + (i % 2),
  }))
  const { data } = (await (await bulk(operations)).json()) as BulkResult
  expect(data[18]).toMatchObject({ status: 200, link: { title: 'One' } })
  expect(data[98]?.error?.details).toMatchObject([{ code: 'OUT_OF_RANGE' }])
  expect((await links.list()).data[0]?.version).toBeLessThan(25)
})

test('links found by their destination have no more than 16 MiB together', async () => {
  const { destination_url } = await links.create(bigLink())
  const before = await events()
  const operations = Array.from({ length: 1_000 }, () => ({
    op: 'create',
    link: { destination_url },
  }))
  rest()
  const most = await fitting(await bulk(operations, '', { if_exists: 'return' }))
  expect(most).toBeGreaterThan(150)
  rest()
  const found = await bulk(operations.slice(0, most), '', { if_exists: 'return' })
  expect(found.status).toBe(200)
  expect(await events()).toBe(before)
})

test('small links cost nothing more, with any burst', async () => {
  const many: Link[] = []
  for (let i = 0; i < 200; i++) many.push(await links.create({ destination_url: URL, notes: 'n' }))
  const operations = Array.from({ length: 5 }, () =>
    many.map(({ id }) => ({ op: 'update', id, link: { enabled: false } })),
  ).flat()
  const answer = await bulk(operations)
  expect([answer.status, cost(answer)]).toEqual([200, 10])
  const small = await withLimits({ requests_per_minute: 60, burst: 3 })
  const body = { operations }
  expect((await small.send('POST', '/api/v1/links/bulk', { body })).status).toBe(200)
})

test('what a caller can’t see or change has no price', async () => {
  const folder = { id: 'fld_secret', workspace_no: 1, name: 'Secret', name_key: 'secret' }
  const stored = { ...folder, access: 'members', created_at: 1, updated_at: 1, version: 1 } as const
  await links.storage.write(({ db }) => db.insertInto('folders').values(stored).execute())
  const { id } = await links.create(bigLink({ external_id: 'big', folder_id: folder.id }))
  Object.assign(api.keys, {
    maker: { scopes: ['links:create'], workspaceNo: 1 },
    guest: { scopes: ['links:write'], workspaceNo: 1, hiddenFolders: [folder.id] },
    stranger: { scopes: ['links:write'], workspaceNo: 2 },
  })
  for (const key of ['maker', 'guest', 'stranger']) {
    for (const name of [{ id }, { external_id: 'big' }]) {
      rest()
      const answer = await bulk(titles(100, name), '', {}, { Authorization: `Bearer ${key}` })
      expect([key, answer.status, cost(answer)]).toEqual([key, 200, 1])
    }
  }
})
