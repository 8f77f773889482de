import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Link, LinkList } from '../../src/features/links/index.ts'
import { DEFAULT_PLANS } from '../../src/features/plans/defaults.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const LINKS = '/api/v1/links'
const GOOD = 'https://example.com/'
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PLAN_LINKS = 5

interface Answer<T> {
  status: number
  headers: Headers
  body: T & { error?: Problem }
}

interface Problem {
  code: string
  details?: { field: string; code: string }[]
  suggestions?: string[]
}

let directory: string
/** With a public URL and a second domain. */
let slugline: Slugline
let key: string
let otherKey: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'slugline-plans-'))
  const [plan] = DEFAULT_PLANS
  if (plan === undefined) throw new Error('There is no plan')
  const limits = { ...plan.limits, requests_per_minute: null, burst: null }
  const text = { name: 'A plan', description: 'A plan' }
  const plans = [
    {
      ...plan,
      ...text,
      id: 'unlimited',
      limits: { ...limits, links: null, addresses: null },
      default: true,
    },
    { ...plan, ...text, id: 'small', limits: { ...limits, links: PLAN_LINKS }, default: false },
  ]
  const file = join(directory, 'plans.json')
  writeFileSync(file, JSON.stringify({ plans }))
  slugline = await startSlugline({
    BASE_URL: 'https://sho.rt',
    SLUGLINE_DOMAINS: 'go.example',
    SLUGLINE_PLANS: file,
  })
  key = (await slugline.createKey({ workspace: 'own' })).key
  otherKey = (await slugline.createKey({ workspace: 'other' })).key
})
afterAll(async () => {
  await slugline.dispose()
  rmSync(directory, { recursive: true, force: true })
})

async function send<T = Link>(
  method: string,
  path: string,
  options: { key?: string; body?: unknown; headers?: Record<string, string>; on?: Slugline } = {},
): Promise<Answer<T>> {
  const { on = slugline, ...call } = options
  const answer = await on.call(method, LINKS + path, { key, ...call })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) }
}

