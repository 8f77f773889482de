import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await createTestDashboard()
})
afterAll(() => dashboard.close())
// The limits of requests are not what is tested.
beforeEach(() => {
  dashboard.clock.ms += 600_000
})

const as = (person: string, method: string, path = '', body?: object, headers = {}) =>
  dashboard.as(person, method, `/views${path}`, body, headers)
const namesFor = async (person: string) =>
  (await as(person, 'GET')).body.data.map(({ name }: { name: string }) => name)
const detailsOf = ({ body }: { body: { error: { details: object[] } } }) => body.error.details
const actionsOn = async (id: string) =>
  (await dashboard.entries()).filter(({ target_id }) => target_id === id).map((e) => e.action)

const NOTHING = {
  search: null,
  tag: null,
  folder_id: null,
  archived: null,
  domain: null,
  status: null,
  any_tag: null,
  tagged: null,
  has_rules: null,
  has_password: null,
  clicked: null,
  created_by: null,
  created_after: null,
  created_before: null,
}

test('a private view is saved, changed and deleted by its person only', async () => {
  const filter = { tag: ['spring'], status: 'active', created_after: '2026-05-01' }
  const asked = { name: ' Spring ', filter, sort: 'clicks', hidden_columns: ['days'] }
  const made = await as('viewer', 'POST', '', asked)
  expect(made.status).toBe(201)
  const at = new Date(dashboard.clock.ms).toISOString()
  expect(made.body).toEqual({
    id: expect.stringMatching(/^viw_[0-9a-z]{26}$/),
    name: 'Spring',
    shared: false,
    editable: true,
    filter: { ...NOTHING, ...filter },
    sort: 'clicks',
    order: 'desc',
    hidden_columns: ['days'],
    report: null,
    created_at: at,
    updated_at: at,
    version: 1,
  })
  const { id } = made.body
  expect(await namesFor('viewer')).toEqual(['Spring'])
  expect(await namesFor('owner')).toEqual([])
  const changed = await as('viewer', 'PATCH', `/${id}`, { filter: { search: 'x' }, order: 'asc' })
  expect(changed.body).toEqual({
    ...made.body,
    order: 'asc',
    version: 2,
    filter: { ...NOTHING, search: 'x' },
  })
  expect((await as('viewer', 'PATCH', `/${id}`, { order: 'asc' })).body.version).toBe(2)
  const stale = { 'If-Match': made.headers.get('etag') as string }
  expect((await as('viewer', 'PATCH', `/${id}`, { name: 'x' }, stale)).status).toBe(412)
  for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE']] as const) {
    expect((await as('owner', method, `/${id}`, body)).body.error.code).toBe('VIEW_NOT_FOUND')
  }
  expect((await as('viewer', 'DELETE', `/${id}`)).status).toBe(204)
  expect(await namesFor('viewer')).toEqual([])
  // Private views aren't audited.
  expect(await actionsOn(id)).toEqual([])
})

test('a shared view is seen by all, changed by its person and by admins, and audited', async () => {
  const shared = { name: 'All', shared: true }
  expect((await as('viewer', 'POST', '', shared)).body.error.code).toBe('FORBIDDEN')
  const own = await as('viewer', 'POST', '', { name: 'Mine' })
  const share = await as('viewer', 'PATCH', `/${own.body.id}`, { shared: true })
  expect(share.body.error.code).toBe('FORBIDDEN')
  await as('viewer', 'DELETE', `/${own.body.id}`)

  const { id } = (await as('member', 'POST', '', shared)).body
  const seen = (await as('viewer', 'GET')).body.data
  expect(seen).toMatchObject([{ id, name: 'All', shared: true, editable: false }])
  expect((await as('viewer', 'PATCH', `/${id}`, { name: 'x' })).status).toBe(403)
  expect((await as('viewer', 'DELETE', `/${id}`)).status).toBe(403)
  expect((await as('admin', 'PATCH', `/${id}`, { name: 'Everything' })).status).toBe(200)
  expect((await as('member', 'PATCH', `/${id}`, { sort: 'slug' })).body.name).toBe('Everything')
  // Two people may use the same name, also that of a shared view.
  expect((await as('viewer', 'POST', '', { name: 'everything' })).status).toBe(201)
  const twice = await as('admin', 'POST', '', { ...shared, name: 'EVERYTHING' })
  expect([twice.status, twice.body.error.code]).toEqual([409, 'VIEW_TAKEN'])
  expect((await as('admin', 'DELETE', `/${id}`)).status).toBe(204)
  expect(await actionsOn(id)).toEqual([
    'view.created',
    'view.updated',
    'view.updated',
    'view.deleted',
  ])
})

