import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestDashboard } from '../audit/testing/dashboard.ts'
import type { Domain } from './schemas.ts'

const DAY_MS = 24 * 3_600_000
const URL = 'https://example.com/'

let app: Awaited<ReturnType<typeof createTestDashboard>>
/** Keys of two workspaces. */
let acme: string
let other: string

beforeEach(async () => {
  app = await createTestDashboard()
  const scopes = ['links:read', 'links:write', 'domains:read', 'domains:write']
  const make = (workspaceNo: number) =>
    app.storage.write((tx) => app.keys.create(tx, workspaceNo, { name: 'k', scopes }, COMMAND_LINE))
  const { workspaces } = app.administration
  const second = await app.storage.write((tx) =>
    workspaces.create(tx, { name: 'Other' }, COMMAND_LINE),
  )
  await app.storage.write(({ db }) =>
    db.updateTable('workspaces').set({ plan_id: 'big' }).execute(),
  )
  acme = (await make(app.workspace.no)).key
  other = (await make(second.no)).key
})
afterEach(() => app.close())

const post = (key: string, path: string, body: object = {}) => app.withKey(key, 'POST', path, body)
const add = async (key: string, host: string, settings: object = {}): Promise<Domain> => {
  const { status, body } = await post(key, '/domains', { host, ...settings })
  expect([status, body]).toMatchObject([201, {}])
  return body
}
const prove = ({ verification: { name, value } }: Domain) =>
  app.dns.set(name, [app.dns.get(name) ?? [], value].flat())
const verify = (key: string, { id }: Domain) => app.withKey(key, 'POST', `/domains/${id}/verify`)
async function active(key: string, host: string, settings: object = {}): Promise<Domain> {
  const domain = await add(key, host, settings)
  prove(domain)
  const { status, body } = await verify(key, domain)
  expect([status, body.status]).toEqual([200, 'active'])
  return body
}
const code = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body?.error?.code]
const detail = ({ body }: Awaited<ReturnType<typeof post>>) =>
  (body.error.details ?? []).map(({ field, code }: { field: string; code: string }) => [
    field,
    code,
  ])

