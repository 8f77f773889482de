import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../../features/audit/testing/dashboard.ts'
import { createHashQueue } from '../../platform/limits/index.ts'
import { createShareTokens } from './tokens.ts'
import { createShareViews } from './view.ts'

type Views = Parameters<typeof createShareViews>[0]
type Question = Parameters<Views['statistics']['stats']>[0]

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
})
afterEach(() => its.close())

const as = (person: string, method: string, path: string, body?: object, headers = {}) =>
  its.as(person, method, path, body, headers)
const make = (person: string, body: object) => as(person, 'POST', '/shares', body)
const code = ({ status, body }: Awaited<ReturnType<typeof make>>) =>
  `${status} ${body?.error?.code}`
const faults = ({ status, body }: Awaited<ReturnType<typeof make>>) => [
  status,
  ...body.error.details.map((one: { field: string; code: string }) => `${one.field} ${one.code}`),
]
const link = async (fields: object = {}) =>
  (await as('owner', 'POST', '/links', { destination_url: 'https://e.example/', ...fields })).body
    .id as string
const WHOLE = { subject: { workspace: true } }

/** The statistics query for a share's page. */
async function asked(url: string): Promise<Question> {
  let question: Question | undefined
  const statistics = {
    stats: async (given: Question) => {
      question = given
    },
  }
  const views = createShareViews({
    storage: its.storage,
    clock: its.clock,
    domains: its.domains,
    statistics,
    hashes: createHashQueue(),
    tokens: createShareTokens(new Uint8Array(32)),
    blocks: { covering: () => null },
    baseUrl: 'https://s.example',
  } as unknown as Views)
  const query = { from: undefined, to: undefined, zone: 'UTC', filters: [], tags: [] }
  const viewer = { token: url.slice(-32), access: null }
  await views.stats(viewer, { ...query, bots: undefined }, new AbortController().signal)
  return question as Question
}

test('shares are made, listed, changed and deleted, each with its audit entry', async () => {
  await link({ tags: ['Summer'] })
  const made = await make('member', {
    subject: { tag: 'SUMMER' },
    name: ' Launch ',
    filters: { country: ['de'] },
    show: ['links', 'countries', 'links'],
    password: 'secret words',
    expires_at: null,
  })
  expect(made.status).toBe(201)
  const { id, url } = made.body
  expect(made.headers.get('location')).toBe(`/app/api/v1/shares/${id}`)
  const at = new Date(its.clock.ms).toISOString()
  expect(made.body).toEqual({
    id: expect.stringMatching(/^shr_[0-9a-z]{26}$/),
    url: expect.stringMatching(/^https:\/\/s\.example\/shared\/[0-9a-z]{32}$/),
    name: 'Launch',
    subject: { tag: 'Summer' },
    filters: { country: ['de'] },
    show: ['links', 'countries'],
    has_password: true,
    expires_at: null,
    views: 0,
    created_at: at,
    updated_at: at,
    version: 1,
  })
  const second = await make('member', WHOLE)
  expect(second.body.show).toEqual(['countries', 'referrers', 'devices'])
  const first = (await as('viewer', 'GET', '/shares?limit=1')).body
  expect(first.data).toEqual([second.body])
  const cursor = encodeURIComponent(first.pagination.next_cursor)
  const next = (await as('viewer', 'GET', `/shares?limit=1&cursor=${cursor}`)).body
  expect([next.data, next.pagination.has_more]).toEqual([[made.body], false])

  const changed = await as('member', 'PATCH', `/shares/${id}`, { show: null, password: 'other' })
  expect(changed.body).toMatchObject({
    url,
    version: 2,
    show: ['countries', 'referrers', 'devices'],
  })
  expect((await as('member', 'PATCH', `/shares/${id}`, { show: null })).body.version).toBe(2)
  const stale = { 'If-Match': made.headers.get('etag') as string }
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { name: 'x' } : undefined
    expect((await as('member', method, `/shares/${id}`, body, stale)).status).toBe(412)
  }
  expect((await as('member', 'DELETE', `/shares/${id}?dry_run=true`)).status).toBe(204)
  expect((await as('viewer', 'DELETE', `/shares/${id}`)).status).toBe(403)
  expect((await as('member', 'DELETE', `/shares/${id}`)).status).toBe(204)
  expect(code(await as('member', 'GET', `/shares/${id}`))).toBe('404 SHARE_NOT_FOUND')

  const entries = (await its.entries()).filter(({ target_id }) => target_id === id)
  expect(entries.map(({ action }) => action)).toEqual([
    'share.created',
    'share.updated',
    'share.deleted',
  ])
  expect(JSON.parse(entries[1]?.after ?? '')).toEqual({
    show: ['countries', 'referrers', 'devices'],
    has_password: true,
  })
  const stored = JSON.stringify([
    entries,
    await its.storage.read.db.selectFrom('shares').selectAll().execute(),
  ])
  expect(stored).not.toContain('secret words')
  expect(stored).not.toContain(url.slice(-32))
})