test('every fault is reported', async () => {
  const filter = { created_after: '2026-02-30', status: 'gone', tag: [''], other: 1 }
  const wrong = await as('member', 'POST', '', {
    name: ' ',
    filter,
    sort: 'x',
    hidden_columns: ['y'],
  })
  const codes = detailsOf(wrong).map((d) => Object.values(d).slice(0, 2))
  expect(codes).toEqual(
    expect.arrayContaining([
      ['name', 'TOO_SHORT'],
      ['filter.created_after', 'INVALID_TIMESTAMP'],
      ['filter.status', 'INVALID_VALUE'],
      ['filter.tag[0]', 'TOO_SHORT'],
      ['filter.other', 'UNKNOWN_FIELD'],
      ['sort', 'INVALID_VALUE'],
      ['hidden_columns[0]', 'INVALID_VALUE'],
    ]),
  )
  const lost = await as('member', 'POST', '', { name: 'x', filter: { folder_id: 'fld_none' } })
  expect(detailsOf(lost)).toMatchObject([{ field: 'filter.folder_id', code: 'FOLDER_NOT_FOUND' }])
})

test('a shared view of a folder is seen by those who see its links', async () => {
  const folder = await dashboard.as('admin', 'POST', '/folders', { name: 'F', access: 'members' })
  const filter = { folder_id: folder.body.id }
  const made = await as('admin', 'POST', '', { name: 'Secret', shared: true, filter })
  expect(made.status).toBe(201)
  expect(await namesFor('owner')).toContain('Secret')
  expect(await namesFor('member')).not.toContain('Secret')
  const taken = await as('member', 'POST', '', { name: 'x', filter })
  expect(detailsOf(taken)).toMatchObject([{ field: 'filter.folder_id', code: 'FOLDER_NOT_FOUND' }])
})

