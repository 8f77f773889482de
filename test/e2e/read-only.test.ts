import { afterAll, beforeAll, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Any = any

const SCOPES =
  'links:read,links:write,domains:read,domains:write,keys:write,webhooks:read,webhooks:write'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0'

let slugline: Slugline
let key: string
beforeAll(async () => {
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  key = (await slugline.createKey({ workspace: 'Acme', scopes: SCOPES })).key
  await slugline.cli('workspaces', 'set-plan', 'Acme', 'unlimited')
})
afterAll(() => slugline?.dispose())

async function ask(method: string, path: string, body?: unknown) {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, ...(body ? { body } : {}) })
  const json = (await answer.json()) as Any
  return { status: answer.status, body: json, faults: faultsOf(json) }
}

const faultsOf = (body: Any): string[] =>
  (body.error?.details ?? []).map(({ field, code }: Any) => `${code} ${field}`)

/** What each kind is made with, and a change of it. */
const KINDS: Record<string, { make: object; change: object }> = {
  links: {
    make: { destination_url: 'https://example.com/', slug: 'one', external_id: 'crm-1' },
    change: { title: 'New' },
  },
  tags: { make: { name: 'one' }, change: { name: 'two' } },
  folders: { make: { name: 'One' }, change: { name: 'Two' } },
  domains: { make: { host: 'go.example' }, change: { root_url: 'https://example.com/' } },
  shares: { make: { subject: { workspace: true } }, change: { show: ['countries'] } },
  keys: { make: { name: 'one', scopes: ['links:read'] }, change: { name: 'two' } },
  webhooks: {
    make: { url: 'http://127.0.0.1:9/', types: ['tag.deleted'] },
    change: { types: ['tag.created'] },
  },
  'utm-templates': { make: { name: 'One' }, change: { source: 'mail' } },
}
const made: Record<string, Any> = {}

test('every kind that can be changed is tried', () => {
  const changeable = Object.entries<Any>(openapi.paths).filter(([, { patch }]) => patch)
  const kinds = new Set(changeable.map(([path]) => path.split('/')[3]))
  expect([...kinds].sort()).toEqual(Object.keys(KINDS).sort())
})

for (const [kind, { make, change }] of Object.entries(KINDS)) {
  test(`${kind}: what was read can be edited and sent back, but not its read-only members`, async () => {
    const { body: created, status } = await ask('POST', `/${kind}`, make)
    expect(status).toBe(201)
    const path = `/${kind}/${created.id}`
    const { body: read } = await ask('GET', path)
    const edited = await ask('PATCH', path, { ...read, ...change })
    expect([edited.status, edited.faults]).toEqual([200, []])
    const { body: now } = await ask('GET', path)
    expect(now).toMatchObject(change)
    made[kind] = now

    const document = openapi as Any
    const { patch, post } = { ...document.paths[`/api/v1/${kind}`], ...pathOf(document, kind) }
    const writable = membersOf(document, patch)
    const readOnly = Object.keys(now).filter((name) => !writable.has(name))
    expect(readOnly).toContain('id')
    expect(readOnly).toContain('created_at')
    for (const name of readOnly) {
      const { status, faults } = await ask('PATCH', path, { [name]: 'another' })
      expect([name, status, faults]).toEqual([name, 422, [`READ_ONLY ${name}`]])
    }
    const all = Object.fromEntries(readOnly.map((name) => [name, []]))
    const faults = readOnly.map((name) => `READ_ONLY ${name}`)
    const together = await ask('PATCH', path, { ...all, misspelled: 1 })
    expect(together.faults.sort()).toEqual([...faults, 'UNKNOWN_FIELD misspelled'].sort())
    expect((await ask('GET', path)).body).toMatchObject(change)

    const ofCreation = membersOf(document, post)
    for (const name of Object.keys(now).filter((one) => !ofCreation.has(one))) {
      const again = await ask('POST', `/${kind}`, { ...make, [name]: now[name] })
      expect([name, again.status, again.faults]).toEqual([name, 422, [`READ_ONLY ${name}`]])
    }
  })
}

