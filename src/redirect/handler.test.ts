import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLICK_FLAGS, journalDirectory } from '../clicks/index.ts'
import type { ClickRecord } from '../clicks/record.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { StorageUnavailable } from '../platform/storage/index.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { BROWSER, CRAWLER, openSite, type Site } from './testing/site.ts'

let dir: string
let site: Site
let now: number
const clock = { now: () => now }

beforeEach(async () => {
  now = 1_700_000_000_000
  dir = mkdtempSync(join(tmpdir(), 'slugline-redirect-'))
  await copyMigrated(dir)
  site = await openSite(dir, { clock })
})

afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

/** The number of clicks in the journal. */
async function clicks(seq: number): Promise<number> {
  await site.count()
  return (await site.countersOf(seq))?.total ?? 0
}

const REQUEST_ID = /^req_[0-9a-z]{26}$/

describe('a plain link', () => {
  test('redirects visitors with exactly these headers, and counts them', async () => {
    const seq = await site.addLink({
      slug: 'Spring',
      target_url: 'https://e.com/a%2Bb?q=%F0%9F%98%80#"',
    })
    const response = await site.visit('/spring?utm_source=x')
    expect(response.status).toBe(302)
    expect(await response.text()).toBe('')
    expect(Object.fromEntries(response.headers)).toEqual({
      location: 'https://e.com/a%2Bb?q=%F0%9F%98%80#"',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'x-request-id': expect.stringMatching(REQUEST_ID),
    })
    expect(await clicks(seq)).toBe(1)
  })

  test('has a body only for clients that accept HTML: a link, escaped', async () => {
    const target = 'https://e.com/?a=1&b="<i>'
    await site.addLink({ slug: 'a', target_url: target })
    const html = await site.visit('/a', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html.headers.get('x-content-type-options')).toBe('nosniff')
    const escaped = 'https://e.com/?a=1&amp;b=&quot;&lt;i&gt;'
    expect(await html.text()).toBe(`<a href="${escaped}">${escaped}</a>`)
    const plain = await site.visit('/a', { headers: { accept: '*/*' } })
    expect(await plain.text()).toBe('')
    expect(plain.headers.has('content-type')).toBe(false)
  })

  test.each([
    [301, 'private, max-age=90'],
    [302, 'private, no-store'],
    [307, 'private, no-store'],
    [308, 'private, max-age=90'],
  ])('with status %i is cached as "%s"', async (redirect_status, cache) => {
    await site.addLink({ slug: 'a', redirect_status })
    const response = await site.visit('/a')
    expect(response.status).toBe(redirect_status)
    expect(response.headers.get('cache-control')).toBe(cache)
    expect(response.headers.get('vary')).toBe(cache.endsWith('no-store') ? null : 'Accept')
  })

  test('responds to HEAD likewise, without counting', async () => {
    const seq = await site.addLink({ slug: 'a' })
    const [get, head] = [await site.visit('/a'), await site.visit('/a', { method: 'HEAD' })]
    get.headers.delete('x-request-id')
    head.headers.delete('x-request-id')
    expect(head.status).toBe(get.status)
    expect([...head.headers]).toEqual([...get.headers])
    expect(await clicks(seq)).toBe(1)
  })

  test.each(['/straße', '/STRASSE', '/stra%C3%9Fe', '/Straße/', '/strasse?x=1#f'])(
    'is found as %s',
    async (path) => {
      await site.addLink({ slug: 'Straße' })
      expect((await site.visit(path)).status).toBe(302)
    },
  )

  test('is found by its aliases', async () => {
    await site.addLink({ slug: 'new', aliases_typed: ['old'] })
    expect((await site.visit('/OLD')).status).toBe(302)
  })

  test('reflects an edit and a deletion with the next visit', async () => {
    const seq = await site.addLink({ slug: 'a' })
    await site.visit('/a')
    await site.storage.write(({ db }) =>
      db.updateTable('slugs').set({ target_url: 'https://e.com/new' }).execute(),
    )
    expect((await site.visit('/a')).headers.get('location')).toBe('https://e.com/new')
    await site.storage.write(({ db }) =>
      db.updateTable('slugs').set({ target_url: null, link_seq: null }).execute(),
    )
    expect((await site.visit('/a')).status).toBe(404)
    expect(await clicks(seq)).toBe(2)
  })
})

