import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await createTestDashboard()
})
afterAll(() => dashboard.close())

const as = (person: string, method: string, path = '', body?: object, headers = {}) =>
  dashboard.as(person, method, `/utm-templates${path}`, body, headers)

test('templates are made, listed by name, changed and deleted, each with its audit entry', async () => {
  const made = await as('member', 'POST', '', { name: ' News ', source: 'n', medium: null })
  expect(made.status).toBe(201)
  const { id } = made.body
  expect(made.headers.get('location')).toBe(`/app/api/v1/utm-templates/${id}`)
  const at = new Date(dashboard.clock.ms).toISOString()
  expect(made.body).toEqual({
    id: expect.stringMatching(/^utm_[0-9a-z]{26}$/),
    name: 'News',
    source: 'n',
    medium: null,
    campaign: null,
    term: null,
    content: null,
    created_at: at,
    updated_at: at,
    version: 1,
  })
  await as('member', 'POST', '', { name: 'Ads' })
  const list = await as('viewer', 'GET')
  expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(['Ads', 'News'])
  expect(list.body.pagination).toMatchObject({ has_more: false, total: 2 })

  const changed = await as('member', 'PATCH', `/${id}`, { source: null, term: 't' })
  expect(changed.body).toEqual({ ...made.body, source: null, term: 't', version: 2 })
  const tag = changed.headers.get('etag') as string
  expect((await as('member', 'PATCH', `/${id}`, { term: 't' })).body.version).toBe(2)
  const stale = { 'If-Match': made.headers.get('etag') as string }
  expect((await as('member', 'PATCH', `/${id}`, { term: 'x' }, stale)).status).toBe(412)
  expect((await as('member', 'DELETE', `/${id}`, undefined, stale)).status).toBe(412)
  expect((await as('member', 'DELETE', `/${id}`, undefined, { 'If-Match': tag })).status).toBe(204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const gone = await as('member', method, `/${id}`, method === 'PATCH' ? {} : undefined)
    expect([gone.status, gone.body.error.code]).toEqual([404, 'UTM_TEMPLATE_NOT_FOUND'])
  }
  const entries = (await dashboard.entries()).filter(({ target_id }) => target_id === id)
  expect(entries.map(({ action }) => action)).toEqual([
    'utm_template.created',
    'utm_template.updated',
    'utm_template.deleted',
  ])
  expect(JSON.parse(entries[1]?.after ?? '')).toEqual({ source: null, term: 't' })
})

test('are refused with every fault, duplicate names, and beyond the limit', async () => {
  const wrong = await as('member', 'POST', '', { name: ' ', source: 'x'.repeat(256), y: 1 })
  const codes = wrong.body.error.details.map((d: { field: string; code: string }) => [
    d.field,
    d.code,
  ])
  expect(codes).toEqual(
    expect.arrayContaining([
      ['name', 'TOO_SHORT'],
      ['source', 'TOO_LONG'],
      ['y', 'UNKNOWN_FIELD'],
    ]),
  )
  await as('member', 'POST', '', { name: 'Straße' })
  const twice = await as('member', 'POST', '', { name: 'STRASSE' })
  expect([twice.status, twice.body.error.code]).toEqual([409, 'UTM_TEMPLATE_TAKEN'])
  expect((await as('viewer', 'POST', '', { name: 'x' })).status).toBe(403)
  await dashboard.storage.write(({ db }) =>
    db
      .insertInto('utm_templates')
      .values(
        Array.from({ length: 98 }, (_, n) => ({
          id: `utm_${n}`,
          workspace_no: 1,
          name: `${n}`,
          name_key: `${n}`,
          source: null,
          medium: null,
          campaign: null,
          term: null,
          content: null,
          created_at: 0,
          updated_at: 0,
          version: 1,
        })),
      )
      .execute(),
  )
  const more = await as('member', 'POST', '', { name: 'one more' })
  expect(more.body.error.details).toMatchObject([{ code: 'TOO_MANY' }])
})