async function create(body: object, asKey = key): Promise<Link> {
  const answer = await send('POST', '', { key: asKey, body: { destination_url: GOOD, ...body } })
  if (answer.status !== 201) throw new Error(`Refused: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** `422 field:CODE …` for a refusal; only the status for a success. */
function verdict({ status, body }: Answer<unknown>): string {
  if (!body?.error) return String(status)
  const { code, details = [] } = body.error
  const named = details.map((detail) => `${detail.field}:${detail.code}`)
  return [status, ...(code === 'VALIDATION_FAILED' ? named : [code, ...named])].join(' ')
}

const list = (query: string, asKey = key) => send<LinkList>('GET', query, { key: asKey })
const slugsOf = ({ body }: Answer<LinkList>) => body.data.map(({ slug }) => slug)
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('a link', () => {
  test('is created with every field, and read back like in the response', async () => {
    const answer = await send('POST', '', {
      body: {
        destination_url: 'https://bücher.example/a%2Bb?q="x"#é',
        slug: 'Full-Ünïcode_1',
        aliases: ['full-2', 'go.example/full-3'],
        domain: 'SHO.RT',
        title: 'A title 🎉',
        notes: 'Two\nlines',
        tags: ['beta', 'Alpha', 'BETA'],
        external_id: 'crm-1',
        enabled: true,
        redirect_status: 307,
        forward_query: true,
        starts_at: '2020-01-01T00:00:00+05:30',
        expires_at: '2999-06-01T12:00:00.123987-07:00',
        max_clicks: 5,
        fallback_url: 'https://example.com/over?',
        password: 'open sesame',
      },
    })
    expect(answer.status).toBe(201)
    const { id } = answer.body
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-z]{26}$/),
      destination_url: 'https://bücher.example/a%2Bb?q="x"#é',
      slug: 'Full-Ünïcode_1',
      aliases: ['full-2', 'go.example/full-3'],
      domain: 'sho.rt',
      short_url: 'https://sho.rt/Full-%C3%9Cn%C3%AFcode_1',
      title: 'A title 🎉',
      notes: 'Two\nlines',
      tags: ['Alpha', 'beta'],
      folder_id: null,
      archived: false,
      external_id: 'crm-1',
      enabled: true,
      status: 'active',
      block: null,
      redirect_status: 307,
      forward_query: true,
      match: 'exact',
      forward_path: false,
      starts_at: '2019-12-31T18:30:00.000Z',
      expires_at: '2999-06-01T19:00:00.123Z',
      max_clicks: 5,
      fallback_url: 'https://example.com/over?',
      rules: [],
      variants: [],
      has_password: true,
      social: null,
      utm: { source: null, medium: null, campaign: null, term: null, content: null },
      tracking: 'full',
      clicks: { total: 0, human: 0, bot: 0, unique: 0, imported: 0 },
      last_clicked_at: null,
      created_by: { type: 'api_key', id: expect.stringMatching(/^key_/), name: expect.any(String) },
      created_at: timestamp,
      updated_at: answer.body.created_at,
      version: 1,
    })
    expect(answer.headers.get('location')).toBe(`${LINKS}/${id}`)
    const got = await send('GET', `/${id}`)
    expect(got.body).toEqual(answer.body)
    expect(got.headers.get('etag')).toBe(answer.headers.get('etag'))
    expect((await list('?search=crm-1')).body.data).toEqual([answer.body])
  })

  test('needs only a destination', async () => {
    const link = await create({})
    expect(link).toMatchObject({
      slug: expect.stringMatching(/^[2-9a-z]{7}$/),
      aliases: [],
      domain: 'sho.rt',
      title: null,
      tags: [],
      external_id: null,
      enabled: true,
      status: 'active',
      block: null,
      redirect_status: 302,
      forward_query: false,
      starts_at: null,
      max_clicks: null,
      fallback_url: null,
      rules: [],
      variants: [],
      has_password: false,
    })
    const again = await create({})
    expect([again.id === link.id, again.slug === link.slug]).toEqual([false, false])
  })

  const CLEARABLE = [
    'title',
    'notes',
    'external_id',
    'starts_at',
    'expires_at',
    'max_clicks',
    'fallback_url',
    'password',
  ]
  const DEFAULTED = ['aliases', 'domain', 'tags', 'enabled', 'redirect_status', 'forward_query']

  test('accepts null for no value, or for the default', async () => {
    const { id } = await create({})
    for (const field of [...CLEARABLE, ...DEFAULTED]) {
      expect(
        verdict(await send('POST', '', { body: { destination_url: GOOD, [field]: null } })),
      ).toBe('201')
      expect(verdict(await send('PATCH', `/${id}`, { body: { [field]: null } }))).toBe('200')
    }
    for (const field of ['destination_url', 'slug']) {
      expect(verdict(await send('PATCH', `/${id}`, { body: { [field]: null } }))).toBe(
        `422 ${field}:INVALID_TYPE`,
      )
    }
  })

  const WRONG: [field: string, value: unknown, code: string][] = [
    ['destination_url', 1, 'INVALID_TYPE'],
    ['destination_url', '', 'INVALID_URL'],
    ['destination_url', '//example.com', 'INVALID_URL'],
    ['destination_url', 'javascript:alert(1)', 'URL_SCHEME_NOT_ALLOWED'],
    ['destination_url', 'https://user:password@example.com/', 'URL_HAS_CREDENTIALS'],
    ['destination_url', 'https://sho.rt@example.com/', 'URL_HAS_CREDENTIALS'],
    ['destination_url', 'https://example.com/\r\nX: y', 'URL_HAS_CONTROL_CHARACTERS'],
    ['slug', 1, 'INVALID_TYPE'],
    ['slug', '', 'TOO_SHORT'],
    ['slug', 'x'.repeat(129), 'TOO_LONG'],
    ['slug', 'a b', 'INVALID_SLUG'],
    ['slug', 'a\u200db', 'INVALID_SLUG'],
    ['slug', 'a\ufe0fb', 'INVALID_SLUG'],
    ['slug', 'a/../b', 'INVALID_SLUG'],
    ['match', 'regex', 'INVALID_VALUE'],
    ['forward_path', 1, 'INVALID_TYPE'],
    ['destination_url', 'https://{path}.example/', 'PLACEHOLDER_IN_ORIGIN'],
    ['slug', 'API', 'SLUG_RESERVED'],
    ['slug', 'ＡＰＩ', 'SLUG_RESERVED'],
    ['aliases', 'x', 'INVALID_TYPE'],
    ['aliases', Array.from({ length: 21 }, (_, i) => `alias-${i}`), 'TOO_MANY'],
    ['domain', 'elsewhere.example', 'UNKNOWN_DOMAIN'],
    ['title', 'x'.repeat(256), 'TOO_LONG'],
    ['title', 'a\0', 'INVALID_CHARACTERS'],
    ['notes', 'x'.repeat(2001), 'TOO_LONG'],
    ['tags', 'x', 'INVALID_TYPE'],
    ['tags', Array.from({ length: 21 }, (_, i) => `tag-${i}`), 'TOO_MANY'],
    ['external_id', '', 'TOO_SHORT'],
    ['external_id', 'x'.repeat(256), 'TOO_LONG'],
    ['enabled', 'true', 'INVALID_TYPE'],
    ['redirect_status', 303, 'INVALID_VALUE'],
    ['redirect_status', '302', 'INVALID_TYPE'],
    ['forward_query', 1, 'INVALID_TYPE'],
    ['starts_at', '2030-01-01', 'INVALID_TIMESTAMP'],
    ['starts_at', '2030-01-01T00:00:00', 'INVALID_TIMESTAMP'],
    ['expires_at', '2030-02-30T00:00:00Z', 'INVALID_TIMESTAMP'],
    ['expires_at', 1_893_456_000, 'INVALID_TYPE'],
    ['max_clicks', 0, 'OUT_OF_RANGE'],
    ['max_clicks', 1.5, 'INVALID_TYPE'],
    ['fallback_url', 'https://sho.rt/x', 'URL_LOOPS_BACK'],
    ['password', '', 'TOO_SHORT'],
    ['id', 'lnk_x', 'READ_ONLY'],
    ['clicks', { total: 9 }, 'READ_ONLY'],
  ]

  test('is refused with an invalid field, in creation and in change', async () => {
    const { id } = await create({})
    for (const [field, value, code] of WRONG) {
      const body = { destination_url: GOOD, [field]: value }
      const expected = [field, value, `422 ${field}:${code}`]
      expect([field, value, verdict(await send('POST', '', { body }))]).toEqual(expected)
      const patched = await send('PATCH', `/${id}`, { body: { [field]: value } })
      expect([field, value, verdict(patched)]).toEqual(expected)
    }
    const items = { tags: ['ok', '', 'x'.repeat(51)], aliases: ['ok', 'a b'] }
    expect(verdict(await send('PATCH', `/${id}`, { body: items }))).toBe(
      '422 aliases[1]:INVALID_SLUG tags[1]:TOO_SHORT tags[2]:TOO_LONG',
    )
    expect((await send('GET', `/${id}`)).body.version).toBe(1)
  })

  test('never exposes its password', async () => {
    const { id } = await create({ password: 'tell-nobody', external_id: 'secretive' })
    for (const answer of [
      await send<unknown>('GET', `/${id}`),
      await send<unknown>('PATCH', `/${id}`, { body: { title: 'x' } }),
      await list('?search=secretive'),
    ]) {
      const text = JSON.stringify(answer.body)
      expect(text).toContain('"has_password":true')
      expect(text).not.toMatch(/tell-nobody|argon2|"password"/)
    }
    expect(slugsOf(await list('?search=tell-nobody'))).toEqual([])
    const cleared = await send('PATCH', `/${id}`, { body: { password: null } })
    expect(cleared.body.has_password).toBe(false)
  })

  test('has an external id once in a workspace', async () => {
    const { id } = await create({ external_id: 'only-one' })
    const second = await create({})
    const body = { destination_url: GOOD, external_id: 'only-one' }
    expect(verdict(await send('POST', '', { body }))).toBe('409 EXTERNAL_ID_TAKEN')
    const take = () => send('PATCH', `/${second.id}`, { body: { external_id: 'only-one' } })
    expect(verdict(await take())).toBe('409 EXTERNAL_ID_TAKEN')
    await create({ external_id: 'only-one' }, otherKey)
    await send('DELETE', `/${id}`)
    expect(verdict(await take())).toBe('200')
  })

  test('is not found after deletion, and can be created again', async () => {
    const { id } = await create({ slug: 'phoenix', external_id: 'phoenix' })
    expect(verdict(await send('DELETE', `/${id}`))).toBe('204')
    for (const method of ['DELETE', 'GET', 'PATCH']) {
      const body = method === 'PATCH' ? { body: {} } : {}
      expect(verdict(await send(method, `/${id}`, body))).toBe('404 LINK_NOT_FOUND')
    }
    const again = await create({ slug: 'Phoenix', external_id: 'phoenix' })
    expect(again.id).not.toBe(id)
    expect(again).toMatchObject({ slug: 'Phoenix', version: 1 })
  })

  test('is changed by one of many requests with the same version', async () => {
    const { id } = await create({})
    const etag = (await send('GET', `/${id}`)).headers.get('etag') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send('PATCH', `/${id}`, { body: { title: `${i}` }, headers: { 'if-match': etag } }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
    expect((await send('GET', `/${id}`)).body.version).toBe(2)
  })

  test('counts towards the plan exactly under concurrency', async () => {
    const small = (await slugline.createKey({ workspace: 'small', plan: 'small' })).key
    const post = (extra: object = {}) =>
      send('POST', '', { key: small, body: { destination_url: GOOD, ...extra } })
    // Creations that fail for another reason must not use a place up.
    expect(verdict(await post({ slug: 'full-2' }))).toBe('409 SLUG_TAKEN')
    const answers = await Promise.all(Array.from({ length: 4 * PLAN_LINKS }, () => post()))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(PLAN_LINKS)
    const refused = answers.filter(({ status }) => status !== 201).map(verdict)
    expect(new Set(refused)).toEqual(new Set(['403 PLAN_LIMIT_REACHED links:LINKS_LIMIT']))
    await send('DELETE', `/${made[0]?.body.id}`, { key: small })
    const more = await Promise.all([post(), post(), post()])
    expect(more.map(({ status }) => status).sort()).toEqual([201, 403, 403])
    expect((await list('', small)).body.pagination.total).toBe(PLAN_LINKS)
  })
})

describe('a slug', () => {
  test('is the same in all its forms, and kept as it was typed', async () => {
    const made = await send('POST', '', { body: { destination_url: GOOD, slug: 'Cafe\u0301' } })
    expect(made.body.slug).toBe('Café')
    for (const slug of ['café', 'CAFÉ', 'CAFE\u0301']) {
      for (const asKey of [key, otherKey]) {
        const body = { destination_url: GOOD, slug }
        const taken = await send('POST', '', { key: asKey, body })
        expect(verdict(taken)).toBe('409 SLUG_TAKEN')
        const suggestions = taken.body.error?.suggestions ?? []
        expect(suggestions).toHaveLength(3)
        const free = await send('POST', '', {
          key: otherKey,
          body: { destination_url: GOOD, slug: suggestions[0] },
        })
        expect(free.status).toBe(201)
      }
    }
    for (const form of ['caf%C3%A9', 'CAF%C3%89', 'cafe%CC%81']) {
      expect((await slugline.call('GET', `/${form}`)).status).toBe(302)
    }
  })

  test('has up to 64 characters of any script', async () => {
    for (const slug of ['s'.repeat(64), '𐐷'.repeat(64), '東京タワー', 'फ़ैशन', '٣٤', '_', '-']) {
      const link = await create({ slug })
      expect(link.slug).toBe(slug.normalize('NFC'))
      const visit = await slugline.call('GET', new URL(link.short_url).pathname)
      expect(visit.headers.get('location')).toBe(GOOD)
    }
  })
})

describe('a destination', () => {
  const fill = (start: string, filler: string, length: number) =>
    start + filler.repeat(length - start.length)

  const SURVIVORS = [
    'https://example.com',
    'HTTPS://EXAMPLE.com:443/../a/./b',
    'https://example.com/a%2Bb?c=%2B+d&e=%26#f%23g',
    'https://example.com/?q="double"&r=\'single\'&s=<b>`',
    'https://example.com/a b?c d#e f',
    'https://example.com/😀?😀#😀',
    'https://bücher.example/straße?ü#ß',
    'https://例え.テスト/',
    'https://example.com/%E0%A4%A?%',
    'https://example.com/?',
    'https://example.com/#',
    'https://example.com/|{}^',
    'https://example.com\\windows',
    'https://example.com/@sho.rt?u=https://sho.rt/#@sho.rt',
    'https://[2001:DB8::0:1]:8443/',
    fill('https://example.com/', 'x', 8192),
    // 8,187 bytes when serialized.
    fill('https://example.com/?', 'é', 1382),
  ].map((url) => [url.slice(0, 60), url] as const)
  test.each(SURVIVORS)('is kept: %s', async (_, destination_url) => {
    const { id, slug, ...created } = await create({
      destination_url,
      fallback_url: destination_url,
    })
    const read = (await send('GET', `/${id}`)).body
    const listed = (await list('?limit=1')).body.data[0]
    for (const link of [created, read, listed]) {
      expect(link).toMatchObject({ destination_url, fallback_url: destination_url })
    }
    const target = new URL(destination_url).href
    expect((await slugline.call('GET', `/${slug}`)).headers.get('location')).toBe(target)
    await send('PATCH', `/${id}`, { body: { enabled: false } })
    expect((await slugline.call('GET', `/${slug}`)).headers.get('location')).toBe(target)
  })

  test('has at most 8,192 characters', async () => {
    const body = { destination_url: fill('https://example.com/', 'x', 8193) }
    expect(verdict(await send('POST', '', { body }))).toBe('422 destination_url:TOO_LONG')
  })

  async function expectLoop(on: Slugline, withKey: string, url: string) {
    const options = { on, key: withKey }
    const made = await send('POST', '', { ...options, body: { destination_url: GOOD } })
    const refused = (field: string) => `422 ${field}:URL_LOOPS_BACK`
    const posted = await send('POST', '', { ...options, body: { destination_url: url } })
    expect([url, verdict(posted)]).toEqual([url, refused('destination_url')])
    for (const field of ['destination_url', 'fallback_url']) {
      const body = { [field]: url }
      const patched = await send('PATCH', `/${made.body.id}`, { ...options, body })
      expect([url, verdict(patched)]).toEqual([url, refused(field)])
    }
  }

  test('is not on a public host of the instance, at any port, in any notation', async () => {
    for (const url of [
      'https://sho.rt/',
      'http://sho.rt:8080/x',
      'https://SHO.RT./',
      'https://ｓｈｏ.rt/',
      'https://sho。rt/',
      'https://sho%2ert/',
      'https:sho.rt/x',
      'https:\\\\sho.rt\\x',
      'https://@sho.rt/',
      'https://GO.example:1/',
      slugline.url,
    ]) {
      await expectLoop(slugline, key, url)
    }
    for (const destination_url of ['https://www.sho.rt/', 'https://sho.rt.example/']) {
      await create({ destination_url })
    }
  })

  test('is not this machine at the port of the server, in any notation', async () => {
    const local = await startSlugline()
    try {
      const localKey = (await local.createKey()).key
      const { port } = new URL(local.url)
      for (const host of [
        '127.0.0.1',
        'localhost',
        'LocalHost.',
        'a.localhost',
        '0x7f.1',
        '2130706433',
        '0177.0.0.01',
        '①②⑦.1',
        '127.8.9.10',
        '0.0.0.0',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::]',
      ]) {
        await expectLoop(local, localKey, `http://${host}:${port}/x`)
      }
      const body = { destination_url: 'http://127.0.0.1:9/' }
      expect(verdict(await send('POST', '', { on: local, key: localKey, body }))).toBe('201')
    } finally {
      await local.dispose()
    }
  })
})

