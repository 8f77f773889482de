import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createCursors } from '../../http/cursor.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestDashboard } from '../audit/testing/dashboard.ts'
import { addMisses, type MissedPath } from './missed-store.ts'
import { createMisses } from './misses.ts'
import type { Domain } from './schemas.ts'

const DAY_MS = 86_400_000
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let app: Awaited<ReturnType<typeof createTestDashboard>>
let key: string
let domain: Domain
let no: number

beforeEach(async () => {
  app = await createTestDashboard()
  const scopes = ['domains:read', 'domains:write', 'links:write']
  await app.storage.write(({ db }) =>
    db.updateTable('workspaces').set({ plan_id: 'big' }).execute(),
  )
  const made = await app.storage.write((tx) =>
    app.keys.create(tx, app.workspace.no, { name: 'k', scopes }, COMMAND_LINE),
  )
  key = made.key
  domain = (await app.withKey(key, 'POST', '/domains', { host: 'go.acme.example' })).body
  const { name, value } = domain.verification
  app.dns.set(name, [value])
  await app.withKey(key, 'POST', `/domains/${domain.id}/verify`)
  no = app.domains.noOf('go.acme.example') as number
})
afterEach(() => app.close())

function miss(path: string, agent = BROWSER, headers: Record<string, string> = {}, on = no): void {
  const request = new Request(`https://go.acme.example${path}`, {
    headers: { 'User-Agent': agent, ...headers },
  })
  app.misses.note(request, on)
}
const list = async (query = '', as = key) =>
  app.withKey(as, 'GET', `/domains/${domain.id}/misses${query}`)
const counts = async (query = '') =>
  (await list(query)).body.data.map(({ path, count }: MissedPath) => [path, count])

test('are counted by path, whatever its case, encoding and query', async () => {
  const first = new Date(app.clock.ms).toISOString()
  miss('/Sale%20Now?utm=1')
  app.clock.ms += 1_000
  miss('/sale%20now/')
  miss('/caf%C3%A9')
  await app.misses.write()
  miss('/cafe%CC%81?x')
  const last = new Date(app.clock.ms).toISOString()
  const { status, body } = await list()
  expect([status, body]).toEqual([
    200,
    {
      data: [
        { path: '/café', count: 2, first_at: last, last_at: last },
        { path: '/Sale Now', count: 2, first_at: first, last_at: last },
      ].sort((a, b) => (a.path < b.path ? -1 : 1)),
      pagination: { limit: 25, has_more: false, next_cursor: null },
    },
  ])
})

test('of several nodes add up', async () => {
  const nodes = [1, 2, 3].map(() => createMisses({ ...app, cursors: createCursors('any') }))
  const paths = Array.from({ length: 40 }, (_, i) => `/p${i}`)
  for (const [i, node] of nodes.entries()) {
    const order = i === 1 ? paths.toReversed() : paths
    for (const path of order) {
      const headers = { 'User-Agent': BROWSER }
      node.note(new Request(`https://go.acme.example${path}`, { headers }), no)
    }
  }
  await Promise.all(nodes.map((node) => node.write()))
  const all = await counts('?limit=100')
  expect(all.sort()).toEqual(paths.map((path) => [path, 3]).sort())
})

test('of browsers’ own files, previews, crawlers, and other methods are none; scripts count', async () => {
  for (const path of ['/', '/?a', '/favicon.ico', '/robots.txt', '/.well-known/x', '/Robots.TXT']) {
    miss(path)
  }
  miss('/a', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)')
  miss('/a', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)')
  miss('/a', BROWSER, { 'Sec-Purpose': 'prefetch' })
  app.misses.note(new Request('https://go.acme.example/a', { method: 'HEAD' }), no)
  miss('/a', 'okhttp/5.0')
  expect(await counts()).toEqual([['/a', 1]])
})

test('with control and invisible characters, broken escapes, and markup are shown safely', async () => {
  const paths = ['/a%00b', '/%E2%80%AEgpj', '/%ff%fe', '/<b>%22', '/%F0%9F%98%80']
  for (const path of paths) miss(path)
  const shown = (await counts('?sort=last_at')).map(([path]: string[]) => path)
  expect(shown.sort()).toEqual(
    ['/a%00b', '/%E2%80%AEgpj', '/%ff%fe', '/<b>"', '/😀'].sort((a, b) => (a < b ? -1 : 1)),
  )
})