test('filters change one by one (RFC 7396)', async () => {
  const made = await make('member', { ...WHOLE, filters: { country: ['DE'], device: ['mobile'] } })
  const patch = async (filters: unknown) =>
    (await as('member', 'PATCH', `/shares/${made.body.id}`, { filters })).body
  expect((await patch({ device: null, browser: ['Firefox'] })).filters).toEqual({
    country: ['DE'],
    browser: ['Firefox'],
  })
  expect((await patch({})).version).toBe(2)
  expect((await patch({ planet: null })).error.details[0].code).toBe('UNKNOWN_FIELD')
  expect((await patch(null)).filters).toEqual({})
})

test('a share has one subject and existing filters', async () => {
  expect(faults(await make('member', { subject: {} }))).toEqual([422, 'subject REQUIRED'])
  expect(faults(await make('member', {}))).toEqual([422, 'subject REQUIRED'])
  expect(faults(await make('member', { subject: { tag: 'x', workspace: true } }))).toEqual([
    422,
    'subject.workspace CONFLICTING_PARAMETERS',
  ])
  expect(faults(await make('member', { subject: { workspace: false } }))[0]).toBe(422)
  const none = { subject: { tag: 'none' }, filters: { link_id: ['lnk_none'] } }
  expect(faults(await make('member', none))).toEqual([
    422,
    'subject.tag TAG_NOT_FOUND',
    'filters.link_id[0] LINK_NOT_FOUND',
  ])
  const filters = { planet: ['x'], country: ['DE', 'Atlantis'] }
  expect(faults(await make('member', { ...WHOLE, show: ['visitors'], filters }))).toEqual([
    422,
    'filters.planet UNKNOWN_FIELD',
    'filters.country[1] INVALID_VALUE',
    'show[0] INVALID_VALUE',
  ])
  const { id } = (await make('member', WHOLE)).body
  expect(faults(await as('member', 'PATCH', `/shares/${id}`, none))).toEqual([
    422,
    'subject READ_ONLY',
  ])
})

test('what a member can’t see can’t be shared, and isn’t shown', async () => {
  const { id: folder_id } = (
    await as('owner', 'POST', '/folders', { name: 'Secret', access: 'members' })
  ).body
  const hidden = await link({ folder_id })
  expect(faults(await make('member', { subject: { folder_id } }))).toEqual([
    422,
    'subject.folder_id FOLDER_NOT_FOUND',
  ])
  expect(faults(await make('member', { subject: { link_id: hidden } }))).toEqual([
    422,
    'subject.link_id LINK_NOT_FOUND',
  ])
  expect(faults(await make('member', { ...WHOLE, filters: { link_id: [hidden] } }))).toEqual([
    422,
    'filters.link_id[0] LINK_NOT_FOUND',
  ])
  const ofFolder = (await make('owner', { subject: { folder_id } })).body
  const ofLink = (await make('owner', { subject: { link_id: hidden } })).body
  for (const { id } of [ofFolder, ofLink]) {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined
      expect(code(await as('member', method, `/shares/${id}`, body))).toBe('404 SHARE_NOT_FOUND')
    }
  }
  expect((await as('member', 'GET', '/shares')).body.data).toEqual([])
  expect((await as('owner', 'GET', '/shares')).body.data).toHaveLength(2)

  const mine = (await make('member', WHOLE)).body
  const all = (await make('owner', WHOLE)).body
  const hiddenOf = async (url: string) => (await asked(url)).caller.hiddenFolders
  expect(await hiddenOf(all.url)).toBeUndefined()
  expect(await hiddenOf(mine.url)).toEqual([folder_id])
  // After a change by the member, the owner's share shows only what the member can see.
  await as('member', 'PATCH', `/shares/${all.id}`, { show: ['links'] })
  expect(await hiddenOf(all.url)).toEqual([folder_id])
  await as('owner', 'PATCH', `/folders/${folder_id}`, { access: 'workspace' })
  expect(await hiddenOf(all.url)).toEqual([])
  await as('owner', 'PATCH', `/folders/${folder_id}`, {
    access: 'members',
    members: ['usr_member'],
  })
  expect(await hiddenOf(mine.url)).toEqual([])
  await as('owner', 'DELETE', '/members/usr_member')
  expect(await hiddenOf(mine.url)).toEqual([folder_id])
})

test('a share is filtered by a domain of its workspace', async () => {
  const { status, body } = await as('owner', 'POST', '/domains', { host: 'go.acme.example' })
  expect(status).toBe(201)
  const { name, value } = body.verification
  its.dns.set(name, [value])
  expect((await as('owner', 'POST', `/domains/${body.id}/verify`)).body.status).toBe('active')
  const filters = { domain: ['go.acme.example'] }
  const made = await make('owner', { ...WHOLE, filters })
  expect([made.status, made.body.filters]).toEqual([201, filters])
  const { query } = await asked(made.body.url)
  const domains = query.filters.filter(({ dimension }) => dimension === 'domain')
  expect(domains).toMatchObject([{ values: [expect.any(Number)], match: 'is' }])
})