describe('a missing link', () => {
  test.each([
    '/nothing',
    '/a/b',
    '//',
    '/%zz',
    '/%ff',
    '/%00',
    '/+',
    '/a.b',
    `/${'x'.repeat(9_000)}`,
  ])('%s is 404', async (path) => {
    const response = await site.visit(path, { headers: { 'accept-language': 'ar' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('x-request-id')).toMatch(REQUEST_ID)
    expect(response.headers.get('content-language')).toBe('ar')
    expect(response.headers.get('vary')).toContain('Accept-Language')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const html = await response.text()
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html.length).toBeLessThan(15_000)
    expect(html).not.toContain('<script')
  })

  test('is a JSON error for clients that prefer it, in the requested language', async () => {
    const headers = { accept: 'application/json', 'accept-language': 'de' }
    const response = await site.visit('/nothing?lang=fr', { headers })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-language')).toBe('fr')
    const body = (await response.json()) as Record<string, unknown>
    expect(body).toEqual({
      error: {
        code: 'LINK_NOT_FOUND',
        message: expect.any(String),
        request_id: response.headers.get('x-request-id'),
      },
    })
  })

  test('is problem+json for clients that accept nothing else', async () => {
    const response = await site.visit('/x', { headers: { accept: 'application/problem+json' } })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      title: 'Not Found',
      status: 404,
      code: 'LINK_NOT_FOUND',
    })
  })

  test('every page forbids scripts and frames, and allows its style by hash', async () => {
    const response = await site.visit('/nothing')
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(part)
    }
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const style = /<style>(.*)<\/style>/s.exec(await response.text())?.[1] ?? ''
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(policy).toContain(`'sha256-${hash}'`)
  })

  test('the root of the instance redirects to its dashboard', async () => {
    const response = await site.visit('/')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toEndWith('/app')
  })
})

