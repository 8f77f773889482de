import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createCursors } from '../../../http/cursor.ts'
import { createTestApi, type TestApi } from '../../../http/testing/api.ts'
import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { createMemoryLimiter } from '../../../platform/limits/index.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import { createJobService } from '../../jobs/index.ts'
import { permitting } from '../../jobs/testing/caller-of.ts'
import { registerLinkRoutes } from '../routes.ts'
import { createTestLinks, type TestLinks } from '../testing/links.ts'
import { registerByFilterRoutes } from './by-filter-routes.ts'
import { createFilterJobs, type FilterJobs } from './job.ts'

const BURST = 20
let links: TestLinks
let api: TestApi
let hashed: string[]

beforeEach(async () => {
  hashed = []
  links = await createTestLinks({
    async hashPassword(password) {
      hashed.push(password)
      return `hash of ${password}`
    },
  })
  const limits = { requests_per_minute: 60, burst: BURST }
  api = await createTestApi({ storage: links.storage, limits })
  registerLinkRoutes(api.api, { links: links.service })
})
afterEach(() => api.close())

const URL = 'https://a.example/'
const NOTHING = { filter: {}, change: { patch: { title: 'New' } } }
const bulk = (operations: object[], query = '') =>
  api.send('POST', `/api/v1/links/bulk${query}`, { body: { operations } })
const creations = (n: number, more: (i: number) => object = () => ({})) =>
  Array.from({ length: n }, (_, i) => ({
    op: 'create',
    link: { destination_url: URL, ...more(i) },
  }))
const left = (response: Response) => Number(response.headers.get('X-RateLimit-Remaining'))

test('every password that is hashed in bulk costs as much as a link of its own', async () => {
  const answer = await bulk(creations(8, (i) => ({ password: `secret ${i % 4}` })))
  expect([answer.status, left(answer), hashed.length]).toEqual([200, BURST - 1 - 4, 4])
  const plain = await bulk(creations(8, () => ({ password: null })))
  expect(left(plain)).toBe(BURST - 5 - 1)
})

test('more passwords than the burst has room for are refused, instead of hashed for less', async () => {
  const many = creations(150, (i) => (i % 2 === 0 ? { password: `secret ${i}` } : {}))
  const refused = await bulk(many)
  expect(refused.status).toBe(422)
  // 150 operations cost two requests, so that 18 passwords are left; the first after them is named.
  expect(await refused.json()).toMatchObject({
    error: {
      details: [{ field: 'operations[36].link.password', code: 'TOO_MANY' }],
    },
  })
  expect(hashed).toEqual([])
  api.clock.ms += 60_000
  const atomic = { atomic: true, operations: many }
  expect((await api.send('POST', '/api/v1/links/bulk', { body: atomic })).status).toBe(422)
  api.clock.ms += 60_000
  const most = await bulk(many.slice(0, 38))
  expect([most.status, left(most), hashed.length]).toEqual([200, 0, BURST - 1])
  // One password as often as there are operations is hashed once.
  api.clock.ms += 60_000
  const same = await bulk(creations(150, () => ({ password: 'one for all' })))
  expect([same.status, left(same), hashed.length]).toEqual([200, BURST - 3, BURST])
})

test('a dry run hashes no password, in no way', async () => {
  const password = 'open sesame'
  const { id } = await links.create({ destination_url: URL, external_id: 'x', slug: 'a' })
  const dry = async (method: string, path: string, body: object) => {
    const answer = await api.send(method, `/api/v1/links${path}?dry_run=true`, { body })
    expect([path, answer.status < 300]).toEqual([path, true])
    return (await answer.json()) as { has_password?: boolean; data?: { link: object }[] }
  }
  expect(await dry('POST', '', { destination_url: URL, password })).toMatchObject({
    has_password: true,
  })
  expect(await dry('PATCH', `/${id}`, { password })).toMatchObject({ has_password: true })
  await dry('PUT', '/external/x', { destination_url: URL, password })
  const answer = await bulk(
    creations(8, (i) => ({ password: `secret ${i}` })),
    '?dry_run=true',
  )
  const { data } = (await answer.json()) as { data: { link: { has_password: boolean } }[] }
  expect(data.every(({ link }) => link.has_password)).toBe(true)
  expect(left(answer)).toBe(BURST - 3 - 1)
  expect(hashed).toEqual([])
  expect((await links.list()).data).toMatchObject([{ id, has_password: false }])
})

