import { afterEach, beforeEach, expect, test } from 'bun:test'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestDashboard } from '../audit/testing/dashboard.ts'

const URL_A = 'https://example.com/'

let app: Awaited<ReturnType<typeof createTestDashboard>>
let key: string
let other: string

beforeEach(async () => {
  app = await createTestDashboard()
  const scopes = ['links:read', 'links:write', 'domains:read', 'domains:write']
  const { workspaces } = app.administration
  const second = await app.storage.write((tx) =>
    workspaces.create(tx, { name: 'Other' }, COMMAND_LINE),
  )
  await app.storage.write(({ db }) =>
    db.updateTable('workspaces').set({ plan_id: 'big' }).execute(),
  )
  const make = (no: number) =>
    app.storage.write((tx) => app.keys.create(tx, no, { name: 'k', scopes }, COMMAND_LINE))
  key = (await make(app.workspace.no)).key
  other = (await make(second.no)).key
})
afterEach(() => app.close())

const send = (method: string, path: string, body?: object, as = key) =>
  app.withKey(as, method, path, body)
async function slugOf(body: object = {}) {
  const answer = await send('POST', '/links', { destination_url: URL_A, ...body })
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return answer.body.slug as string
}
async function faultOf(path: string, body: object, method = 'POST') {
  const { status, body: answer } = await send(method, path, body)
  expect(status).toBe(422)
  return answer.error.details.map((each: { field: string; code: string }) => [
    each.field,
    each.code,
  ])
}

async function addDomain(host: string, settings: object = {}) {
  const { body } = await send('POST', '/domains', { host, ...settings })
  app.dns.set(body.verification.name, [body.verification.value])
  expect((await send('POST', `/domains/${body.id}/verify`)).body.status).toBe('active')
  return body
}

test('the settings of the workspace are for shared hosts, and are in its log', async () => {
  const wanted = { slug_style: 'digits', slug_length: 12, slug_prefix: 'x-' }
  const changed = await app.as('owner', 'PATCH', '/workspace', wanted)
  expect(changed.body).toMatchObject(wanted)
  expect(await slugOf()).toMatch(/^x-[0-9]{12}$/)
  const entry = (await app.entries()).find(({ action }) => action === 'workspace.updated')
  expect(JSON.parse(entry?.after ?? '')).toEqual(wanted)

  const cleared = { slug_style: null, slug_length: null, slug_prefix: null }
  const after = await app.as('owner', 'PATCH', '/workspace', cleared)
  expect(after.body).toMatchObject({ slug_style: 'readable', slug_length: 7, slug_prefix: null })
  expect(await slugOf()).toMatch(/^[2-9a-z]{7}$/)
  // Another workspace has its own.
  const others = await send('POST', '/links', { destination_url: URL_A }, other)
  expect(others.body.slug).toMatch(/^[2-9a-z]{7}$/)
})

test('a domain has its own settings, in its version and its log', async () => {
  await app.as('owner', 'PATCH', '/workspace', { slug_prefix: 'ws-' })
  const domain = await addDomain('go.acme.example', { slug_style: 'words' })
  expect(domain).toMatchObject({ slug_style: 'words', slug_length: 7, slug_prefix: null })
  const on = { domain: 'go.acme.example' }
  expect(await slugOf(on)).toMatch(/^[a-z]+-[a-z]+-[2-9]{4}$/)
  // Its paths are its own: only the instance's host reserves some.
  const patch = { slug_style: 'lowercase', slug_length: 4, slug_prefix: 'App/' }
  const { body } = await send('PATCH', `/domains/${domain.id}`, patch)
  expect(body).toMatchObject({ ...patch, version: domain.version + 1 })
  const slug = await slugOf(on)
  expect(slug).toMatch(/^App\/[a-z]{4}$/)
  const found = await send('GET', `/links/lookup?url=https://go.acme.example/${slug.toLowerCase()}`)
  expect(found.body.slug).toBe(slug)
  expect(await slugOf()).toMatch(/^ws-[2-9a-z]{7}$/)
  const entry = (await app.entries()).find(({ action }) => action === 'domain.updated')
  expect(JSON.parse(entry?.after ?? '')).toEqual(patch)
  const same = await send('PATCH', `/domains/${domain.id}`, { slug_length: 4 })
  expect(same.body.version).toBe(body.version)
})

