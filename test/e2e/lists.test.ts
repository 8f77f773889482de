import { afterAll, beforeAll, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import { Browser } from '../../src/features/accounts/testing/browser.ts'
import dashboardApi from '../../web/openapi.json'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const PASSWORD = 'a password of enough words'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0'
const SCOPES =
  'links:read,links:write,domains:read,domains:write,keys:write,webhooks:read,webhooks:write'

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Any = any
interface List {
  data: Any[]
  pagination: { limit: number; has_more: boolean; next_cursor: string | null; total?: number }
}

/** Requests to reading endpoints of both documents that answer with a list. */
const LISTS = [openapi, dashboardApi].flatMap((document: Any) => {
  const at = (value: Any): Any =>
    value?.$ref === undefined
      ? value
      : at(
          value.$ref
            .slice(2)
            .split('/')
            .reduce((part: Any, name: string) => part[name], document),
        )
  return Object.entries<Any>(document.paths).flatMap(([path, { get }]) => {
    const schema = at(at(get?.responses[200])?.content?.['application/json']?.schema)
    expect([path, schema?.type]).not.toEqual([path, 'array'])
    const data = at(schema?.properties?.data)
    // Top values have all others in `other`, instead of pages; the feed of events has `after`.
    const isTop = schema?.properties?.other !== undefined
    const isFeed = path.endsWith('/api/v1/events')
    if (data?.type !== 'array' || isTop || isFeed) return []
    const parameters = (get.parameters ?? []).map(at).map(({ name }: Any) => name)
    const pagination = Object.keys(at(schema.properties.pagination)?.properties ?? {})
    return [{ path, parameters, pagination }]
  })
})

test('every list of both documents takes limit and cursor, and answers with pagination', () => {
  expect(LISTS.length).toBeGreaterThan(35)
  for (const { path, parameters, pagination } of LISTS) {
    expect([path, parameters]).toEqual([path, expect.arrayContaining(['limit', 'cursor'])])
    const members = ['limit', 'has_more', 'next_cursor']
    expect([path, pagination]).toEqual([path, expect.arrayContaining(members)])
  }
})

let slugline: Slugline
let browser: Browser
let key: string
const ids: Record<string, string> = {}
let receiver: ReturnType<typeof Bun.serve>

async function made(method: string, path: string, body?: object): Promise<Any> {
  const seen = await browser.send(method, `/app/api/v1${path}`, body)
  expect([path, seen.status < 300, seen.body]).toEqual([path, true, seen.body])
  return seen.body
}

async function twice(path: string, body: (n: number) => object): Promise<Any> {
  await made('POST', path, body(1))
  return made('POST', path, body(2))
}

beforeAll(async () => {
  receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('ok') })
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const person = (name: string) => ['--email', `${name}@example.com`]
  const create = (...rest: string[]) =>
    slugline.cli('users', 'create', '--password', PASSWORD, ...rest)
  await create(...person('owner'), '--workspace', 'Acme')
  await create(...person('other'), '--workspace', 'Other')
  await slugline.cli('workspaces', 'set-plan', 'Acme', 'unlimited')
  await slugline.cli('users', 'join', 'other@example.com', '--workspace', 'Acme')
  key = (await slugline.createKey({ workspace: 'Acme', scopes: SCOPES })).key
  const app = {
    fetch: (request: Request) => {
      const { pathname, search } = new URL(request.url)
      return fetch(new Request(slugline.url + pathname + search, request))
    },
  }
  browser = new Browser(slugline.url, app, '192.0.2.1')
  expect((await browser.signIn('owner@example.com', PASSWORD)).status).toBe(200)
  await seed()
})
afterAll(async () => {
  await slugline?.dispose()
  await receiver?.stop(true)
})