describe('a domain', () => {
  test('is pending until its TXT record is found, and shows that record', async () => {
    const { status, body, headers } = await post(acme, '/domains', { host: 'Go.BÜCHER.example.' })
    expect([status, headers.get('location')]).toEqual([201, `/api/v1/domains/${body.id}`])
    expect(body).toMatchObject({
      host: 'go.xn--bcher-kva.example',
      status: 'pending',
      verification: { type: 'TXT', found: [], checked_at: null, error: null, served_until: null },
      ...{
        root_url: null,
        case_sensitive: false,
        brand: null,
        robots: 'all',
        links: 0,
        version: 1,
      },
    })
    const { name, value } = body.verification
    expect(name).toBe('_slugline.go.xn--bcher-kva.example')
    app.dns.set(name, ['v=spf1 -all', `"${value}`])
    const wrong = (await verify(acme, body)).body
    expect([wrong.status, wrong.verification.found]).toEqual([
      'pending',
      ['v=spf1 -all', `"${value}`],
    ])
    expect(wrong.verification.checked_at).toBe(new Date(app.clock.ms).toISOString())
    prove(body)
    const right = (await verify(acme, body)).body
    expect([right.status, right.version]).toEqual(['active', 1])
    expect((await app.withKey(acme, 'GET', `/domains/${body.id}`)).body).toEqual(right)
  })

  test('accepts links once it is active, and only of its workspace', async () => {
    const domain = await add(acme, 'go.acme.example')
    const link = { destination_url: URL, domain: 'go.acme.example', slug: 'x' }
    expect(code(await post(acme, '/links', link))).toEqual([422, 'DOMAIN_NOT_VERIFIED'])
    const faulty = await post(acme, '/links', { ...link, title: 5 })
    expect(code(faulty)).toEqual([422, 'VALIDATION_FAILED'])
    expect(detail(faulty)).toContainEqual(['domain', 'DOMAIN_NOT_VERIFIED'])
    prove(domain)
    await verify(acme, domain)
    const made = await post(acme, '/links', { ...link, domain: 'GO.acme.example' })
    expect([made.status, made.body.domain, made.body.short_url]).toEqual([
      ...[201, 'go.acme.example', 'https://go.acme.example/x'],
    ])
    for (const field of [{ domain: 'go.acme.example' }, { aliases: ['go.acme.example/y'] }]) {
      const unknown = JSON.parse(
        JSON.stringify(field).replace('go.acme.example', 'no.where.example'),
      )
      const [foreign, none] = await Promise.all([
        post(other, '/links', { destination_url: URL, ...field }),
        post(other, '/links', { destination_url: URL, ...unknown }),
      ])
      const [a, b] = [foreign, none].map(({ status, body }) => {
        const text = JSON.stringify(body.error?.details ?? body.aliases)
        return [status, text.replace('no.where.example', 'go.acme.example')]
      })
      expect(a).toEqual(b as never)
    }
    const filter = await app.withKey(other, 'GET', '/links?domain=go.acme.example')
    expect([filter.status, filter.body.data]).toEqual([200, []])
    const own = await app.withKey(acme, 'GET', '/links?domain=go.acme.example')
    expect(own.body.pagination.total).toBe(1)
    expect((await app.withKey(acme, 'GET', `/domains/${domain.id}`)).body.links).toBe(1)
  })

  test('is used by its workspace alone in bulk, and when a version is restored', async () => {
    await active(acme, 'go.acme.example')
    const link = { destination_url: URL, domain: 'go.acme.example', aliases: ['go.acme.example/b'] }
    const bulk = (key: string) => post(key, '/links/bulk', { operations: [{ op: 'create', link }] })
    const [made] = (await bulk(acme)).body.data
    expect([made.status, made.link?.domain]).toEqual([201, 'go.acme.example'])
    const [refused] = (await bulk(other)).body.data
    expect(refused.error.details).toMatchObject([
      { field: 'operations[0].link.domain', code: 'UNKNOWN_DOMAIN' },
    ])
    const path = `/links/${made.link.id}`
    expect((await app.withKey(acme, 'PATCH', path, { slug: 'later' })).status).toBe(200)
    const restored = await post(acme, `${path}/restore`, { version: 1 })
    expect([restored.status, restored.body.slug, restored.body.domain]).toEqual([
      ...[200, made.link.slug, 'go.acme.example'],
    ])
  })

  test('of another workspace is answered like one that does not exist', async () => {
    const domain = await active(acme, 'go.acme.example')
    const none = 'dom_00000000000000000000000000'
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { robots: 'none' }],
      ['DELETE', '', undefined],
      ['POST', '/verify', undefined],
    ] as const) {
      const answers = await Promise.all(
        [domain.id, none].map((id) => app.withKey(other, method, `/domains/${id}${suffix}`, body)),
      )
      const [foreign, missing] = answers.map(({ status, body: { error } }) => {
        const { request_id: _, ...rest } = error
        return { status, rest }
      })
      expect([method, foreign]).toEqual([method, missing as never])
      expect(foreign).toMatchObject({ status: 404, rest: { code: 'DOMAIN_NOT_FOUND' } })
    }
    expect((await app.withKey(other, 'GET', '/domains')).body.data).toEqual([])
  })

  test('belongs to the first workspace that verifies it', async () => {
    const [a, b] = await Promise.all([add(acme, 'go.both.example'), add(other, 'go.both.example')])
    expect(a.verification.value).not.toBe(b.verification.value)
    prove(a)
    prove(b)
    const answers = await Promise.all([verify(acme, a), verify(other, b)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const lost = answers.find(({ status }) => status === 409)
    expect(lost?.body.error.code).toBe('DOMAIN_TAKEN')
    for (const key of [acme, other]) {
      expect(code(await post(key, '/domains', { host: 'go.both.example' }))).toEqual([
        ...[409, 'DOMAIN_TAKEN'],
      ])
    }
    for (const host of ['go.example', 'third.both.example']) {
      const taken = await post(acme, '/domains', { host })
      expect([host, taken.status]).toEqual([host, host === 'go.example' ? 409 : 201])
    }
  })

  test('can be removed when it has no links, and its old slugs never resolve to another’s links', async () => {
    const domain = await active(acme, 'go.acme.example')
    const { body: link } = await post(acme, '/links', {
      destination_url: URL,
      slug: 'here',
      aliases: ['go.acme.example/there'],
    })
    const refused = await app.withKey(acme, 'DELETE', `/domains/${domain.id}`)
    expect(code(refused)).toEqual([409, 'DOMAIN_IN_USE'])
    await app.withKey(acme, 'DELETE', `/links/${link.id}`)
    expect((await app.withKey(acme, 'DELETE', `/domains/${domain.id}`)).status).toBe(204)
    expect((await app.withKey(acme, 'DELETE', `/domains/${domain.id}`)).status).toBe(404)
    app.dns.clear()
    const again = await active(other, 'go.acme.example')
    expect(again.links).toBe(0)
    const onIt = { destination_url: URL, slug: 'there', domain: 'go.acme.example' }
    expect((await post(other, '/links', onIt)).status).toBe(201)
    const restored = await app.withKey(acme, 'POST', `/links/${link.id}/restore`)
    expect([restored.status, detail(restored)]).toEqual([422, [['domain', 'UNKNOWN_DOMAIN']]])
  })

  test('is deleted with its workspace', async () => {
    const domain = await active(acme, 'go.acme.example')
    await post(acme, '/links', { destination_url: URL, domain: domain.host })
    const { removal } = app.administration
    const workspace = await app.administration.workspaces.find(app.workspace.id)
    await app.storage.write((tx) => removal.remove(tx, workspace as never, COMMAND_LINE))
    await app.domains.refresh()
    expect(app.domains.noOf(domain.host)).toBeUndefined()
    app.dns.clear()
    await active(other, domain.host)
    await removal.purge()
  })
})