test('are paged in both orders without repeating or losing any', async () => {
  for (let i = 0; i < 30; i++) {
    app.clock.ms++
    for (let times = 0; times <= i % 3; times++) miss(`/p${i}`)
  }
  for (const sort of ['count', 'last_at'] as const) {
    const seen: MissedPath[] = []
    let cursor = ''
    do {
      const { body } = await list(`?limit=7&sort=${sort}${cursor}`)
      seen.push(...body.data)
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : ''
    } while (cursor !== '')
    expect(new Set(seen.map(({ path }) => path)).size).toBe(30)
    const values = seen.map((one) => one[sort])
    expect(values).toEqual([...values].sort().reverse())
    const { body } = await list(`?limit=7&sort=${sort}`)
    const other = sort === 'count' ? 'last_at' : 'count'
    const strange = await list(`?sort=${other}&cursor=${body.pagination.next_cursor}`)
    expect(strange.status).toBe(400)
  }
})

test('that a link has in the meantime are left out', async () => {
  miss('/Sale')
  miss('/other')
  const link = {
    destination_url: 'https://example.com/',
    domain: 'go.acme.example',
    slug: 'sale',
  }
  expect((await app.withKey(key, 'POST', '/links', link)).status).toBe(201)
  expect(await counts()).toEqual([['/other', 1]])
})

test('are kept for 90 days after the last visit, and no longer', async () => {
  miss('/old')
  await app.misses.write()
  app.clock.ms += 60 * DAY_MS
  miss('/new')
  await app.misses.write()
  app.clock.ms += 30 * DAY_MS
  expect(await counts()).toEqual([['/new', 1]])
  await app.misses.purge()
  const rows = await app.storage.read.db.selectFrom('missed_paths').select('path').execute()
  expect(rows.map(({ path }) => path)).toEqual(['/new'])
})

test('of random paths drop others at once in memory, and rarer and older ones on disk', async () => {
  miss('/real')
  for (let i = 0; i < 2_000; i++) miss(`/random-${i}`)
  miss('/real')
  miss(`/${'x'.repeat(700)}`)
  expect(await counts()).toContainEqual(['/real', 2])
  expect(app.misses.dropped()).toBe(2_000 - 255 + 1)
  const row = (path: string, count: number, at: number): MissedPath => ({
    domain_no: no,
    path_key: path,
    path,
    count,
    first_at: at,
    last_at: at,
  })
  await app.storage.write(async (tx) => {
    await tx.db.deleteFrom('missed_paths').execute()
    const now = app.clock.ms
    await addMisses(tx, [row('a', 1, now), row('b', 5, now), row('c', 1, now + 1)], 3)
    await addMisses(tx, [row('d', 1, now + 2), row('e', 1, now + 3)], 3)
  })
  expect((await counts('?limit=100')).sort()).toEqual([
    ['b', 5],
    ['d', 1],
    ['e', 1],
  ])
})

test('of another workspace or an unknown domain are not found; keys need the scope', async () => {
  const links = await app.storage.write((tx) =>
    app.keys.create(tx, app.workspace.no, { name: 'l', scopes: ['links:read'] }, COMMAND_LINE),
  )
  expect((await list('', links.key)).status).toBe(403)
  expect((await app.withKey(key, 'GET', '/domains/dom_x/misses')).status).toBe(404)
  expect((await app.as('outsider', 'GET', `/domains/${domain.id}/misses`)).status).toBe(404)
  expect((await app.as('viewer', 'GET', `/domains/${domain.id}/misses`)).status).toBe(200)
})

test('are deleted with the domain, and not counted afterwards', async () => {
  miss('/gone')
  await app.misses.write()
  miss('/late')
  expect((await app.withKey(key, 'DELETE', `/domains/${domain.id}`)).status).toBe(204)
  await app.misses.write()
  expect(await app.storage.read.db.selectFrom('missed_paths').selectAll().execute()).toEqual([])
})

test('of the instance’s hosts are listed for its owner, and for nobody else', async () => {
  miss('/base', BROWSER, {}, 0)
  miss('/shared', BROWSER, {}, app.domains.noOf('go.example') as number)
  const paths = async (query: string) => {
    const { status, body } = await app.as('owner', 'GET', `/instance/misses${query}`)
    return status === 200 ? body.data.map(({ path }: MissedPath) => path) : status
  }
  expect(await paths('')).toEqual(['/base'])
  expect(await paths('?domain=go.example')).toEqual(['/shared'])
  expect(await paths('?domain=go.acme.example')).toBe(404)
  expect(await paths('?domain=nowhere.example')).toBe(404)
  expect((await app.as('admin', 'GET', '/instance/misses')).status).toBe(403)
})