function pathOf(document: Any, kind: string): Any {
  return document.paths[`/api/v1/${kind}/{id}`]
}

function membersOf(document: Any, { requestBody }: Any): Set<string> {
  const { $ref } = requestBody.content['application/json'].schema
  const { properties } = document.components.schemas[$ref.split('/').at(-1)]
  return new Set(Object.keys(properties))
}

test('clicks that have been counted meanwhile don’t refuse a change, others do', async () => {
  const { id } = made.links
  const { body: read } = await ask('GET', `/links/${id}`)
  const visit = { headers: { 'user-agent': FIREFOX }, redirect: 'manual' } as const
  await fetch(`${slugline.url}/one`, visit)
  await eventually('the click is counted', async () =>
    (await ask('GET', `/links/${id}`)).body.clicks.total === 1 ? true : undefined,
  )
  const { status, body: now } = await ask('PATCH', `/links/${id}`, { ...read, title: 'Later' })
  expect([status, now.clicks.total]).toEqual([200, 1])
  for (const clicks of [{ total: 2 }, { total: -1 }, { other: 0 }, [1], null]) {
    const { faults } = await ask('PATCH', `/links/${id}`, { clicks })
    expect(faults).toEqual(['READ_ONLY clicks'])
  }
})

test('times are compared as times', async () => {
  const path = `/links/${made.links.id}`
  const { body } = await ask('GET', path)
  const created_at = body.created_at.replace('Z', '+00:00')
  expect((await ask('PATCH', path, { created_at })).status).toBe(200)
  const earlier = '2020-01-01T00:00:00Z'
  const { faults } = await ask('PATCH', path, { created_at: earlier, updated_at: earlier })
  expect(faults).toEqual(['READ_ONLY created_at', 'READ_ONLY updated_at'])
})

test('PUT takes what was read, and refuses read-only members of a link that isn’t there', async () => {
  const { body } = await ask('GET', '/links/external/crm-1')
  const put = { ...body, title: 'Put' }
  expect((await ask('PUT', '/links/external/crm-1', put)).status).toBe(200)
  const { faults } = await ask('PUT', '/links/external/crm-2', {
    ...{ destination_url: 'https://example.com/', id: body.id, status: 'active' },
  })
  expect(faults).toEqual(['READ_ONLY id', 'READ_ONLY status'])
  expect((await ask('PATCH', '/links/lnk_00000000000000000000000000', { id: 'x' })).status).toBe(
    404,
  )
})

test('operations of a bulk request and a change by filter treat them alike', async () => {
  const { body } = await ask('GET', '/links/external/crm-1')
  const operations = [
    { op: 'update', id: body.id, link: { ...body, title: 'Bulk' } },
    { op: 'update', external_id: 'crm-1', link: { short_url: 'https://example.com/' } },
    { op: 'upsert', external_id: 'crm-1', link: { ...body, version: body.version, notes: 'x' } },
    { op: 'create', link: { destination_url: 'https://example.com/', id: body.id } },
    { op: 'update', id: 'lnk_00000000000000000000000000', link: { id: 'x' } },
  ]
  const { data } = (await ask('POST', '/links/bulk', { operations })).body
  expect(data.map((each: Any) => each.error && faultsOf(each))).toEqual([
    undefined,
    ['READ_ONLY operations[1].link.short_url'],
    undefined,
    ['READ_ONLY operations[3].link.id'],
    ['READ_ONLY operations[4].link.id'],
  ])
  const filtered = { filter: {}, expected: 1, patch: { status: 'active', other: 1 } }
  const { faults } = await ask('POST', '/links/bulk/by-filter', filtered)
  expect(faults.sort()).toEqual(['READ_ONLY patch.status', 'UNKNOWN_FIELD patch.other'])
})