describe('a list', () => {
  let listKey: string
  const titles: Record<string, string> = {
    percent: '100% sure',
    score: 'snake_case',
    quotes: `"hi" 'there'`,
    operators: 'a* OR (b) NEAR ^c',
    turkish: 'İZMİR ılık',
    german: 'Große STRASSE',
    greek: 'ΟΔΥΣΣΕΥΣ',
    japanese: '東京タワー',
    party: '🎉🎊',
    composed: 'Cafe\u0301',
  }

  beforeAll(async () => {
    listKey = (await slugline.createKey({ workspace: 'lists' })).key
    for (const [name, title] of Object.entries(titles)) {
      await create({ external_id: name, title, tags: ['Words', name] }, listKey)
    }
    const past = '2020-01-01T00:00:00Z'
    await create({ external_id: 'scheduled', starts_at: '2999-01-01T00:00:00Z' }, listKey)
    await create({ external_id: 'expired', expires_at: past }, listKey)
    await create({ external_id: 'disabled', enabled: false, expires_at: past }, listKey)
    const once = await create({ external_id: 'exhausted', max_clicks: 1 }, listKey)
    await slugline.call('GET', `/${once.slug}`, { headers: { 'user-agent': PERSON } })
    // Counting must not happen while a list sorted by clicks is read.
    await eventually('the click is counted', async () => {
      const { body } = await send('GET', `/${once.id}`, { key: listKey })
      return body.clicks.total === 1 || undefined
    })
    const bad = await create({ external_id: 'blocked' }, listKey)
    await slugline.cli('links', 'block', bad.id, '--reason', 'Spam')
  })

  const found = async (query: string) => {
    const answer = await list(query, listKey)
    expect(answer.body.pagination.total).toBe(answer.body.data.length)
    return answer.body.data.map(({ external_id }) => external_id)
  }

  test.each([
    ['%', 'percent'],
    ['_', 'score'],
    ['E_c', 'score'],
    ['"', 'quotes'],
    ["'t", 'quotes'],
    ['*', 'operators'],
    ['or (B) near', 'operators'],
    ['^', 'operators'],
    ['izmir', 'turkish'],
    ['ILIK', 'turkish'],
    ['GROSSE', 'german'],
    ['straße', 'german'],
    ['οδυσσευς', 'greek'],
    ['υσσευσ', 'greek'],
    ['東', 'japanese'],
    ['京タワ', 'japanese'],
    ['🎊', 'party'],
    ['CAFÉ', 'composed'],
    ['é', 'composed'],
  ])('finds %s', async (search, name) => {
    expect(await found(`?search=${encodeURIComponent(search)}`)).toEqual([name])
    expect(await found(`?q=${encodeURIComponent(search)}`)).toEqual([name])
  })

  test('filters by all the tags, in any case', async () => {
    expect(await found('?tag=WORDS')).toHaveLength(Object.keys(titles).length)
    expect(await found('?tag=words&tag=Party')).toEqual(['party'])
    expect(await found('?tag=words&tag=none')).toEqual([])
  })

  test.each(['scheduled', 'expired', 'disabled', 'exhausted', 'blocked'])(
    'has the links that are %s',
    async (status) => {
      expect(await found(`?status=${status}`)).toEqual([status])
      const { data } = (await list(`?status=${status}`, listKey)).body
      expect(data[0]?.status).toBe(status as Link['status'])
    },
  )

  test('filters by time', async () => {
    const { data } = (await list('?order=asc', listKey)).body
    const middle = data[5]?.created_at ?? ''
    const at = encodeURIComponent(middle)
    const times = data.map(({ created_at }) => created_at)
    expect(await found(`?created_after=${at}`)).toHaveLength(
      times.filter((time) => time >= middle).length,
    )
    expect(await found(`?created_before=${at}`)).toHaveLength(
      times.filter((time) => time < middle).length,
    )
    // The plus of an offset, encoded and as a space.
    expect(await found('?created_before=2020-01-01T00:00:00%2B02:00')).toEqual([])
    expect(await found('?created_before=2020-01-01T00:00:00+02:00')).toEqual([])
  })

  test.each(['created_at', 'updated_at', 'clicks', 'last_clicked_at', 'slug'])(
    'sorted by %s leads from page to page and back',
    async (sort) => {
      for (const order of ['asc', 'desc']) {
        const whole = (await list(`?sort=${sort}&order=${order}&limit=100`, listKey)).body
        const ids = whole.data.map(({ id }) => id)
        const pages: string[][] = []
        let query: string | undefined = `?sort=${sort}&order=${order}&limit=4`
        let last: LinkList['pagination'] | undefined
        while (query !== undefined) {
          const { headers, body }: Answer<LinkList> = await list(query, listKey)
          pages.push(body.data.map(({ id }) => id))
          last = body.pagination
          expect(last).toMatchObject({ limit: 4, total: ids.length })
          expect(last).not.toHaveProperty('page')
          const rel = /<https:\/\/sho\.rt\/api\/v1\/links([^>]*)>; rel="next"/
          query = rel.exec(headers.get('link') ?? '')?.[1]
          expect(query !== undefined).toBe(last.has_more)
        }
        expect(pages.flat()).toEqual(ids)
        const back: string[][] = []
        while (last?.prev_cursor) {
          const path = `?sort=${sort}&order=${order}&limit=4&cursor=${last.prev_cursor}`
          const { body } = await list(path, listKey)
          back.unshift(body.data.map(({ id }) => id))
          last = body.pagination
        }
        expect(back).toEqual(pages.slice(0, -1))
        const second = (await list(`?sort=${sort}&order=${order}&per_page=4&page=2`, listKey)).body
        expect(second.data.map(({ id }) => id)).toEqual(pages[1] ?? [])
        expect(second.pagination.page).toBe(2)
      }
    },
  )

  test('accepts only its own cursors', async () => {
    const cursor = (await list('?limit=2', listKey)).body.pagination.next_cursor ?? ''
    expect((await list(`?limit=9&cursor=${cursor}`, listKey)).status).toBe(200)
    const swapped = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1)
    for (const [query, asKey] of [
      [`?sort=slug&cursor=${cursor}`, listKey],
      [`?order=asc&cursor=${cursor}`, listKey],
      [`?tag=words&cursor=${cursor}`, listKey],
      [`?cursor=${cursor}`, key],
      [`?cursor=${swapped}`, listKey],
      [`?cursor=${cursor}A`, listKey],
      [`?cursor=`, listKey],
    ] as const) {
      expect([query, verdict(await list(query, asKey))]).toEqual([
        query,
        '400 BAD_REQUEST cursor:INVALID_CURSOR',
      ])
    }
  })

  test('refuses invalid values of parameters, and unknown parameters', async () => {
    for (const [query, refused] of [
      ['limit=0', 'limit:OUT_OF_RANGE'],
      ['limit=101', 'limit:OUT_OF_RANGE'],
      ['limit=-1', 'limit:OUT_OF_RANGE'],
      ['per_page=x', 'per_page:INVALID_TYPE'],
      ['page=0', 'page:OUT_OF_RANGE'],
      ['status=ACTIVE', 'status:INVALID_VALUE'],
      ['sort=id', 'sort:INVALID_VALUE'],
      ['order=up', 'order:INVALID_VALUE'],
      ['domain=else/where', 'domain:UNKNOWN_DOMAIN'],
      ['created_after=yesterday', 'created_after:INVALID_TIMESTAMP'],
      ['tags=summer', 'tags:UNKNOWN_PARAMETER'],
      ['limit=5&per_page=5', 'per_page:CONFLICTING_PARAMETERS'],
      ['search=a&q=b', 'q:CONFLICTING_PARAMETERS'],
    ] as const) {
      expect(verdict(await list(`?${query}`, listKey))).toBe(`422 ${refused}`)
    }
  })
})

