import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SHOW_NAMES, SHOWN } from '../../src/statistics/shares/show.ts'
import { eventually } from '../harness/eventually.ts'
import { type CreatedKey, type Slugline, startSlugline } from '../harness/process.ts'
import { testStore } from '../harness/store.ts'

const LIMIT = 400
const AT_ONCE = 20
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const DESTINATION = 'destination-of-the-secret.example'
const SLUG = 'slug-of-the-secret'
const TITLE = 'Title of the secret'
const CLICKS = 3

let slugline: Slugline
let own: CreatedKey
let other: CreatedKey
let linkId: string
let folderId: string
let addresses = 0

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Body = any
interface Seen {
  status: number
  headers: Headers
  text: string
  body: Body
}
interface Options {
  body?: object
  key?: string
  headers?: Record<string, string>
}

async function send(method: string, path: string, options: Options = {}): Promise<Seen> {
  const answer = await slugline.call(method, path, options)
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  const { status, headers } = answer
  return { status, headers, text, body: isJson ? JSON.parse(text) : null }
}

/** Creates a share, and returns a function for requests to it. */
async function share(body: object) {
  const made = await send('POST', '/api/v1/shares', { key: own.key, body })
  expect(made.status).toBe(201)
  const path = new URL(made.body.url).pathname
  // Each share is requested from its own address, so that limits are separate.
  const from = { 'x-forwarded-for': `198.51.100.${++addresses}` }
  return {
    ...(made.body as { id: string; url: string; views: number }),
    path,
    get: (rest = '', headers = {}) =>
      send('GET', `${path}${rest}`, { headers: { ...from, ...headers } }),
    unlock: (password: string, headers = {}) =>
      send('POST', `${path}/password`, { body: { password }, headers: { ...from, ...headers } }),
    change: (patch: object) =>
      send('PATCH', `/api/v1/shares/${made.body.id}`, { key: own.key, body: patch }),
    end: () => send('DELETE', `/api/v1/shares/${made.body.id}`, { key: own.key }),
  }
}

const code = ({ status, body }: Seen) => `${status} ${body?.error?.code}`

beforeAll(async () => {
  slugline = await startSlugline({
    TRUSTED_PROXIES: '127.0.0.1/32',
    ANONYMOUS_REQUESTS_PER_MINUTE: String(LIMIT),
  })
  own = await slugline.createKey({ workspace: 'own' })
  other = await slugline.createKey({ workspace: 'other' })
  const folder = await send('POST', '/api/v1/folders', { key: own.key, body: { name: 'Folder' } })
  folderId = folder.body.id
  const body = {
    ...{ destination_url: `https://${DESTINATION}/path`, slug: SLUG, title: TITLE },
    ...{ tags: ['Launch'], folder_id: folderId },
  }
  linkId = (await send('POST', '/api/v1/links', { key: own.key, body })).body.id
  const unseen = { destination_url: 'https://example.com/', slug: 'unseen' }
  await send('POST', '/api/v1/links', { key: own.key, body: unseen })
  for (const slug of [...Array.from({ length: CLICKS }, () => SLUG), 'unseen']) {
    const headers = { 'user-agent': AGENT, 'x-forwarded-for': '88.198.1.1' }
    expect((await slugline.call('GET', `/${slug}?utm_source=letter`, { headers })).status).toBe(302)
  }
  await eventually('all clicks are in the statistics', async () => {
    const { body } = await send('GET', '/api/v1/stats', { key: own.key })
    return body?.totals.clicks === CLICKS + 1 ? true : undefined
  })
})
afterAll(() => slugline?.dispose())