async function seed(): Promise<void> {
  const destination_url = 'https://example.com/'
  const link = await twice('/links', (n) => ({ destination_url, slug: `link-${n}` }))
  for (const title of ['one', 'two']) await made('PATCH', `/links/${link.id}`, { title })
  for (const slug of ['gone-1', 'gone-2']) {
    const { id } = await made('POST', '/links', { destination_url, slug })
    await made('DELETE', `/links/${id}`)
  }
  await twice('/tags', (n) => ({ name: `tag-${n}` }))
  await twice('/folders', (n) => ({ name: `Folder ${n}` }))
  ids.domain = (await twice('/domains', (n) => ({ host: `go-${n}.example` }))).id
  await twice('/shares', () => ({ subject: { link_id: link.id } }))
  await twice('/keys', (n) => ({ name: `key ${n}`, scopes: ['links:read'] }))
  await twice('/utm-templates', (n) => ({ name: `Template ${n}`, source: 'a' }))
  await twice('/views', (n) => ({ name: `View ${n}` }))
  await twice('/invitations', (n) => ({ email: `new-${n}@example.com`, role: 'viewer' }))
  const types = ['tag.created', 'tag.deleted']
  const hook = await twice('/webhooks', (n) => ({
    ...{ url: `http://127.0.0.1:${receiver.port}/${n}`, types },
  }))
  ids.webhook = hook.id
  await made('POST', `/webhooks/${hook.id}/test`)
  await eventually('the samples are sent', async () => {
    const { data } = await made('GET', `/webhooks/${hook.id}/deliveries?status=succeeded`)
    return data.length === types.length ? true : undefined
  })
  await twice('/instance/blocks', (n) => ({
    ...{ kind: 'destination_host', value: `bad-${n}.example`, reason: 'Phishing' },
  }))
  const rows = 'destination_url\nhttps://example.com/a\nhttps://example.com/b\n'
  for (const _ of [1, 2]) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/csv' }
    const sent = { method: 'POST', headers, body: rows }
    ids.import = ((await (await fetch(`${slugline.url}/api/v1/imports`, sent)).json()) as Any).id
    await eventually('the import is done', async () =>
      (await made('GET', `/jobs/${ids.import}`)).status === 'succeeded' ? true : undefined,
    )
  }
  ids.link = link.id
  for (const slug of ['link-1', 'link-2']) {
    const report = { method: 'POST', body: new URLSearchParams({ report: 'Phishing' }) }
    expect((await fetch(`${slugline.url}/${slug}+`, report)).status).toBe(200)
    for (const _ of [1, 2]) {
      const visit = { headers: { 'user-agent': FIREFOX }, redirect: 'manual' } as const
      await fetch(`${slugline.url}/${slug}`, visit)
    }
  }
  await eventually('the clicks are stored', async () => {
    const clicks = await browser.get('/app/api/v1/clicks')
    return clicks.status === 200 && clicks.body.data.length === 4 ? true : undefined
  })
}

async function read(path: string, query: string): Promise<List> {
  if (path.startsWith('/app')) return (await browser.get(`${path}?${query}`)).body
  return (await (await slugline.call('GET', `${path}?${query}`, { key })).json()) as List
}

test('a walk of any list by limit=1 finds every item once, in order', async () => {
  for (const { path } of LISTS) {
    const kind = /\/(import|domain|webhook)s\/\{id/.exec(path)?.[1] ?? 'link'
    const filled = path.replace('{id}', ids[kind] as string)
    const whole = await read(filled, 'limit=100')
    expect([path, whole.pagination?.has_more]).toEqual([path, false])
    // No domain is verified here, so none misses visits.
    if (path.endsWith('/misses')) continue
    expect([path, whole.data.length > 1]).toEqual([path, true])
    const walked: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(filled, `limit=1${cursor && `&cursor=${cursor}`}`)
      expect([path, page.data?.length, page.pagination.limit]).toEqual([path, 1, 1])
      const { next_cursor, has_more, total } = page.pagination
      expect(has_more).toBe(next_cursor !== null)
      if (total !== undefined) expect([path, total]).toEqual([path, whole.data.length])
      walked.push(...page.data)
      cursor = next_cursor
    }
    expect([path, walked]).toEqual([path, whole.data])
    const forged = await read(filled, 'cursor=AAAA')
    expect([path, (forged as Any).error?.code]).toEqual([path, 'BAD_REQUEST'])
    const tooMany = await read(filled, 'limit=101')
    expect([path, (tooMany as Any).error?.code]).toEqual([path, 'VALIDATION_FAILED'])
  }
})
