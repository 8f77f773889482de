import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Domain } from '../../src/features/domains/schemas.ts'
import { CADDY, startCaddy } from '../harness/caddy.ts'
import { startDns } from '../harness/dns.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const SCOPES = 'links:read,links:write,domains:read,domains:write'
const BROWSER = { 'user-agent': 'Mozilla/5.0', accept: 'text/html' }

let dns: Awaited<ReturnType<typeof startDns>>
let slugline: Slugline
let key: string
/** A key of another workspace. */
let other: string
/** Another node of the same instance if the store is shared; else another instance. */
let second: Slugline
let isSameInstance: boolean

beforeAll(async () => {
  dns = await startDns()
  const settings = {
    BASE_URL: 'https://sho.rt',
    SLUGLINE_DOMAINS: 'go.example',
    DNS_SERVERS: dns.server,
  }
  slugline = await startSlugline(settings)
  const { DATABASE_URL, REDIS_URL } = slugline.env
  isSameInstance = DATABASE_URL !== undefined
  second = await startSlugline({
    ...settings,
    ...(DATABASE_URL !== undefined && { DATABASE_URL }),
    ...(REDIS_URL !== undefined && { REDIS_URL }),
  })
  key = (await slugline.createKey({ workspace: 'acme', scopes: SCOPES })).key
  other = (await slugline.createKey({ workspace: 'other', scopes: SCOPES })).key
})
afterAll(async () => {
  await second?.dispose()
  await slugline?.dispose()
  dns?.close()
})

async function call(method: string, path: string, body?: unknown, as = key, at = slugline) {
  const answer = await at.call(method, `/api/v1${path}`, { key: as, body })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}
async function active(host: string, settings = {}, as = key, at = slugline): Promise<Domain> {
  const { status, body } = await call('POST', '/domains', { host, ...settings }, as, at)
  expect([status, body]).toMatchObject([201, {}])
  dns.records.set(body.verification.name, ['v=spf1 -all', body.verification.value])
  const verified = await call('POST', `/domains/${body.id}/verify`, undefined, as, at)
  expect(verified.body).toMatchObject({ status: 'active' })
  return verified.body
}
/** Caddy's request before it gets a certificate. */
const asked = async (host: string, at = slugline) =>
  (await fetch(`${at.url}/.well-known/slugline/host?domain=${host}`)).status
const visit = (host: string, path: string, init: RequestInit = {}, at = slugline) =>
  fetch(at.url + path, {
    redirect: 'manual',
    ...init,
    headers: { ...BROWSER, ...(init.headers as Record<string, string>), host },
  })
const leadsTo = async (host: string, path: string) => {
  const { status, headers } = await visit(host, path)
  return [status, headers.get('location')]
}

test('a verified host is served, and the proxy may get a certificate for it', async () => {
  const { body: pending } = await call('POST', '/domains', { host: 'one.example' })
  expect([await asked('one.example'), await asked('go.example')]).toEqual([404, 200])
  const looked = await call('POST', `/domains/${pending.id}/verify`)
  expect(looked.body.verification.found).toEqual([])
  dns.failing.add(pending.verification.name)
  const failed = await call('POST', `/domains/${pending.id}/verify`)
  expect(failed.body).toMatchObject({ status: 'pending', verification: { error: 'ESERVFAIL' } })
  dns.failing.clear()
  dns.records.set(pending.verification.name, [pending.verification.value])
  expect((await call('POST', `/domains/${pending.id}/verify`)).body.status).toBe('active')
  expect(await asked('one.example')).toBe(200)
  const link = { destination_url: 'https://example.com/', slug: 'x', domain: 'one.example' }
  expect((await call('POST', '/links', link)).body.short_url).toBe('https://one.example/x')
  expect(await leadsTo('one.example', '/x')).toEqual([302, 'https://example.com/'])
  expect(await leadsTo('one.example:8443', '/X')).toEqual([302, 'https://example.com/'])
  expect((await leadsTo('go.example', '/x'))[0]).toBe(404)
})