describe('settings', () => {
  test('are all checked before any is reported', async () => {
    const refused = await post(acme, '/domains', {
      host: 'https://go.acme.example:8080/x',
      root_url: 'javascript:alert(1)',
      not_found_url: 'https://go.example/x',
      expired_url: 'https://user:secret@example.com/',
      case_sensitive: 'yes',
      brand: { name: '', logo: 'http://example.com/logo.png', color: 'red', size: 1 },
      apple_app_site_association: { applinks: { details: [{ appID: 5 }] } },
      assetlinks: [{ relation: [], target: { namespace: 'web' } }],
      color: 'red',
    })
    expect(code(refused)).toEqual([422, 'VALIDATION_FAILED'])
    expect(detail(refused).sort()).toEqual(
      [
        ['host', 'INVALID_HOST'],
        ['root_url', 'URL_SCHEME_NOT_ALLOWED'],
        ['not_found_url', 'URL_LOOPS_BACK'],
        ['expired_url', 'URL_HAS_CREDENTIALS'],
        ['case_sensitive', 'INVALID_TYPE'],
        ['brand.name', 'TOO_SHORT'],
        ['brand.logo', 'URL_SCHEME_NOT_ALLOWED'],
        ['brand.color', 'INVALID_COLOR'],
        ['brand.size', 'UNKNOWN_FIELD'],
        ['apple_app_site_association.applinks.details[0].appID', 'INVALID_VALUE'],
        ['assetlinks[0].relation', 'INVALID_VALUE'],
        ['assetlinks[0].target.site', 'INVALID_VALUE'],
        ['color', 'UNKNOWN_FIELD'],
      ].sort(),
    )
  })

  test.each([
    ...[
      '',
      'localhost',
      'acme',
      '127.0.0.1',
      '[::1]',
      '1.2.3',
      '0x7f.1',
      'a b.example',
      '*.a.example',
    ],
    ...[
      'a..example',
      '-a.example',
      'a.example/',
      'x@a.example',
      'a.localhost',
      `${'a'.repeat(64)}.example`,
    ],
  ])('%p is no host', async (host) => {
    expect(detail(await post(acme, '/domains', { host }))).toEqual([['host', 'INVALID_HOST']])
  })

  test('may not redirect to a served host, nor to their own', async () => {
    const domain = await add(acme, 'go.acme.example')
    const back = { root_url: 'https://GO.acme.example./x', expired_url: URL }
    const refused = await app.withKey(acme, 'PATCH', `/domains/${domain.id}`, back)
    expect(detail(refused)).toEqual([['root_url', 'URL_LOOPS_BACK']])
    await active(other, 'go.other.example')
    const there = { root_url: 'https://go.other.example/x' }
    const loops = await app.withKey(acme, 'PATCH', `/domains/${domain.id}`, there)
    expect(detail(loops)).toEqual([['root_url', 'URL_LOOPS_BACK']])
  })

  test('change by a merge patch, with a version', async () => {
    const domain = await add(acme, 'go.acme.example', {
      root_url: URL,
      robots: 'none',
      brand: { name: 'Acme', color: '#ABCDEF' },
    })
    expect(domain.brand).toEqual({ name: 'Acme', logo: null, color: '#abcdef' })
    const path = `/domains/${domain.id}`
    const as = (ifMatch: string, patch: object) =>
      app.as('admin', 'PATCH', path, patch, { 'If-Match': ifMatch })
    expect((await as('"7"', { robots: 'all' })).status).toBe(412)
    const changed = await as('"1"', { robots: null, brand: null, root_url: null })
    expect([changed.status, changed.body]).toMatchObject([
      ...[200, { robots: 'all', brand: null, root_url: null, version: 2 }],
    ])
    expect(changed.headers.get('etag')).toStartWith('"2.')
    expect((await as('"2"', { robots: 'all' })).body.version).toBe(2)
    expect(detail(await as('"2"', { host: 'x.example' }))).toEqual([['host', 'READ_ONLY']])
    const entries = (await app.entries()).filter(({ target_id }) => target_id === domain.id)
    expect(entries.map(({ action, before }) => [action, JSON.parse(before)])).toEqual([
      ['domain.created', {}],
      [
        'domain.updated',
        {
          root_url: URL,
          robots: 'none',
          brand: { name: 'Acme', logo: null, color: '#abcdef' },
        },
      ],
    ])
  })
})