describe('other methods', () => {
  test.each(['PUT', 'DELETE', 'PATCH', 'POST'])('%s is 405', async (method) => {
    await site.addLink({ slug: 'a' })
    const response = await site.visit('/a', { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  test('OPTIONS is 204', async () => {
    const response = await site.visit('/a', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })
})

describe('a link with conditions', () => {
  test('that hasn’t started says when it will', async () => {
    await site.addLink({ slug: 'a', starts_at: Date.UTC(2099, 4, 3) })
    const headers = { accept: 'text/html', 'accept-language': 'en' }
    expect(await (await site.visit('/a', { headers })).text()).toContain('2099')
    await site.addLink({ slug: 'b', enabled: 0, starts_at: Date.UTC(2099, 4, 3) })
    expect(await (await site.visit('/b', { headers })).text()).not.toContain('2099')
  })

  test.each([
    ['LINK_DISABLED', 410, { enabled: 0 }],
    ['LINK_BLOCKED', 410, { block: '{"id":"blk_test"}' }],
    ['LINK_NOT_FOUND', 404, { starts_at: 1_700_000_000_001 }],
    ['LINK_EXPIRED', 410, { expires_at: 1_700_000_000_000 }],
    ['LINK_EXHAUSTED', 410, { max_clicks: 3, uses: 3 }],
  ])('%s', async (code, status, values) => {
    const seq = await site.addLink({ slug: 'a', ...values })
    for (const method of ['GET', 'HEAD']) {
      expect((await site.visit('/a', { method })).status).toBe(status)
    }
    expect((await site.visit('/a+')).status).toBe(status)
    const json = await site.visit('/a', { headers: { accept: 'application/json' } })
    expect(json.status).toBe(status)
    expect(await json.json()).toMatchObject({ error: { code } })
    const preview = await site.visit('/a+', { headers: { accept: 'application/json' } })
    expect(preview.status).toBe(status)
    expect(preview.headers.get('content-type')).toBe('application/json')
    expect(await preview.json()).toMatchObject({ error: { code } })
    expect(await clicks(seq)).toBe(0)
  })

  test('is open from its start until its end', async () => {
    await site.addLink({ slug: 'a', starts_at: now, expires_at: now + 10 })
    expect((await site.visit('/a')).status).toBe(302)
    now += 9
    expect((await site.visit('/a')).status).toBe(302)
    now += 1
    expect((await site.visit('/a')).status).toBe(410)
    now -= 11
    expect((await site.visit('/a')).status).toBe(404)
  })

  test('has a fallback, except when it is blocked', async () => {
    const fallback_url = 'https://bücher.example/ü'
    const seq = await site.addLink({ slug: 'a', enabled: 0, redirect_status: 301, fallback_url })
    const response = await site.visit('/a')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('https://xn--bcher-kva.example/%C3%BC')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await clicks(seq)).toBe(0)
    await site.addLink({ slug: 'b', block: '{"id":"blk_test"}', fallback_url })
    expect((await site.visit('/b')).status).toBe(410)
  })

  test('forwards the query byte for byte, including lang', async () => {
    await site.addLink({ slug: 'a', target_url: 'https://e.com/p?x=1#f', forward_query: 1 })
    const response = await site.visit("/a?lang=de&b=%2B+'&c=%zz")
    expect(response.headers.get('location')).toBe('https://e.com/p?x=1&lang=de&b=%2B+%27&c=%zz#f')
  })
})

describe('a scanned code', () => {
  /** Bits of `how` of the clicks in the journal. */
  const taken = () => {
    const bits: number[] = []
    const add = (record: ClickRecord) => void bits.push(record[3])
    readJournal(journalDirectory(dir), { segment: 0, offset: 0 }, () => true, add)
    return bits
  }

  test('is distinguished from a click by exactly its marker', async () => {
    await site.addLink({ slug: 'a' })
    for (const query of ['', '?qr=1', '?x=2&qr=1', '?qr=2', '?qr', '?q%72=1', '?xqr=1']) {
      expect((await site.visit(`/a${query}`)).status).toBe(302)
    }
    expect(taken()).toEqual([0, CLICK_FLAGS.qr, CLICK_FLAGS.qr, 0, 0, 0, 0])
  })

  test.each([
    ['?qr=1', '?own=1'],
    ['?a=%2B&qr=1&b=+&&c', '?own=1&a=%2B&b=+&&c'],
    ['?qr=2&QR=1', '?own=1&qr=2&QR=1'],
  ])('%s is forwarded as %s', async (query, forwarded) => {
    await site.addLink({ slug: 'a', forward_query: 1, target_url: 'https://e.com/?own=1' })
    const { headers } = await site.visit(`/a${query}`)
    expect(headers.get('location')).toBe(`https://e.com/${forwarded}`)
  })

  test("keeps the destination's own parameter of that name", async () => {
    await site.addLink({ slug: 'a', forward_query: 1, target_url: 'https://e.com/?qr=1' })
    expect((await site.visit('/a?qr=1')).headers.get('location')).toBe('https://e.com/?qr=1')
  })

  test('stays one after the preview’s button', async () => {
    await site.addLink({ slug: 'a' })
    expect(await (await site.visit('/a+?qr=1')).text()).toContain('href="/a?qr=1"')
    expect(await (await site.visit('/a+?qr=2')).text()).toContain('href="/a"')
  })

  test('of an expired link redirects to its fallback, and isn’t a click', async () => {
    await site.addLink({ slug: 'a', enabled: 0, fallback_url: 'https://e.com/over' })
    const { headers } = await site.visit('/a?qr=1')
    expect(headers.get('location')).toBe('https://e.com/over')
    expect(taken()).toEqual([])
  })
})

describe('a limited link', () => {
  test('redirects exactly as many people, not counting bots and HEAD', async () => {
    const seq = await site.addLink({ slug: 'a', max_clicks: 100 })
    const answers = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        // Spread over event-loop turns and commits.
        for (let turn = 0; turn < i % 17; turn++) await new Promise((next) => setImmediate(next))
        const kind = i % 5 === 3 ? 'bot' : i % 5 === 4 ? 'head' : 'person'
        const agent = kind === 'bot' ? CRAWLER : BROWSER
        const method = kind === 'head' ? 'HEAD' : 'GET'
        const { status } = await site.visit('/a', { method, headers: { 'user-agent': agent } })
        return { kind, status }
      }),
    )
    const people = answers.filter(({ kind }) => kind === 'person')
    expect(people.filter(({ status }) => status === 302)).toHaveLength(100)
    expect(people.filter(({ status }) => status === 410)).toHaveLength(people.length - 100)
    await site.count()
    expect((await site.countersOf(seq))?.human).toBe(100)
    const row = await site.storage.read.db.selectFrom('links').select('uses').executeTakeFirst()
    expect(row?.uses).toBe(100)
    for (const init of [{ method: 'HEAD' }, { headers: { 'user-agent': CRAWLER } }]) {
      expect((await site.visit('/a', init)).status).toBe(410)
    }
  })

  test('is unavailable, not open, when a use can’t be taken', async () => {
    await site.close()
    const storage = { write: () => Promise.reject(new StorageUnavailable('full')) }
    site = await openSite(dir, { clock, storage })
    await site.addLink({ slug: 'a', max_clicks: 1 })
    const response = await site.visit('/a')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })
})

describe('the preview', () => {
  test('shows the destination, escaped, in both forms of its host, and counts nothing', async () => {
    const target_url = 'https://xn--mnchen-3ya.de/?a=<b>&"'
    const seq = await site.addLink({ slug: 'a', target_url })
    for (const path of ['/a+', '/A%2B']) {
      const response = await site.visit(path)
      expect(response.status).toBe(200)
      const html = await response.text()
      expect(html).toContain('https://xn--mnchen-3ya.de/?a=&lt;b&gt;&amp;&quot;')
      expect(html).toContain('https://münchen.de/?a=&lt;b&gt;&amp;&quot;')
      expect(html).not.toContain('<b>')
    }
    const headers = { accept: 'text/html', 'accept-language': 'ja' }
    // Two sentences, without a space where the language has none.
    expect(await (await site.visit('/a+', { headers })).text()).not.toContain('。 ')
    expect(await clicks(seq)).toBe(0)
  })

  test('hides the destination of a protected link', async () => {
    const password_hash = await Bun.password.hash('x', {
      algorithm: 'argon2id',
      memoryCost: 8,
      timeCost: 1,
    })
    await site.addLink({ slug: 'a', target_url: 'https://secret.example/', password_hash })
    const html = await (await site.visit('/a+')).text()
    expect(html).not.toContain('secret.example')
    expect(html).toContain('href="/a"')
  })

  test('of a missing link is an error in the client’s preferred format', async () => {
    for (const [accept, type] of [
      ['application/json', 'application/json'],
      ['application/problem+json', 'application/problem+json'],
    ] as const) {
      const response = await site.visit('/none+', { headers: { accept } })
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toBe(type)
      expect(await response.text()).toContain('"code":"LINK_NOT_FOUND"')
    }
  })

  test('uses nothing up', async () => {
    await site.addLink({ slug: 'a', max_clicks: 1 })
    for (let i = 0; i < 3; i++) expect((await site.visit('/a+')).status).toBe(200)
    expect((await site.visit('/a')).status).toBe(302)
  })
})

describe('unreadable storage', () => {
  test('is 503 with Retry-After, until it is readable again', async () => {
    await site.close()
    let broken = true
    const fail = () => {
      if (broken) throw new StorageUnavailable('SQLITE_IOERR')
    }
    const row = {
      link_seq: 1,
      target_url: 'https://e.com/',
      redirect_status: 302,
      special: 0,
      block_id: null,
      link: null,
    }
    const resolver = { begin: fail, end() {}, slug: () => row }
    site = await openSite(dir, { clock, resolver })
    const response = await site.visit('/a')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    const json = await site.visit('/a', { headers: { accept: 'application/json' } })
    expect(await json.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
    broken = false
    expect((await site.visit('/a')).status).toBe(302)
  })
})