test('the setup says what is missing, on the command line too', async () => {
  dns.hosts.set('sho.rt', [{ type: 'A', value: '203.0.113.7' }])
  dns.hosts.set('setup.example', [{ type: 'A', value: '127.0.0.1' }])
  const domain = await active('setup.example')
  const { status, body } = await call('GET', `/domains/${domain.id}/setup`)
  expect([status, body]).toMatchObject([
    200,
    {
      ready: false,
      verification: { status: 'done' },
      dns: {
        error: 'ANOTHER_ADDRESS',
        expected: [
          { type: 'CNAME', value: 'sho.rt' },
          { type: 'A', value: '203.0.113.7' },
        ],
        found: [{ type: 'A', value: '127.0.0.1' }],
      },
      // A loopback address isn't called.
      connection: { error: 'UNREACHABLE' },
    },
  ])
  const told = await slugline.cli('domains', 'check', domain.id, '--json')
  const { checked_at: _, ...steps } = body
  expect([told.status, JSON.parse(told.stdout)]).toMatchObject([1, steps])
  expect((await slugline.cli('domains', 'check', domain.id)).stdout).toMatch(/^dns +failed +ANOT/m)
  // Any other host has no proof.
  const proof = '/.well-known/slugline/domain'
  const [own, shared] = await Promise.all([visit('setup.example', proof), visit('sho.rt', proof)])
  expect([own.status, shared.status]).toEqual([200, 404])
  expect(await own.text()).toMatch(/^[\w-]{43}$/)
})

test('nodes share hosts only if they are one instance', async () => {
  const as = isSameInstance
    ? other
    : (await second.createKey({ workspace: 'w', scopes: SCOPES })).key
  const domain = await active('two.example', {}, as, second)
  const link = { destination_url: 'https://example.net/', slug: 'x', domain: domain.host }
  expect((await call('POST', '/links', link, as, second)).status).toBe(201)
  const [location] = [(await visit('two.example', '/x', {}, second)).headers.get('location')]
  expect([await asked('two.example', second), location]).toEqual([200, 'https://example.net/'])
  if (!isSameInstance) {
    expect([await asked('two.example'), await asked('one.example', second)]).toEqual([404, 404])
    return
  }
  await eventually('the first node knows it', async () =>
    (await asked('two.example')) === 200 ? true : undefined,
  )
  expect((await call('GET', `/domains/${domain.id}`)).status).toBe(404)
  expect((await call('DELETE', `/domains/${domain.id}`, undefined, as)).body.error.code).toBe(
    'DOMAIN_IN_USE',
  )
})