test('a request may give its own, which no link keeps', async () => {
  await app.as('owner', 'PATCH', '/workspace', { slug_prefix: 'ws-', slug_length: 9 })
  expect(await slugOf({ slug_style: 'digits' })).toMatch(/^ws-[0-9]{9}$/)
  expect(await slugOf({ slug_prefix: '', slug_length: 4 })).toMatch(/^[2-9a-z]{4}$/)
  expect(await slugOf({ slug_prefix: null, slug_length: null })).toMatch(/^ws-[2-9a-z]{9}$/)
  // A slug of its own needs none.
  expect(await slugOf({ slug: 'own', slug_style: 'words' })).toBe('own')

  const tried = { destination_url: URL_A, slug_style: 'words' }
  const dry = await send('POST', '/links?dry_run=true', tried)
  expect(dry.body.slug).toMatch(/^ws-[a-z]+-[a-z]+-[2-9]{4}$/)
  const operations = Array.from({ length: 50 }, () => ({ op: 'create', link: tried }))
  const { data } = (await send('POST', '/links/bulk', { operations })).body
  const slugs = data.map((each: { link: { slug: string } }) => each.link.slug)
  expect(new Set(slugs).size).toBe(50)
  for (const slug of slugs) expect(slug).toMatch(/^ws-[a-z]+-[a-z]+-[2-9]{4}$/)
  const { body } = await send('GET', '/links?slug=own')
  expect(Object.keys(body.data[0]).filter((name) => name.startsWith('slug_'))).toEqual([])

  // Neither find-or-create nor an upsert compares or changes by them.
  const found = await send('POST', '/links?if_exists=return', { ...tried, slug_length: 20 })
  expect(found.status).toBe(200)
  const upsert = { destination_url: URL_A, slug_style: 'digits' }
  const made = await send('PUT', '/links/external/a', upsert)
  const again = await send('PUT', '/links/external/a', { ...upsert, slug_length: 20 })
  expect([made.status, again.status, again.body.version]).toEqual([201, 200, 1])
})

test('settings are checked by the rules of slugs', async () => {
  const link = { destination_url: URL_A }
  expect(await faultOf('/links', { ...link, slug_length: 3 })).toEqual([
    ['slug_length', 'OUT_OF_RANGE'],
  ])
  expect(await faultOf('/links', { ...link, slug_style: 'emoji' })).toEqual([
    ['slug_style', 'INVALID_VALUE'],
  ])
  for (const [slug_prefix, code] of [
    ['api/', 'SLUG_RESERVED'],
    ['.well-known/', 'SLUG_RESERVED'],
    ['a b', 'INVALID_SLUG'],
    ['/a', 'INVALID_SLUG'],
    ['a//', 'INVALID_SLUG'],
    ['../', 'INVALID_SLUG'],
    ['a\u200b', 'INVALID_SLUG'],
    ['1/2/3/4/5/6/7/8/', 'INVALID_SLUG'],
    ['x'.repeat(33), 'TOO_LONG'],
    ['x'.repeat(1_000), 'TOO_LONG'],
  ] as const) {
    expect(await faultOf('/links', { ...link, slug_prefix })).toEqual([['slug_prefix', code]])
    const { body } = await app.as('owner', 'PATCH', '/workspace', { slug_prefix })
    expect(body.error.details[0]).toMatchObject({ field: 'slug_prefix', code })
  }
  const { body } = await send('POST', '/links', { ...link, slug: 'kept' })
  const { body: refused } = await send('PATCH', `/links/${body.id}`, { slug_style: 'words' })
  expect(refused.error.details[0]).toMatchObject({ code: 'UNKNOWN_FIELD' })
})

test('nothing is generated below what another workspace or a block has', async () => {
  const theirs = { destination_url: URL_A, slug: 'theirs', match: 'prefix' }
  expect((await send('POST', '/links', theirs, other)).status).toBe(201)
  const link = { destination_url: URL_A, slug_prefix: 'theirs/' }
  expect(await faultOf('/links', link)).toEqual([['slug_prefix', 'SLUG_TAKEN']])
  const operations = [
    { op: 'create', link },
    { op: 'create', link: { destination_url: URL_A, slug_prefix: 'ours/' } },
  ]
  const { data } = (await send('POST', '/links/bulk', { operations })).body
  expect(data.map(({ status }: { status: number }) => status)).toEqual([422, 201])
})
