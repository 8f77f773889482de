import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { setBlocked } from '../blocks/testing/set-blocked.ts'

let dashboard: TestDashboard
let id: string
beforeAll(async () => {
  dashboard = await createTestDashboard()
  const body = { destination_url: 'https://a.example/', slug: 'Taken', aliases: ['go.example/too'] }
  id = (await dashboard.as('member', 'POST', '/links', body)).body.id
})
afterAll(() => dashboard.close())

async function check(body: object) {
  // Or the person's limit would be reached.
  dashboard.clock.ms += 1_000
  const answer = await dashboard.as('member', 'POST', '/links/check', body)
  expect(answer.status).toBe(200)
  return answer.body as {
    problems: { field: string; code: string; message: string }[]
    suggestions: string[]
    slug: string | null
  }
}
const codes = async (body: object) =>
  (await check(body)).problems.map(({ field, code }) => `${field} ${code}`)

describe('the dry run of a link', () => {
  test('accepts a valid link, and creates nothing', async () => {
    const body = { destination_url: 'https://b.example/', slug: 'free', domain: 's.example' }
    expect(await check(body)).toEqual({ problems: [], suggestions: [], slug: 'free' })
    expect(await check({})).toMatchObject({ problems: [], suggestions: [] })
    expect((await dashboard.as('viewer', 'GET', '/links')).body.pagination.total).toBe(1)
    expect((await dashboard.as('viewer', 'POST', '/links/check', body)).status).toBe(403)
  })

  test('reports all faults, with messages', async () => {
    const body = { destination_url: 'ftp://a', slug: 'a b', domain: 'nowhere.example' }
    const { problems } = await check(body)
    expect(problems.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'destination_url URL_SCHEME_NOT_ALLOWED',
      'slug INVALID_SLUG',
      'domain UNKNOWN_DOMAIN',
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
    const gone = await dashboard.as('member', 'POST', '/links/check', {
      slug: 'taken',
      exclude_id: 'lnk_none',
    })
    expect([gone.status, gone.body.error.code]).toEqual([404, 'LINK_NOT_FOUND'])
  })

  test('accepts a held slug only for the workspace that had it', async () => {
    const body = { destination_url: 'https://a.example/', slug: 'held' }
    const link = (await dashboard.as('member', 'POST', '/links', body)).body
    await dashboard.as('member', 'DELETE', `/links/${link.id}`)
    expect(await codes({ slug: 'held' })).toEqual([])
    const { workspaces } = dashboard.administration
    const { no } = await dashboard.storage.write((tx) =>
      workspaces.create(tx, { name: 'Elsewhere' }, COMMAND_LINE),
    )
    const other = { no, plan: { limits: { links: null, addresses: null } } }
    const elsewhere = await dashboard.links.checkLink(
      { workspace: other, actor: COMMAND_LINE },
      { slug: 'held' },
    )
    expect(elsewhere.problems).toEqual([{ field: 'slug', code: 'SLUG_TAKEN' }])
  })
})

describe('it agrees with creation and change', () => {
  const DRAFT = {
    destination_url: fc.constantFrom('https://b.example/', 'ftp://b', 'https://s.example/x', ''),
    slug: fc.constantFrom(
      ...['free', 'TAKEN', 'too', 'api', 'api/x', 'a b', 'guide', 'guide/x', 'promo/x', 'a//b'],
      ...['.well-known/x', '🎉', '', 'x'.repeat(129)],
    ),
    domain: fc.constantFrom(
      ...['s.example', 'go.example', 'own.example', 'waiting.example', 'foreign.example', 'no'],
    ),
    slug_prefix: fc.constantFrom(
      ...['x-', 'api/', 'promo/', 'guide/', 'a b', '/', '', 'y'.repeat(33), null],
    ),
    slug_style: fc.constantFrom('readable', 'words', 'runes', null),
    slug_length: fc.constantFrom(3, 4, 32, 33, null),
  }
  const draft = fc.record(DRAFT, { requiredKeys: [] })
  const named = (details: { field: string; code: string }[]) =>
    [...new Set(details.map(({ field, code }) => `${field} ${code}`))].sort()

  /** The faults of a dry run of a write. */
  async function refused(method: 'POST' | 'PATCH', path: string, body: object) {
    const answer = await dashboard.as('member', method, `${path}?dry_run=true`, body)
    if (answer.status < 300) return []
    const { code, details } = answer.body.error
    return named(details ?? [{ field: 'slug', code }])
  }

  beforeAll(async () => {
    const { storage, domains } = dashboard
    const { workspaces } = dashboard.administration
    const second = await storage.write((tx) =>
      workspaces.create(tx, { name: 'Second' }, COMMAND_LINE),
    )
    await storage.write(({ db }) => db.updateTable('workspaces').set({ plan_id: 'big' }).execute())
    const scopes = ['links:read', 'links:write', 'domains:read', 'domains:write']
    const keyOf = (no: number) =>
      storage.write((tx) => dashboard.keys.create(tx, no, { name: 'k', scopes }, COMMAND_LINE))
    const own = (await keyOf(dashboard.workspace.no)).key
    const foreign = (await keyOf(second.no)).key
    for (const [host, key] of [
      ['own.example', own],
      ['waiting.example', own],
      ['foreign.example', foreign],
    ] as const) {
      const { body } = await dashboard.withKey(key, 'POST', '/domains', { host })
      if (host === 'waiting.example') continue
      dashboard.dns.set(body.verification.name, [body.verification.value])
      await dashboard.withKey(key, 'POST', `/domains/${body.id}/verify`)
    }
    const url = 'https://a.example/'
    const prefix = { destination_url: url, match: 'prefix' }
    await dashboard.withKey(foreign, 'POST', '/links', { ...prefix, slug: 'guide' })
    await dashboard.as('member', 'POST', '/links', { ...prefix, slug: 'promo' })
    await setBlocked({ storage, clock: dashboard.clock, domains }, 's.example/promo', true)
  })

  test('of any new link', async () => {
    await fc.assert(
      fc.asyncProperty(draft, async (given) => {
        const problems = named((await check(given)).problems)
        const body = { destination_url: 'https://b.example/', ...given }
        const expected = await refused('POST', '/links', body)
        // Of a faulty destination alone, the address is checked nevertheless.
        const ofUrl = problems.filter((each) => each.startsWith('destination_url '))
        const others = problems.filter((each) => !ofUrl.includes(each))
        if (ofUrl.length === 0 || expected.length > ofUrl.length) {
          expect(problems).toEqual(expected)
        } else {
          expect(ofUrl).toEqual(expected)
          const { destination_url: _, ...rest } = given
          const alone = { ...rest, destination_url: 'https://b.example/' }
          expect(others).toEqual(await refused('POST', '/links', alone))
        }
      }),
      { numRuns: 200 },
    )
  }, 120_000)

  test('of any change of a link', async () => {
    const { slug_prefix: _, slug_style: __, slug_length: ___, ...fields } = DRAFT
    await fc.assert(
      fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), async (given) => {
        const problems = named((await check({ ...given, exclude_id: id })).problems)
        const expected = await refused('PATCH', `/links/${id}`, given)
        expect(problems).toEqual(expect.arrayContaining(expected))
        if (expected.length === 0) expect(problems).toEqual([])
      }),
      { numRuns: 100 },
    )
  }, 120_000)

  test('of the slug that it would get', async () => {
    const slugOf = async (body: object) => (await check(body)).slug
    expect(await slugOf({ slug: 'Free' })).toBe('Free')
    expect(await slugOf({ slug: 'taken' })).toBeNull()
    await dashboard.as('owner', 'PATCH', '/workspace', { slug_prefix: 'ws-', slug_style: 'words' })
    const made = await slugOf({})
    expect(made).toMatch(/^ws-[a-z]+-[a-z]+-[2-9]{4}$/)
    expect(await slugOf({})).not.toBe(made)
    expect(await slugOf({ domain: 'own.example' })).toMatch(/^[2-9a-z]{7}$/)
    expect(await slugOf({ slug_style: 'digits', slug_length: 12, slug_prefix: 'n/' })).toMatch(
      /^n\/[0-9]{12}$/,
    )
    // Nothing is reserved.
    expect(await codes({ slug: made })).toEqual([])
  })
})