/** Adds the endpoint of changes by filter; its jobs wait. */
function addByFilter(): FilterJobs {
  const { storage, clock, service } = links
  const jobs = createJobService({
    storage,
    clock,
    ids: createIds(clock, systemRandom),
    cursors: createCursors('secret'),
    logger: { warn() {}, error: (fields) => console.error(fields) },
    callerOf: permitting({}),
    limiter: createMemoryLimiter(),
  })
  const filterJobs = createFilterJobs({ links: service, jobs })
  registerByFilterRoutes(api.api, { links: service, filterJobs })
  return filterJobs
}

test('a change by filter that no job can make hashes no password', async () => {
  const filterJobs = addByFilter()
  const plan = { limits: { links: null, addresses: null } }
  const caller = { workspace: { no: 1, plan }, actor: COMMAND_LINE }
  const found = await filterJobs.count(caller, {}, 0)
  await links.storage.write(
    async (tx) => {
      for (let i = 0; i < 20; i++) await filterJobs.enqueue(tx, caller, found, NOTHING)
    },
    { workspaceNo: 1 },
  )
  const body = { filter: {}, patch: { password: 'secret' }, expected: 0 }
  const answer = await api.send('POST', '/api/v1/links/bulk/by-filter', { body })
  expect([answer.status, hashed]).toEqual([429, []])
})

test('a dry run by filter costs as much as the same operations in bulk', async () => {
  addByFilter()
  for (let i = 0; i < 201; i++) await links.create({ destination_url: URL })
  const body = { filter: {}, patch: { title: 'New' }, expected: 201 }
  const path = '/api/v1/links/bulk/by-filter'
  const dry = await api.send('POST', `${path}?dry_run=true`, { body })
  expect([dry.status, left(dry)]).toEqual([202, BURST - 3])
  // The job pays as it goes on.
  const started = await api.send('POST', path, { body })
  expect([started.status, left(started)]).toEqual([202, BURST - 3 - 1])
})

test('a retry of a bulk request succeeds after Retry-After, wherever it was refused', async () => {
  const operations = creations(1_000, (i) => ({ slug: `s-${i}` }))
  for (const used of [15, BURST]) {
    api.clock.ms += 60_000
    for (let i = 0; i < used; i++) await api.send('GET', '/api/v1/links')
    const refused = await bulk(operations, '?dry_run=true')
    expect(refused.status).toBe(429)
    api.clock.ms += Number(refused.headers.get('Retry-After')) * 1_000
    expect((await bulk(operations, '?dry_run=true')).status).toBe(200)
  }
})

test('nor does Retry-After leave out the passwords of a body that wasn’t parsed', async () => {
  for (const password of [(i: number) => `secret ${i}`, () => 'one for all', () => null]) {
    const operations = creations(15, (i) => ({ password: password(i) }))
    api.clock.ms += 60_000
    for (let i = 0; i < BURST; i++) await api.send('GET', '/api/v1/links')
    const refused = await bulk(operations)
    expect(refused.status).toBe(429)
    api.clock.ms += Number(refused.headers.get('Retry-After')) * 1_000
    expect((await bulk(operations)).status).toBe(200)
  }
})

test('a refused bulk request without passwords waits for its operations alone', async () => {
  for (let i = 0; i < BURST; i++) await api.send('GET', '/api/v1/links')
  const link = { destination_url: `${URL}?${'x'.repeat(3_000)}`, title: 'a "password": "x"' }
  const refused = await bulk(creations(100, () => link))
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1'])
})