describe('a share', () => {
  test('shows the clicks of its link, tag, folder or workspace to anyone', async () => {
    for (const [subject, clicks] of [
      [{ link_id: linkId }, CLICKS],
      [{ tag: 'LAUNCH' }, CLICKS],
      [{ folder_id: folderId }, CLICKS],
      [{ workspace: true }, CLICKS + 1],
    ] as const) {
      const shared = await share({ subject })
      expect(shared.path).toMatch(/^\/shared\/[0-9a-z]{32}$/)
      const { body } = await shared.get('/stats?timezone=Europe/Berlin')
      expect(body.totals).toEqual({ clicks, unique: 1, bots: 0 })
      expect((await shared.get('/stats/browser')).body.data).toEqual([
        { value: 'Firefox', clicks, unique: 1, bots: 0 },
      ])
    }
    const filtered = await share({ subject: { workspace: true }, filters: { browser: ['Safari'] } })
    expect((await filtered.get('/stats')).body.totals.clicks).toBe(0)
    // A viewer's filter is combined with the share's own.
    const narrowed = await filtered.get('/stats?browser=Firefox')
    expect(narrowed.body.totals.clicks).toBe(0)
  })

  test('has statistics with an ETag that stays while nothing is clicked', async () => {
    const shared = await share({ subject: { workspace: true } })
    /** The status of a second request, later than a result is kept. */
    const revalidated = async (path: string) => {
      const etag = (await shared.get(path)).headers.get('etag') as string
      await Bun.sleep(2_100)
      return (await shared.get(path, { 'If-None-Match': etag })).status
    }
    for (const path of ['/stats', '/stats?interval=hour', '/stats/country']) {
      // Only one of two can be at the end of a quarter of an hour.
      expect([path, await revalidated(path), await revalidated(path)]).toContain(304)
    }
  })

  test('counts how often it was opened', async () => {
    const shared = await share({ subject: { workspace: true } })
    expect(shared.views).toBe(0)
    for (const _ of [1, 2]) expect((await shared.get('/about')).status).toBe(200)
    await shared.get('/stats')
    const { body } = await send('GET', `/api/v1/shares/${shared.id}`, { key: own.key })
    expect([body.views, body.version]).toEqual([2, 1])
  })

  test('ends with the next request after deletion, and at its expiry', async () => {
    const shared = await share({ subject: { workspace: true } })
    expect((await shared.get()).status).toBe(200)
    expect((await shared.change({ expires_at: '2026-01-01T00:00:00Z' })).status).toBe(200)
    for (const path of ['/about', '/stats', '/stats/country']) {
      expect(code(await shared.get(path))).toBe('410 SHARE_EXPIRED')
    }
    expect((await shared.get()).status).toBe(410)
    await shared.change({ expires_at: null })
    expect((await shared.get('/stats')).status).toBe(200)
    expect((await shared.end()).status).toBe(204)
    for (const path of ['/about', '/stats', '/stats/country']) {
      expect(code(await shared.get(path))).toBe('404 SHARE_NOT_FOUND')
    }
    expect((await shared.get()).status).toBe(404)
    expect(code(await shared.end())).toBe('404 SHARE_NOT_FOUND')
  })

  test('ends with its tag, and is restored with its link', async () => {
    const make = { destination_url: 'https://example.com/', tags: ['short-lived'] }
    const link = await send('POST', '/api/v1/links', { key: own.key, body: make })
    const ofTag = await share({ subject: { tag: 'short-lived' } })
    const ofLink = await share({ subject: { link_id: link.body.id } })
    const { body } = await send('GET', '/api/v1/tags?name=short-lived', { key: own.key })
    await send('DELETE', `/api/v1/tags/${body.data[0].id}`, { key: own.key })
    expect(code(await ofTag.get('/stats'))).toBe('404 SHARE_NOT_FOUND')
    expect(code(await ofTag.end())).toBe('404 SHARE_NOT_FOUND')
    await send('DELETE', `/api/v1/links/${link.body.id}`, { key: own.key })
    expect(code(await ofLink.get('/stats'))).toBe('404 SHARE_NOT_FOUND')
    await send('POST', `/api/v1/links/${link.body.id}/restore`, { key: own.key })
    expect((await ofLink.get('/stats')).status).toBe(200)
  })

  test('is scoped to its workspace', async () => {
    const shared = await share({ subject: { workspace: true } })
    const missing = `${shared.id.slice(0, -4)}0000`
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined
      const ask = (id: string) =>
        send(method, `/api/v1/shares/${id}`, { key: other.key, ...(body && { body }) })
      const [theirs, none] = [await ask(shared.id), await ask(missing)]
      expect(code(theirs)).toBe('404 SHARE_NOT_FOUND')
      expect(theirs.body.error.message).toBe(none.body.error.message)
    }
    expect((await send('GET', '/api/v1/shares', { key: other.key })).body.data).toEqual([])
    for (const [field, subject] of [
      ['subject.link_id LINK_NOT_FOUND', { link_id: linkId }],
      ['subject.folder_id FOLDER_NOT_FOUND', { folder_id: folderId }],
      ['subject.tag TAG_NOT_FOUND', { tag: 'launch' }],
    ] as const) {
      const answer = await send('POST', '/api/v1/shares', { key: other.key, body: { subject } })
      const [detail] = answer.body.error.details
      expect([answer.status, `${detail.field} ${detail.code}`]).toEqual([422, field])
    }
  })
})