test('the brand changes member by member (RFC 7396)', async () => {
  const brand = { name: 'Acme', logo: true, color: '#0b6e4f' }
  const { id } = await add(acme, 'brand.acme.example', { brand })
  const patch = async (given: unknown) =>
    (await app.as('admin', 'PATCH', `/domains/${id}`, { brand: given })).body.brand
  expect(await patch({ name: 'Other' })).toEqual({ ...brand, name: 'Other' })
  expect(await patch({ logo: null })).toEqual({ ...brand, name: 'Other', logo: null })
  expect(await patch({})).toEqual({ ...brand, name: 'Other', logo: null })
  expect(await patch(null)).toBeNull()
  expect(await patch({ color: '#0b6e4f' })).toEqual({ name: null, logo: null, color: '#0b6e4f' })
  expect(await patch({ color: null })).toBeNull()
})

describe('case', () => {
  test('may be significant on a domain', async () => {
    const domain = await active(acme, 'go.acme.example', { case_sensitive: true })
    const on = { destination_url: URL, domain: domain.host }
    const [upper, lower] = [
      await post(acme, '/links', { ...on, slug: 'Ab', aliases: ['ÄB', 'Äb'] }),
      await post(acme, '/links', { ...on, slug: 'aB' }),
    ]
    expect([upper.status, lower.status]).toEqual([201, 201])
    expect(code(await post(acme, '/links', { ...on, slug: 'Ab' }))).toEqual([409, 'SLUG_TAKEN'])
    const keys = await app.storage.read.db.selectFrom('slugs').select('slug_key').execute()
    expect(keys.map(({ slug_key }) => slug_key).sort()).toEqual(['Ab', 'aB', 'ÄB', 'Äb'])
  })

  test('can become insignificant while no two slugs would collide', async () => {
    const domain = await active(acme, 'go.acme.example', { case_sensitive: true })
    const on = { destination_url: URL, domain: domain.host }
    const { body: upper } = await post(acme, '/links', { ...on, slug: 'Ab', aliases: ['ÄB'] })
    const { body: lower } = await post(acme, '/links', { ...on, slug: 'ab' })
    const set = (case_sensitive: boolean) =>
      app.withKey(acme, 'PATCH', `/domains/${domain.id}`, { case_sensitive })
    expect(detail(await set(false))).toEqual([['case_sensitive', 'SLUGS_COLLIDE']])
    await app.withKey(acme, 'DELETE', `/links/${lower.id}`)
    expect((await set(false)).body).toMatchObject({ case_sensitive: false, version: 2 })
    const keys = () =>
      app.storage.read.db
        .selectFrom('slugs')
        .select(['slug_key', 'slug'])
        .orderBy('slug_key')
        .execute()
    expect(await keys()).toEqual([
      { slug_key: 'ab', slug: 'Ab' },
      { slug_key: 'äb', slug: 'ÄB' },
    ])
    expect(code(await post(acme, '/links', { ...on, slug: 'aB' }))).toEqual([409, 'SLUG_TAKEN'])
    const renamed = await app.withKey(acme, 'PATCH', `/links/${upper.id}`, { title: 't' })
    expect(renamed.body).toMatchObject({ slug: 'Ab', aliases: ['ÄB'] })
    expect((await set(true)).body.case_sensitive).toBe(true)
    expect((await keys()).map(({ slug_key }) => slug_key)).toEqual(['Ab', 'ÄB'])
    expect((await post(acme, '/links', { ...on, slug: 'aB' })).status).toBe(201)
  })
})