describe('filters of the statistics', () => {
  const report = { filters: { country: ['DE'], not_browser: ['Firefox'] }, bots: 'include' }
  const save = (person: string, name: string, more: object = {}) =>
    as(person, 'POST', '', { name, report, ...more })

  test('are saved, replaced and deleted like views, whose names stay free', async () => {
    const made = await save('viewer', 'Germany')
    expect([made.status, made.body.report]).toEqual([201, report])
    expect((await as('viewer', 'POST', '', { name: 'Germany' })).status).toBe(201)
    expect((await save('viewer', 'germany')).body.error.code).toBe('VIEW_TAKEN')
    const { id } = made.body
    const tag = { filters: { tag: ['Spring'] }, bots: 'exclude' }
    const changed = await as('viewer', 'PATCH', `/${id}`, { report: { filters: tag.filters } })
    expect(changed.body).toEqual({ ...made.body, report: tag, version: 2 })
    expect((await as('viewer', 'PATCH', `/${id}`, { name: 'DE' })).body.report).toEqual(tag)
    expect((await as('owner', 'PATCH', `/${id}`, { report })).status).toBe(404)
    expect((await as('viewer', 'DELETE', `/${id}`)).status).toBe(204)
  })

  test('stay filters, and a view of links a view', async () => {
    const { body: ofLinks } = await as('owner', 'POST', '', { name: 'Of links' })
    const { body: saved } = await save('owner', 'Of statistics')
    for (const [id, given] of [
      [ofLinks.id, report],
      [saved.id, null],
    ]) {
      const answer = await as('owner', 'PATCH', `/${id}`, { report: given })
      expect(detailsOf(answer)).toMatchObject([{ field: 'report', code: 'READ_ONLY' }])
    }
    // What was read can be sent back.
    const { id, editable: _, created_at: __, updated_at: ___, version: ____, ...rest } = ofLinks
    expect((await as('owner', 'PATCH', `/${id}`, rest)).body.version).toBe(1)
  })

  test('have every fault reported, and a bound', async () => {
    const filters = {
      country: ['Atlantis', 'DE'],
      planet: ['Mars'],
      tag: [''],
      contains_country: ['D'],
      folder_id: ['fld_none'],
    }
    const wrong = await as('owner', 'POST', '', { name: 'x', report: { filters } })
    const codes = detailsOf(wrong).map((d) => Object.values(d).slice(0, 2))
    expect(codes.toSorted()).toEqual([
      ['report.filters.contains_country', 'UNKNOWN_FIELD'],
      ['report.filters.country[0]', 'INVALID_VALUE'],
      ['report.filters.folder_id[0]', 'FOLDER_NOT_FOUND'],
      ['report.filters.planet', 'UNKNOWN_FIELD'],
      ['report.filters.tag[0]', 'TOO_SHORT'],
    ])
    const two = { filters: { folder_id: ['fld_a', 'fld_b'] } }
    expect(detailsOf(await as('owner', 'POST', '', { name: 'x', report: two }))).toContainEqual(
      expect.objectContaining({ field: 'report.filters.folder_id', code: 'TOO_MANY' }),
    )
    const long = { filters: { city: Array.from({ length: 20 }, (_, n) => `${n}`.repeat(600)) } }
    expect(detailsOf(await as('owner', 'POST', '', { name: 'x', report: long }))).toMatchObject([
      { field: 'report.filters', code: 'TOO_LONG' },
    ])
    const mode = { filters: {}, bots: 'some', range: '30d' }
    const bad = detailsOf(await as('owner', 'POST', '', { name: 'x', report: mode }))
    expect(bad).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'report.bots', code: 'INVALID_VALUE' }),
        expect.objectContaining({ field: 'report.range', code: 'UNKNOWN_FIELD' }),
      ]),
    )
  })

  test('of what is hidden are seen by those who see it', async () => {
    const folder = await dashboard.as('admin', 'POST', '/folders', {
      name: 'Filtered',
      access: 'members',
    })
    const folder_id = folder.body.id
    const link = await dashboard.as('admin', 'POST', '/links', {
      destination_url: 'https://example.com/',
      folder_id,
      tags: ['concealed'],
    })
    expect(link.status).toBe(201)
    const named = { folder_id: [folder_id], tag: ['concealed'], not_link_id: [link.body.id] }
    for (const [name, values] of Object.entries(named)) {
      const saved = await save('admin', `By ${name}`, {
        shared: true,
        report: { filters: { [name]: values } },
      })
      expect(saved.status).toBe(201)
      expect(await namesFor('owner')).toContain(`By ${name}`)
      expect(await namesFor('member')).not.toContain(`By ${name}`)
      const changed = await as('member', 'PATCH', `/${saved.body.id}`, { name: 'x' })
      expect(changed.body.error.code).toBe('VIEW_NOT_FOUND')
    }
    const taken = await save('member', 'x', { report: { filters: { folder_id: [folder_id] } } })
    expect(detailsOf(taken)).toMatchObject([{ code: 'FOLDER_NOT_FOUND' }])
    const shared = await save('member', 'For everyone', { shared: true })
    expect(await namesFor('viewer')).toContain('For everyone')
    expect(await actionsOn(shared.body.id)).toEqual(['view.created'])
    const entry = (await dashboard.entries()).find(({ target_id }) => target_id === shared.body.id)
    expect(JSON.parse(entry?.after ?? '')).toEqual({
      name: 'For everyone',
      shared: true,
      ...report,
    })
  })
})

test('views are limited per person, and deleted when the person leaves', async () => {
  for (let n = 1; n <= 50; n++) {
    expect((await as('member', 'POST', '', { name: `${n}` })).status).toBe(201)
    dashboard.clock.ms += 10_000
  }
  const more = await as('member', 'POST', '', { name: 'more' })
  expect(detailsOf(more)).toMatchObject([{ code: 'TOO_MANY' }])
  const shared = await as('member', 'POST', '', { name: 'For all', shared: true })
  expect(shared.status).toBe(201)
  expect((await dashboard.as('member', 'DELETE', '/members/usr_member')).status).toBe(204)
  const left = await dashboard.storage.read.db.selectFrom('views').selectAll().execute()
  expect(left.filter(({ user_id }) => user_id === 'usr_member')).toEqual([])
  const kept = left.filter(({ name }) => name === 'For all')
  expect(kept).toMatchObject([{ shared: 1, user_id: null }])
  // Who makes it private gets it.
  const own = await as('admin', 'PATCH', `/${shared.body.id}`, { shared: false })
  expect([own.status, (await namesFor('admin')).includes('For all')]).toEqual([200, true])
  expect((await as('admin', 'DELETE', `/${shared.body.id}`)).status).toBe(204)
})