describe('what viewers get', () => {
  test.each([...SHOW_NAMES, undefined])('has only what is shown: %s', async (name) => {
    const show = name === undefined ? [] : [name]
    for (const subject of [{ link_id: linkId }, { workspace: true }]) {
      const shared = await share({ subject, show })
      const about = await shared.get('/about')
      const isOfLink = 'link_id' in subject
      const dimensions = show.flatMap((one): readonly string[] => SHOWN[one])
      const ofLinks = ['link', 'tag', 'folder']
      const shown = dimensions.filter((dimension) => !(isOfLink && ofLinks.includes(dimension)))
      expect(about.body.dimensions).toEqual(shown)
      const all = [about, await shared.get(), await shared.get('/stats')]
      for (const dimension of new Set(Object.values(SHOWN).flat())) {
        const answer = await shared.get(`/stats/${dimension}`)
        all.push(answer)
        const isShown = shown.includes(dimension)
        expect(`${dimension} ${answer.status}`).toBe(`${dimension} ${isShown ? 200 : 404}`)
        if (isShown || dimension === 'link') continue
        const value = { trigger: 'qr', hour: '9', weekday: '1' }[dimension as string] ?? 'x'
        const filtered = await shared.get(`/stats?${dimension}=${value}`)
        expect(`${dimension} ${filtered.status}`).toBe(`${dimension} 422`)
      }
      const text = all.map((each) => each.text).join('\n')
      expect(text.includes(SLUG)).toBe(name === 'links')
      expect(text.includes(TITLE)).toBe(name === 'links')
      expect(text).not.toContain(DESTINATION)
      expect(text).not.toMatch(/lnk_|wsp_|tag_|fld_|key_|visitor|88\.198/)
    }
  })

  test('has destinations where links and destinations are shown', async () => {
    const show = ['links', 'destinations']
    const shared = await share({ subject: { workspace: true }, show })
    const { body } = await shared.get('/stats/link')
    expect(body.data[0]).toMatchObject({
      value: `${slugline.url}/${SLUG}`,
      destination_url: `https://${DESTINATION}/path`,
    })
    const ofLink = await share({ subject: { link_id: linkId }, show })
    expect((await ofLink.get('/about')).body.link).toEqual({
      short_url: `${slugline.url}/${SLUG}`,
      title: TITLE,
      brand: null,
      destination_url: `https://${DESTINATION}/path`,
    })
  })

  test('may be framed and is not indexed, unlike other pages', async () => {
    const shared = await share({ subject: { workspace: true } })
    const ended = await share({ subject: { workspace: true }, expires_at: '2026-01-01T00:00:00Z' })
    const policyOf = ({ headers }: Seen) => headers.get('content-security-policy') ?? ''
    const none = await send('GET', `/shared/${'0'.repeat(32)}`)
    for (const page of [await shared.get(), await ended.get(), none]) {
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(policyOf(page)).toContain('frame-ancestors *')
      expect(policyOf(page)).toStartWith("default-src 'none'")
      expect(page.headers.get('x-frame-options')).toBeNull()
      expect(page.headers.get('x-robots-tag')).toBe('noindex')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.has('set-cookie')).toBe(false)
    }
    for (const path of ['/app', '/docs', '/nothing', `/${SLUG}+`, `${shared.path}/about`]) {
      expect(policyOf(await send('GET', path))).toContain("frame-ancestors 'none'")
    }
    expect((await shared.get('/stats')).headers.get('x-robots-tag')).toBe('noindex')
  })

  test('is in their language', async () => {
    const shared = await share({ subject: { workspace: true } })
    const german = await shared.get('', { 'accept-language': 'de-AT' })
    expect(german.text).toContain('<html lang="de" dir="ltr">')
    const arabic = await shared.get('?lang=ar&theme=dark', { 'accept-language': 'de-AT' })
    expect(arabic.text).toContain('<html lang="ar" dir="rtl" data-theme="dark">')
    await shared.end()
    const ended = await shared.get('?lang=ja')
    expect([ended.status, ended.headers.get('content-language')]).toEqual([404, 'ja'])
    expect(ended.text).toContain('<html lang="ja"')
  })

  test('is limited by address', async () => {
    const shared = await share({ subject: { workspace: true } })
    // Addresses of a /64 count as one.
    const headers = (n: number) => ({ 'x-forwarded-for': `2001:db8:1:2::${n.toString(16)}` })
    const until429 = async (pathOf: (n: number) => string, more: Record<string, string> = {}) => {
      // Several at once: one after the other a busy machine would stay below the limit.
      for (let n = 1; n <= LIMIT * 2; n += AT_ONCE) {
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, i) =>
            shared.get(pathOf(n + i), { ...headers(n + i), ...more }),
          ),
        )
        const limited = answers.find(({ status }) => status !== 200)
        if (limited !== undefined) return limited
      }
      throw new Error('No limit')
    }
    const limited = await until429((n) => (n % 2 === 0 ? '' : '/about'), {
      accept: 'application/json',
    })
    expect(code(limited)).toBe('429 RATE_LIMITED')
    // Browsers get an HTML page.
    const page = await until429(() => '', {
      accept: 'text/html,*/*;q=0.8',
      'accept-language': 'ar',
    })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      429,
      'text/html; charset=utf-8',
    ])
    expect(page.text).toContain('<html lang="ar" dir="rtl">')
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors *')
    for (const { headers } of [limited, page]) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await shared.get('/about')).status).toBe(200)
  })
})