describe('a missing record', () => {
  test('leaves the links working for a week, and no longer', async () => {
    const domain = await active(acme, 'go.acme.example')
    const link = { destination_url: URL, domain: domain.host }
    await post(acme, '/links', link)
    const get = async () => (await app.withKey(acme, 'GET', `/domains/${domain.id}`)).body
    app.clock.ms += 5 * 3_600_000
    await app.ownDomains.recheck()
    expect((await get()).verification.checked_at).toBe(domain.verification.checked_at)
    app.dns.clear()
    app.clock.ms += 3_600_000 + 1
    await app.ownDomains.recheck()
    const until = new Date(app.clock.ms + 7 * DAY_MS).toISOString()
    expect(await get()).toMatchObject({ status: 'failing', verification: { served_until: until } })
    expect(app.domains.noOf(domain.host)).toBeDefined()
    expect(code(await post(acme, '/links', link))).toEqual([422, 'DOMAIN_NOT_VERIFIED'])
    expect(code(await post(other, '/domains', { host: domain.host }))).toEqual([
      409,
      'DOMAIN_TAKEN',
    ])
    prove(domain)
    expect((await verify(acme, domain)).body).toMatchObject({
      status: 'active',
      verification: { served_until: null },
    })
    app.dns.clear()
    for (let day = 0; day < 7; day++) {
      app.clock.ms += DAY_MS
      await app.ownDomains.recheck()
      expect((await get()).status).toBe('failing')
    }
    app.clock.ms += DAY_MS
    await app.ownDomains.recheck()
    expect((await get()).status).toBe('pending')
    expect(app.domains.noOf(domain.host)).toBeUndefined()
    const actions = (await app.entries()).filter(({ target_id }) => target_id === domain.id)
    expect(actions.map(({ action, actor_type }) => [action, actor_type])).toEqual([
      ['domain.created', 'api_key'],
      ['domain.verified', 'api_key'],
      ['domain.failing', 'system'],
      ['domain.verified', 'api_key'],
      ['domain.failing', 'system'],
      ['domain.updated', 'system'],
    ])
    const claim = await add(other, domain.host)
    app.dns.clear()
    prove(claim)
    expect((await verify(other, claim)).body.status).toBe('active')
    prove(domain)
    expect(code(await verify(acme, domain))).toEqual([409, 'DOMAIN_TAKEN'])
  })

  test('is not assumed when DNS fails', async () => {
    const domain = await active(acme, 'go.acme.example')
    app.dns.set(domain.verification.name, 'ESERVFAIL')
    app.clock.ms += DAY_MS
    await app.ownDomains.recheck()
    const { body } = await app.withKey(acme, 'GET', `/domains/${domain.id}`)
    expect([body.status, body.verification.error]).toEqual(['active', 'ESERVFAIL'])
    expect(body.verification.found).toEqual(domain.verification.found)
  })
})

test('domains are listed page by page, the newest first', async () => {
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.unshift((await add(acme, `d${i}.example`)).id)
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { body, headers } = await app.withKey(acme, 'GET', `/domains?limit=2${cursor}`)
    found.push(...body.data.map(({ id }: Domain) => id))
    expect(headers.get('link')).toContain('rel="first"')
    if (!body.pagination.has_more) break
    cursor = `&cursor=${body.pagination.next_cursor}`
  }
  expect(found).toEqual(made)
  const { body } = await app.withKey(acme, 'GET', '/domains?limit=2')
  const stolen = await app.withKey(other, 'GET', `/domains?cursor=${body.pagination.next_cursor}`)
  expect(code(stolen)).toEqual([400, 'BAD_REQUEST'])
})

test('a plan limits them, pending ones included', async () => {
  await app.storage.write(({ db }) =>
    db.updateTable('workspaces').set({ plan_id: 'tiny' }).execute(),
  )
  await add(acme, 'a.example')
  const { body } = await app.as('viewer', 'GET', '/usage')
  expect([body.used.domains, body.plan.limits.domains]).toEqual([1, 1])
  const refused = await post(acme, '/domains', { host: 'b.example' })
  expect([code(refused), detail(refused)]).toEqual([
    ...[[403, 'PLAN_LIMIT_REACHED'], [['domains', 'DOMAINS_LIMIT']]],
  ])
})

test('admins change them, everyone sees them; keys need the scopes', async () => {
  const body = { host: 'go.acme.example' }
  expect((await app.as('viewer', 'GET', '/domains')).status).toBe(200)
  expect((await app.as('member', 'POST', '/domains', body)).status).toBe(403)
  expect((await app.as('admin', 'POST', '/domains', body)).status).toBe(201)
  const { key } = await app.storage.write((tx) =>
    app.keys.create(
      tx,
      app.workspace.no,
      { name: 'k', scopes: ['links:write', 'domains:read'] },
      COMMAND_LINE,
    ),
  )
  expect((await app.withKey(key, 'GET', '/domains')).status).toBe(200)
  expect(code(await post(key, '/domains', body))).toEqual([403, 'INSUFFICIENT_SCOPE'])
})
