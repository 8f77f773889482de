/** Names and shapes of the API as the changelog lists them under "Changed", each by a request. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Browser } from '../../src/features/accounts/testing/browser.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const PASSWORD = 'a password of enough words'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SCOPES = 'links:read,links:write,domains:read,domains:write,keys:write,webhooks:read'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Any = any

let slugline: Slugline
let browser: Browser
let key: string
let link: Any
let folder: Any
let tag: Any

async function ask(method: string, path: string, body?: unknown) {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, ...(body ? { body } : {}) })
  const text = await answer.text()
  const json = text.startsWith('{') ? JSON.parse(text) : text
  const details = (json.error?.details ?? []).map(({ field, code }: Any) => `${field} ${code}`)
  return {
    status: answer.status,
    headers: answer.headers,
    body: json,
    code: json.error?.code,
    details,
  }
}
const get = async (path: string) => (await ask('GET', path)).body
const post = (path: string, body: object) => ask('POST', path, body)

beforeAll(async () => {
  slugline = await startSlugline()
  const person = ['--email', 'owner@example.com', '--password', PASSWORD]
  await slugline.cli('users', 'create', ...person, '--workspace', 'Acme')
  key = (await slugline.createKey({ workspace: 'Acme', plan: 'unlimited', scopes: SCOPES })).key
  const app = {
    fetch: (request: Request) => {
      const { pathname, search } = new URL(request.url)
      return fetch(new Request(slugline.url + pathname + search, request))
    },
  }
  browser = new Browser(slugline.url, app, '192.0.2.1')
  expect((await browser.signIn('owner@example.com', PASSWORD)).status).toBe(200)
  folder = (await post('/folders', { name: 'One' })).body
  tag = (await post('/tags', { name: 'one', color: 'teal' })).body
  const body = { destination_url: 'https://example.com/', slug: 'one', external_id: 'crm-1' }
  link = (await post('/links', { ...body, tags: ['one'], folder_id: folder.id })).body
  const visit = { headers: { 'user-agent': FIREFOX }, redirect: 'manual' } as const
  expect((await fetch(`${slugline.url}/one`, visit)).status).toBe(302)
  await eventually('the click is stored', async () =>
    (await get('/clicks')).data?.length === 1 ? true : undefined,
  )
})
afterAll(() => slugline?.dispose())

test('single objects are bare', async () => {
  const shared = (await post('/shares', { subject: { workspace: true }, password: 'open' })).body
  const { pathname } = new URL(shared.url)
  const unlocked = await slugline.call('POST', `${pathname}/password`, {
    body: { password: 'open' },
  })
  const { access } = (await unlocked.json()) as Any
  const opened = async (rest: string) => {
    const headers = { authorization: `Bearer ${access}` }
    return (await slugline.call('GET', `${pathname}/${rest}`, { headers })).json() as Any
  }
  const page = await fetch(`${slugline.url}/one+`, { headers: { accept: 'application/json' } })
  const bare: [object, string][] = [
    [await get('/stats'), 'totals'],
    [await get(`/links/${link.id}/stats`), 'totals'],
    [(await post(`/links/${link.id}/explain`, {})).body, 'outcome'],
    [(await post('/explain', { url: link.short_url })).body, 'outcome'],
    [{ access }, 'access'],
    [await opened('about'), 'show'],
    [await opened('stats'), 'totals'],
    [(await page.json()) as object, 'destination_url'],
  ]
  for (const [object, member] of bare) {
    expect(object).toHaveProperty(member)
    expect(object).not.toHaveProperty('data')
  }
  expect(await get('/stats/country')).toMatchObject({ data: [{ clicks: 1 }], other: { clicks: 0 } })
})

test('color instead of colour', async () => {
  expect(tag).toMatchObject({ color: 'teal' })
  expect((await post('/tags', { name: 'two', colour: 'teal' })).details).toEqual([
    'colour UNKNOWN_FIELD',
  ])
  const brand = { name: 'Acme', color: '#0B6E4F' }
  const { body } = await post('/domains', { host: 'go.example', brand })
  expect(body.brand.color).toBe('#0b6e4f')
  expect((await ask('PATCH', `/domains/${body.id}`, { brand: { color: 'x' } })).details).toEqual([
    'brand.color INVALID_COLOR',
  ])
})

test('ids are called link_id and folder_id', async () => {
  const [{ link_id }] = (await get('/clicks')).data
  expect(link_id).toBe(link.id)
  expect(link.folder_id).toBe(folder.id)
  expect((await get(`/links?folder_id=${folder.id}`)).data).toHaveLength(1)
  expect((await get(`/stats?link_id=${link.id}&folder_id=${folder.id}`)).totals.clicks).toBe(1)
  expect((await get(`/stats?not_link_id=${link.id}`)).totals.clicks).toBe(0)
  expect((await get('/clicks.csv')).split('\n')[0]).toContain('link_id')
  for (const query of ['/links?folder=x', '/stats?link=x', '/stats?not_link=x']) {
    expect((await ask('GET', query)).details[0]).toEndWith('UNKNOWN_PARAMETER')
  }
  const shared = await post('/shares', { subject: { link_id: link.id } })
  expect(shared.body.subject).toEqual({ link_id: link.id })
})

test('times end in _at', async () => {
  const [event] = (await get(`/links/${link.id}/history`)).data
  expect(event).toMatchObject({ created_at: expect.stringMatching(TIME) })
  expect(event).not.toHaveProperty('at')
  for (const log of ['audit', 'account/events']) {
    const [entry] = (await browser.get(`/app/api/v1/${log}`)).body.data
    expect(entry).toMatchObject({ created_at: expect.stringMatching(TIME) })
  }
  const block = { kind: 'link', value: 'one', reason: 'Phishing' }
  expect((await browser.post('/app/api/v1/instance/blocks', block)).status).toBe(201)
  const { data } = (await browser.get('/app/api/v1/instance/blocks')).body
  expect((await get(`/links/${link.id}`)).block).toMatchObject({
    blocked_at: expect.stringMatching(TIME),
  })
  expect((await browser.post('/app/api/v1/instance/blocks', block)).code).toBe('ALREADY_BLOCKED')
  await browser.send('DELETE', `/app/api/v1/instance/blocks/${data[0].id}`)
})

test('what is taken is 409 with its own code', async () => {
  await post('/utm-templates', { name: 'One' })
  const other = { destination_url: 'https://example.com/' }
  const refused = [
    await post('/links', { ...other, slug: 'ONE' }),
    await post('/links', { ...other, external_id: 'crm-1' }),
    await post('/tags', { name: 'ONE' }),
    await post('/utm-templates', { name: 'one' }),
    await post('/domains', { host: 'GO.example' }),
  ]
  expect(refused.map(({ status, code }) => `${status} ${code}`)).toEqual([
    '409 SLUG_TAKEN',
    '409 EXTERNAL_ID_TAKEN',
    '409 TAG_TAKEN',
    '409 UTM_TEMPLATE_TAKEN',
    '409 DOMAIN_TAKEN',
  ])
  const view = { name: 'One' }
  await browser.post('/app/api/v1/views', view)
  const twice = await browser.post('/app/api/v1/views', view)
  expect(`${twice.status} ${twice.code}`).toBe('409 VIEW_TAKEN')
})

test('every kind has its own NOT_FOUND', async () => {
  const kinds: [string, string][] = [
    ['links', 'LINK_NOT_FOUND'],
    ['links/external', 'LINK_NOT_FOUND'],
    ['tags', 'TAG_NOT_FOUND'],
    ['folders', 'FOLDER_NOT_FOUND'],
    ['domains', 'DOMAIN_NOT_FOUND'],
    ['shares', 'SHARE_NOT_FOUND'],
    ['keys', 'KEY_NOT_FOUND'],
    ['jobs', 'JOB_NOT_FOUND'],
    ['imports', 'IMPORT_NOT_FOUND'],
    ['utm-templates', 'UTM_TEMPLATE_NOT_FOUND'],
    ['webhooks', 'WEBHOOK_NOT_FOUND'],
  ]
  for (const [kind, code] of kinds) {
    const answer = await ask('GET', `/${kind}/none`)
    expect([kind, answer.status, answer.code]).toEqual([kind, 404, code])
  }
  const inDashboard = [
    ['instance/blocks', 'BLOCK_NOT_FOUND'],
    ['views', 'VIEW_NOT_FOUND'],
  ]
  for (const [path, code] of inDashboard) {
    expect((await browser.send('DELETE', `/app/api/v1/${path}/none`)).code).toBe(code as string)
  }
})

test('a filter that matches nothing gives an empty result, a malformed one 422', async () => {
  for (const filter of ['folder_id=fld_none', 'domain=other.example', 'tag=none', 'link_id=none']) {
    const list = filter.startsWith('link_id') ? '/clicks' : '/links'
    expect([filter, (await get(`${list}?${filter}`)).data]).toEqual([filter, []])
    expect([filter, (await get(`/stats?${filter}`)).totals?.clicks]).toEqual([filter, 0])
  }
  expect((await get('/links?id=lnk_none&external_id=none')).data).toEqual([])
  expect((await get('/jobs?type=none')).data).toEqual([])
  expect((await ask('GET', '/links?domain=a/b')).status).toBe(422)
  expect((await ask('GET', '/links?status=none')).status).toBe(422)
})

test('without a rate limit no number is sent, with one all are', async () => {
  const names = (headers: Headers) => [...headers.keys()].filter((name) => /ratelimit/.test(name))
  expect(names((await ask('GET', '/me')).headers)).toEqual([])
  const limited = (await slugline.createKey({ workspace: 'Small', plan: 'free' })).key
  const answer = await slugline.call('GET', '/api/v1/me', { key: limited })
  expect(names(answer.headers).sort()).toEqual([
    ...['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit'],
    ...['x-ratelimit-remaining', 'x-ratelimit-reset'],
  ])
})

test('tags and folders have times, a version, and an entity tag of it', async () => {
  for (const [path, made] of [
    ['tags', tag],
    ['folders', folder],
  ]) {
    const now = await ask('GET', `/${path}/${made.id}`)
    const { version } = now.body
    expect(now.headers.get('etag')).toStartWith(`"${version}.`)
    expect(now.body).toMatchObject({
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      version: expect.any(Number),
    })
  }
})

test('a link by its external id: read, merged, changed and deleted', async () => {
  const path = '/links/external/crm-2'
  const body = { destination_url: 'https://example.com/2', title: 'Two' }
  expect((await ask('PUT', path, body)).status).toBe(201)
  const merged = await ask('PUT', path, { destination_url: 'https://example.com/3' })
  expect([merged.status, merged.body.title]).toEqual([200, 'Two'])
  expect((await get(path)).destination_url).toBe('https://example.com/3')
  expect((await ask('PATCH', path, { title: 'Three' })).body.title).toBe('Three')
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('DELETE', path)).code).toBe('LINK_NOT_FOUND')
})

test('add_tags and remove_tags change the tags that there are', async () => {
  const change = { add_tags: ['new'], remove_tags: ['ONE'] }
  const changed = await ask('PATCH', `/links/${link.id}`, change)
  expect(changed.body.tags).toEqual(['new'])
})

test('imports and jobs: lists, filters, and the result by type', async () => {
  const sent = await fetch(`${slugline.url}/api/v1/imports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
    body: 'destination_url,slug\nhttps://example.com/i,imported\n',
  })
  const { id } = (await sent.json()) as Any
  const job = await eventually('the import is done', async () => {
    const now = await get(`/imports/${id}`)
    return now.status === 'succeeded' ? now : undefined
  })
  expect(job).toMatchObject({ type: 'imports.file', result: { created: 1, refused: 0 } })
  expect((await get('/imports')).data.map((one: Any) => one.id)).toEqual([id])
  expect((await get('/jobs?type=imports.file&status=succeeded')).data).toHaveLength(1)
  expect((await get('/jobs?status=failed')).data).toEqual([])
})
