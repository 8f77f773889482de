import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
let id: string
beforeAll(async () => {
  dashboard = await createTestDashboard()
  const body = { destination_url: 'https://a.example/', slug: 'Taken', aliases: ['go.example/too'] }
  id = (await dashboard.as('member', 'POST', '/links', body)).body.id
})
afterAll(() => dashboard.close())

async function check(body: object) {
  const answer = await dashboard.as('member', 'POST', '/links/check', body)
  expect(answer.status).toBe(200)
  return answer.body as {
    problems: { field: string; code: string; message: string }[]
    suggestions: string[]
  }
}
const codes = async (body: object) =>
  (await check(body)).problems.map(({ field, code }) => `${field} ${code}`)

describe('the dry run of a link', () => {
  test('accepts a valid link, and creates nothing', async () => {
    const body = { destination_url: 'https://b.example/', slug: 'free', domain: 's.example' }
    expect(await check(body)).toEqual({ problems: [], suggestions: [] })
    expect(await check({})).toEqual({ problems: [], suggestions: [] })
    expect((await dashboard.as('viewer', 'GET', '/links')).body.pagination.total).toBe(1)
    expect((await dashboard.as('viewer', 'POST', '/links/check', body)).status).toBe(403)
  })

  test('reports all faults, with messages', async () => {
    const body = { destination_url: 'ftp://a', slug: 'a b', domain: 'nowhere.example' }
    const { problems } = await check(body)
    expect(problems.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'destination_url URL_SCHEME_NOT_ALLOWED',
      'domain UNKNOWN_DOMAIN',
      'slug INVALID_SLUG',
    ])
    for (const { message } of problems) expect(message.length).toBeGreaterThan(10)
    expect(await codes({ slug: 'api', destination_url: 'https://s.example/x' })).toEqual([
      'destination_url URL_LOOPS_BACK',
      'slug SLUG_RESERVED',
    ])
  })

  test('reports a taken slug, its owner, and free slugs', async () => {
    const { problems, suggestions } = await check({ slug: 'tAKEN' })
    expect(problems).toMatchObject([{ field: 'slug', code: 'SLUG_TAKEN' }])
    expect(suggestions).toHaveLength(3)
    for (const slug of suggestions) expect(await codes({ slug })).toEqual([])
    expect(await codes({ slug: 'taken', exclude_id: id })).toEqual([])
    expect(await codes({ slug: 'taken', domain: 'go.example' })).toEqual([])
    expect(await codes({ slug: 'too', domain: 'go.example' })).toEqual(['slug SLUG_TAKEN'])
    expect(await codes({ slug: 'too', domain: 'go.example', exclude_id: id })).toEqual([])
    expect(await codes({ slug: 'taken', exclude_id: 'lnk_none' })).toEqual(['slug SLUG_TAKEN'])
  })

  test('accepts a held slug only for the workspace that had it', async () => {
    const body = { destination_url: 'https://a.example/', slug: 'held' }
    const link = (await dashboard.as('member', 'POST', '/links', body)).body
    await dashboard.as('member', 'DELETE', `/links/${link.id}`)
    expect(await codes({ slug: 'held' })).toEqual([])
    const other = { workspace: { no: 99, plan: { limits: { links: null, addresses: null } } } }
    const elsewhere = await dashboard.links.checkLink(other, { slug: 'held' })
    expect(elsewhere.problems).toEqual([{ field: 'slug', code: 'SLUG_TAKEN' }])
  })
})