test('who made a link is listed, filtered, exported, and never written', async () => {
  const link = await create({ slug: 'made-by-me' })
  const maker = link.created_by?.id ?? ''
  expect(slugsOf(await list('?created_by=me&slug=made-by-me'))).toEqual(['made-by-me'])
  expect(slugsOf(await list(`?created_by=${maker}&slug=made-by-me`))).toEqual(['made-by-me'])
  expect(slugsOf(await list('?created_by=key_unknown'))).toEqual([])
  expect(slugsOf(await list('?created_by=me&slug=made-by-me', otherKey))).toEqual([])
  expect(verdict(await list('?created_by=Ada'))).toBe('422 created_by:INVALID_VALUE')

  const lines = await slugline.call('GET', `${LINKS}.ndjson?created_by=me&slug=made-by-me`, { key })
  expect(JSON.parse(await lines.text()).created_by).toEqual(link.created_by)
  const cells = await slugline.call('GET', `${LINKS}.csv?created_by=me&slug=made-by-me`, { key })
  expect(await cells.text()).toContain(`""id"":""${maker}""`)

  const changed = { created_by: { type: 'user', id: 'usr_1', name: 'Ada' } }
  expect((await send('PATCH', `/${link.id}`, { body: changed })).status).toBe(422)
  expect((await send('POST', '', { body: { destination_url: GOOD, ...changed } })).status).toBe(422)
  const filter = { created_by: 'me', slug: ['made-by-me'] }
  const job = await send('POST', '/bulk/by-filter', {
    body: { filter, patch: { title: 'T' }, expected: 1 },
  })
  expect(job.status).toBe(202)
})