describe('a password', () => {
  const PASSWORD = 'over the hills'
  const bearer = (access: string) => ({ authorization: `Bearer ${access}` })

  test('gives access until it is changed', async () => {
    const shared = await share({ subject: { workspace: true }, password: PASSWORD })
    expect(JSON.stringify(shared)).not.toContain(PASSWORD)
    for (const path of ['/about', '/stats', '/stats/country']) {
      expect(code(await shared.get(path))).toBe('403 SHARE_PROTECTED')
    }
    expect((await shared.get()).status).toBe(200)
    expect(code(await shared.unlock('another'))).toBe('403 SHARE_PROTECTED')
    const { access } = (await shared.unlock(PASSWORD)).body
    expect((await shared.get('/stats', bearer(access))).status).toBe(200)
    for (const forged of [`z${access}`, `${access}x`, access.split('.')[0], 'x.y']) {
      expect(code(await shared.get('/stats', bearer(forged)))).toBe('403 SHARE_PROTECTED')
    }
    const another = await share({ subject: { workspace: true }, password: PASSWORD })
    expect(code(await another.get('/stats', bearer(access)))).toBe('403 SHARE_PROTECTED')
    await shared.change({ password: 'another' })
    expect(code(await shared.get('/stats', bearer(access)))).toBe('403 SHARE_PROTECTED')
    expect((await shared.change({ password: null })).body.has_password).toBe(false)
    expect((await shared.get('/stats')).status).toBe(200)
  })

  test('can be guessed a few times only, from one network', async () => {
    const shared = await share({ subject: { workspace: true }, password: PASSWORD })
    const from = (n: number) => ({ 'x-forwarded-for': `2001:db8:1:3::${n}` })
    const codes: string[] = []
    for (let n = 1; n <= 8; n++) codes.push(code(await shared.unlock('no', from(n))))
    const guesses = codes.findIndex((each) => each !== '403 SHARE_PROTECTED')
    // A guess that a busy Redis counts too late is counted by the node as well.
    if (testStore === 'embedded') expect(guesses).toBe(5)
    expect([1, 2, 3, 4, 5]).toContain(guesses)
    expect(codes.at(-1)).toBe('429 RATE_LIMITED')
    expect((await shared.unlock(PASSWORD)).status).toBe(200)
  })
})