test('its pages redirect and are branded as configured', async () => {
  const domain = await active('site.example', {
    root_url: 'https://example.com/home',
    not_found_url: 'https://example.com/missing?from=links',
    expired_url: 'https://example.com/over',
    brand: { name: 'Acme & Söhne', logo: 'https://cdn.example.com/l.png', color: '#0b6e4f' },
  })
  const on = { destination_url: 'https://example.com/', domain: domain.host }
  await call('POST', '/links', { ...on, slug: 'off', enabled: false })
  await call('POST', '/links', {
    ...on,
    slug: 'back',
    enabled: false,
    fallback_url: 'https://b.example/',
  })
  await call('POST', '/links', { ...on, slug: 'locked', password: 'secret' })
  expect(await leadsTo('site.example', '/')).toEqual([302, 'https://example.com/home'])
  expect(await leadsTo('site.example', '/none')).toEqual([
    ...[302, 'https://example.com/missing?from=links'],
  ])
  expect(await leadsTo('site.example', '/off')).toEqual([302, 'https://example.com/over'])
  expect(await leadsTo('site.example', '/back')).toEqual([302, 'https://b.example/'])
  // Programs get the actual error; previews are shown.
  const json = await visit('site.example', '/none', { headers: { accept: 'application/json' } })
  expect([json.status, ((await json.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    'LINK_NOT_FOUND',
  ])
  const page = await visit('site.example', '/locked')
  const html = await page.text()
  expect([page.status, html.length < 15_000]).toEqual([200, true])
  expect(html).toContain(
    '<header><img src="https://cdn.example.com/l.png" alt=""><bdi>Acme &amp; Söhne</bdi></header>',
  )
  expect(html).not.toContain('<script')
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("img-src 'self' https://cdn.example.com;")
  for (const [, style] of html.matchAll(/<style>(.*?)<\/style>/gs)) {
    const hash = new Bun.CryptoHasher('sha256').update(style as string).digest('base64')
    expect(policy).toContain(`'sha256-${hash}'`)
  }
  const settings = { root_url: null, not_found_url: null, expired_url: null, brand: null }
  await call('PATCH', `/domains/${domain.id}`, settings)
  const plain = await visit('site.example', '/none')
  expect([plain.status, await plain.text()]).toEqual([404, expect.stringContaining('Slugline')])
  expect((await leadsTo('site.example', '/off'))[0]).toBe(410)
  expect((await leadsTo('site.example', '/'))[0]).toBe(200)
})

test('it has its own robots.txt, favicon and app links', async () => {
  const apple = { applinks: { details: [{ appIDs: ['ABCDE12345.com.example.app'] }] } }
  const statement = {
    relation: ['delegate_permission/common.handle_all_urls'],
    target: {
      namespace: 'android_app',
      package_name: 'com.example',
      sha256_cert_fingerprints: ['AB:CD'],
    },
  }
  const { id, host } = await active('files.example', {
    ...{ robots: 'none', apple_app_site_association: apple, assetlinks: [statement] },
    brand: { logo: true },
  })
  const text = async (path: string) => {
    const answer = await visit(host, path)
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  expect(await text('/robots.txt')).toEqual([200, 'text/plain', 'User-agent: *\nDisallow: /\n'])
  const [status, type, body] = await text('/.well-known/apple-app-site-association')
  expect([status, type, JSON.parse(body as string)]).toEqual([200, 'application/json', apple])
  const links = await text('/.well-known/assetlinks.json')
  expect([links[0], links[1], JSON.parse(links[2] as string)]).toEqual([
    ...[200, 'application/json', [statement]],
  ])
  expect((await text('/favicon.ico'))[0]).toBe(404)
  const image =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  expect((await call('PUT', '/logo', { image })).status).toBe(200)
  expect((await text('/favicon.ico')).slice(0, 2)).toEqual([200, 'image/png'])
  // Shared statistics of its links have its brand too.
  const link = { destination_url: 'https://example.com/', domain: host }
  const subject = { link_id: (await call('POST', '/links', link)).body.id }
  const { body: share } = await call('POST', '/shares', { subject, show: ['links'] })
  const about = await visit('sho.rt', `${new URL(share.url).pathname}/about`)
  const data = (await about.json()) as { link: { brand: object } }
  expect(data.link.brand).toEqual({
    ...{ name: null, color: null },
    logo: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
  })
  const cleared = { robots: 'Sitemap: https://example.com/', assetlinks: null, brand: null }
  await call('PATCH', `/domains/${id}`, cleared)
  expect((await text('/robots.txt'))[2]).toBe('Sitemap: https://example.com/')
  expect((await text('/.well-known/assetlinks.json'))[0]).toBe(404)
  // Shared hosts have only a robots.txt, which leaves links to services that unfurl them.
  for (const shared of ['go.example', 'sho.rt']) {
    const robots = await visit(shared, '/robots.txt')
    expect([robots.status, await robots.text()]).toEqual([
      ...[200, 'User-agent: *\nDisallow: /api/\nDisallow: /app/\n'],
    ])
    expect((await visit(shared, '/robots.txt', { method: 'POST' })).status).toBe(405)
    expect((await visit(shared, '/favicon.ico')).status).toBe(404)
  }
  expect((await visit(host, '/robots.txt', { method: 'POST' })).status).toBe(405)
})

test('redirects aren’t indexed, except on domains that allow robots', async () => {
  const { id, host } = await active('indexed.example')
  const made: string[] = []
  for (const domain of [undefined, 'go.example', host]) {
    for (const redirect_status of [302, 301]) {
      const link = { destination_url: 'https://example.com/', domain, redirect_status }
      made.push((await call('POST', '/links', link)).body.short_url)
    }
  }
  const tags = () =>
    Promise.all(
      made.map(async (url) => {
        const { hostname, pathname } = new URL(url)
        const answer = await visit(hostname, pathname)
        expect([301, 302]).toContain(answer.status)
        return answer.headers.get('x-robots-tag')
      }),
    )
  const shared = Array(4).fill('noindex')
  expect(await tags()).toEqual([...shared, null, null])
  for (const robots of ['none', 'User-agent: *']) {
    await call('PATCH', `/domains/${id}`, { robots })
    expect(await tags()).toEqual([...shared, 'noindex', 'noindex'])
  }
  await call('PATCH', `/domains/${id}`, { robots: null })
  expect(await tags()).toEqual([...shared, null, null])
})

test('slugs can be case-sensitive there', async () => {
  const { id, host } = await active('case.example', { case_sensitive: true })
  const on = (slug: string) => ({
    destination_url: `https://example.com/${slug}`,
    slug,
    domain: host,
  })
  for (const slug of ['Ab', 'aB']) expect((await call('POST', '/links', on(slug))).status).toBe(201)
  expect(await leadsTo(host, '/Ab')).toEqual([302, 'https://example.com/Ab'])
  expect(await leadsTo(host, '/aB')).toEqual([302, 'https://example.com/aB'])
  expect((await leadsTo(host, '/ab'))[0]).toBe(404)
  const refused = await call('PATCH', `/domains/${id}`, { case_sensitive: false })
  expect(refused.body.error.details[0].code).toBe('SLUGS_COLLIDE')
})

test('it serves no path of the dashboard or the API', async () => {
  const { host } = await active('plain.example')
  for (const path of ['/app', '/api/v1/plans', '/docs', '/livez', '/metrics']) {
    expect([path, (await visit(host, path)).status]).toEqual([path, 404])
  }
})

test('of two workspaces that race for a host one gets it', async () => {
  const claims = await Promise.all(
    [key, other].map((as) => call('POST', '/domains', { host: 'race.example' }, as)),
  )
  const [name] = claims.map(({ body }) => body.verification.name)
  dns.records.set(
    name,
    claims.map(({ body }) => body.verification.value),
  )
  const at = isSameInstance ? second : slugline
  const answers = await Promise.all([
    call('POST', `/domains/${claims[0]?.body.id}/verify`, undefined, key),
    call('POST', `/domains/${claims[1]?.body.id}/verify`, undefined, other, at),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('DOMAIN_TAKEN')
})

test('a dry run claims nothing', async () => {
  const path = '/domains?dry_run=true'
  expect((await call('POST', path, { host: 'dry.example' })).status).toBe(201)
  expect((await call('POST', path, { host: 'dry.example' })).status).toBe(201)
})

test.skipIf(CADDY === null)(
  'Caddy gets certificates for what they serve alone (needs caddy)',
  async () => {
    const as = isSameInstance
      ? other
      : (await second.createKey({ workspace: 'caddy', scopes: SCOPES })).key
    const hosts = [
      (await active('caddy-one.example')).host,
      (await active('caddy-two.example', {}, as, second)).host,
    ] as const
    const link = { destination_url: 'https://example.com/', slug: 'c' }
    await call('POST', '/links', { ...link, domain: hosts[0] })
    await call('POST', '/links', { ...link, domain: hosts[1] }, as, second)
    const nodes = [slugline.url, second.url]
    const proxies = isSameInstance
      ? [await startCaddy(nodes)]
      : await Promise.all(nodes.map((node) => startCaddy([node])))
    try {
      if (isSameInstance) {
        await eventually('all nodes know both', async () => {
          const known = hosts.flatMap((host) => [asked(host), asked(host, second)])
          return (await Promise.all(known)).every((status) => status === 200) ? true : undefined
        })
      }
      for (const [n, host] of hosts.entries()) {
        const own = proxies[isSameInstance ? 0 : n]
        expect(await own?.visit(host, '/c')).toEqual({
          status: 302,
          location: link.destination_url,
        })
        expect((await own?.visit(host, '/none'))?.status).toBe(404)
        expect((await own?.visit(host, '/.well-known/slugline/host'))?.status).toBe(404)
      }
      const refused = isSameInstance ? [] : [proxies[1]?.visit(hosts[0], '/c')]
      refused.push(proxies[0]?.visit('evil.example', '/c'))
      const outcomes = await Promise.allSettled(refused)
      expect(outcomes.map(({ status }) => status)).toEqual(refused.map(() => 'rejected'))
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    }
  },
)
