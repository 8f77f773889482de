import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { SORTS, type Sort } from './page.ts'
import type { Link } from './schemas.ts'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'

const WORDS = [
  'Summer',
  'winter',
  'SALE',
  'Ünïcode',
  'ΣΊΣΥΦΟΣ',
  'a%20b',
  'x"y',
  "o'k",
  '50%',
  'a_b',
]
/** Up to how many a quick total counts here. */
const QUICK = 30
const TAGS = ['News', 'summer', 'Ä', 'rare']

let links: TestLinks
/** The expected links, as the documentation describes them. */
let model: (Link & { seq: number })[]

beforeAll(async () => {
  links = await createTestLinks({ few: QUICK })
  let state = 7
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const pick = <T>(list: readonly T[]) => list[random(list.length)] as T
  const time = (days: number) => new Date(links.clock.ms + days * 86_400_000).toISOString()
  for (let i = 0; i < 400; i++) {
    if (random(3) === 0) links.clock.ms += random(3) * 1000
    const body = {
      destination_url: `https://${pick(['a', 'b'])}.example/${pick(WORDS)}?n=${i}`,
      ...(random(2) === 0 && { title: `${pick(WORDS)} ${pick(WORDS)}` }),
      ...(random(3) === 0 && { tags: [pick(TAGS.slice(0, 3)), pick(TAGS.slice(0, 3))] }),
      ...(i % 90 === 5 && { tags: TAGS }),
      ...(random(5) === 0 && { external_id: `crm-${i}-§` }),
      ...(random(4) === 0 && { domain: 'go.example' }),
      ...(random(6) === 0 && { enabled: false }),
      ...(random(6) === 0 && { expires_at: time(pick([-1, 1])) }),
      ...(random(6) === 0 && { starts_at: time(pick([-2, 2])) }),
      ...(random(6) === 0 && { max_clicks: 1 }),
    }
    if (body.starts_at && body.expires_at) delete body.expires_at
    await links.create(body, i % 20 === 0 ? 2 : 1)
  }
  const { data } = await links.list({ limit: '100' })
  for (const [i, { id, slug }] of data.entries()) {
    if (i % 7 === 0) await links.patch(id, { title: 'changed', notes: String(i) })
    if (i % 30 === 3) {
      await links.setBlocked(id, true)
    }
    if (i % 41 === 4) await links.remove(id)
    if (i === 2)
      await links.storage.write((tx) =>
        tx.db.updateTable('links').set({ uses: 1 }).where('max_clicks', 'is not', null).execute(),
      )
    void slug
  }
  await links.countAll()
  const counted = await all({})
  for (const [i, { id }] of counted.entries()) {
    if (i % 3 === 0) continue
    const total = random(4)
    const last = total === 0 ? null : links.clock.ms - random(5) * 1000
    // Bots don't affect the order.
    const bots = random(total + 1)
    const imported = i % 5 === 0 ? random(3) : 0
    await links.count(id, { total, bots, lastClickedAt: last, imported })
  }
  // The click worker hasn't processed these yet.
  for (let i = 0; i < 20; i++) await links.create({ destination_url: `https://a.example/new${i}` })
  // There are counters of a deleted link.
  await links.remove(counted[9]?.id ?? '')
  const rows = await links.storage.read.db.selectFrom('links').select(['id', 'seq']).execute()
  const seqs = new Map(rows.map(({ id, seq }) => [id, seq]))
  model = (await all({})).map((link) => ({ ...link, seq: seqs.get(link.id) ?? 0 }))
  const { links_count } = await links.storage.read.db
    .selectFrom('workspaces')
    .select('links_count')
    .where('no', '=', 1)
    .executeTakeFirstOrThrow()
  expect(model).toHaveLength(links_count)
})
afterAll(() => links.close())

async function all(query: Record<string, string | string[]>): Promise<Link[]> {
  const found: Link[] = []
  let cursor: string | null = null
  do {
    const page = await links.list({ ...query, ...(cursor && { cursor }) })
    found.push(...page.data)
    cursor = page.pagination.next_cursor
  } while (cursor !== null)
  return found
}

const fold = (text: string) => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')

interface Query {
  search?: string
  tag?: string[]
  domain?: string
  status?: string
  created_after?: string
  created_before?: string
}

function expected(query: Query, sort: Sort, order: 'asc' | 'desc'): string[] {
  const { search, tag = [], domain, status, created_after, created_before } = query
  const keyOf = (link: Link & { seq: number }): number | string => {
    if (sort === 'clicks') return link.clicks.human
    if (sort === 'clicks_with_imported') return link.clicks.human + link.clicks.imported
    if (sort === 'last_clicked_at') return Date.parse(link.last_clicked_at ?? '1970-01-01')
    if (sort === 'slug') return link.slug.toLowerCase()
    return Date.parse(link[sort])
  }
  const matching = model.filter((link) => {
    const texts = [link.slug, link.destination_url, link.title, ...link.tags, link.external_id]
    return (
      (search === undefined ||
        texts.some((text) => text !== null && fold(text).includes(fold(search)))) &&
      tag.every((wanted) => link.tags.some((has) => fold(has) === fold(wanted))) &&
      (domain === undefined || link.domain === domain) &&
      (status === undefined || link.status === status) &&
      (created_after === undefined || link.created_at >= created_after) &&
      (created_before === undefined || link.created_at < created_before)
    )
  })
  matching.sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    const ascending = x < y ? -1 : x > y ? 1 : a.seq - b.seq
    return order === 'asc' ? ascending : -ascending
  })
  return matching.map(({ id }) => id)
}

const queries = fc.record(
  {
    search: fc.constantFrom(
      's',
      'Su',
      'SUM',
      'summer',
      'mer S',
      '%',
      '_',
      '"',
      "o'k",
      'ünï',
      'ΣΎ',
      'σίσυφος',
      'ew',
      // Short ones at the end of what is searched.
      '§',
      '-§',
      'crm-1',
      'https://a',
      '.example/',
      'nothing at all',
      'AAAAAAAA',
    ),
    tag: fc.uniqueArray(fc.constantFrom('news', 'SUMMER', 'ä', 'Rare', 'none'), {
      minLength: 1,
      maxLength: 3,
    }),
    domain: fc.constantFrom('s.example', 'go.example'),
    status: fc.constantFrom('active', 'scheduled', 'expired', 'exhausted', 'disabled', 'blocked'),
    created_after: fc
      .integer({ min: -5, max: 400 })
      .map((s) => new Date(1_790_000_000_000 + s * 1000).toISOString()),
    created_before: fc
      .integer({ min: -5, max: 400 })
      .map((s) => new Date(1_790_000_000_000 + s * 1000).toISOString()),
  },
  { requiredKeys: [] },
)

describe('a list', () => {
  test('has all matches, in order, on every page and in both directions', async () => {
    await fc.assert(
      fc.asyncProperty(
        queries,
        fc.constantFrom(...SORTS),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 3, 26, 100),
        fc.constantFrom('exact', 'quick'),
        async (query, sort, order, limit, total) => {
          const ids = expected(query, sort, order)
          const asked = { ...query, sort, order, limit: String(limit), total }
          const forward: string[] = []
          let page = await links.list(asked)
          for (let steps = 0; ; steps++) {
            const { total_is_exact = true } = page.pagination
            if (total_is_exact) expect(page.pagination.total).toBe(ids.length)
            else expect(page.pagination.total).toBe(QUICK)
            if (total === 'quick' && ids.length < QUICK) expect(total_is_exact).toBe(true)
            expect(page.pagination.has_more).toBe(forward.length + page.data.length < ids.length)
            forward.push(...page.data.map(({ id }) => id))
            if (page.pagination.next_cursor === null || steps === 12) break
            page = await links.list({ ...asked, cursor: page.pagination.next_cursor })
          }
          expect(forward).toEqual(ids.slice(0, forward.length))
          const backward: string[] = page.data.map(({ id }) => id)
          while (page.pagination.prev_cursor !== null) {
            page = await links.list({ ...asked, cursor: page.pagination.prev_cursor })
            backward.unshift(...page.data.map(({ id }) => id))
            expect(page.pagination.has_more).toBe(true)
          }
          expect(backward).toEqual(forward)
          for (const number of [1, 2, Math.ceil(ids.length / limit), 9999]) {
            if (number === 0) continue
            const numbered = await links.list({ ...asked, page: String(number) })
            expect(numbered.data.map(({ id }) => id)).toEqual(
              ids.slice((number - 1) * limit, number * limit),
            )
            expect(numbered.pagination).toMatchObject({
              page: number,
              has_more: number * limit < ids.length,
            })
          }
        },
      ),
      { numRuns: testDialect === 'sqlite' ? 150 : 40 },
    )
  }, 120_000)

  test('has 25 links, newest first, by default', async () => {
    const { data, pagination } = await links.list()
    expect(data.map(({ id }) => id)).toEqual(expected({}, 'created_at', 'desc').slice(0, 25))
    expect(pagination).toEqual({
      limit: 25,
      total: model.length,
      has_more: true,
      next_cursor: expect.any(String),
      prev_cursor: null,
    })
  })

  test('accepts the alternative names of its parameters', async () => {
    expect(await links.list({ q: 'summer', per_page: '3' })).toEqual(
      await links.list({ search: 'summer', limit: '3' }),
    )
    expect(await links.list({ search: '', q: 'summer' })).toEqual(
      await links.list({ search: 'summer' }),
    )
  })

  test('accepts the unencoded plus of an offset', async () => {
    const all = await links.list({ created_before: '2030-01-01T00:00:00+02:00' })
    expect(all.pagination.total).toBe(model.length)
    expect(await links.list({ created_before: '2030-01-01T00:00:00 02:00' })).toEqual(all)
  })

  test('treats a date as its midnight', async () => {
    for (const name of ['created_after', 'created_before']) {
      const { created_at } = model[Math.floor(model.length / 2)] as (typeof model)[0]
      for (const day of [created_at.slice(0, 10), '2030-01-01', '2020-02-29']) {
        const byDate = await links.list({ [name]: day })
        expect(byDate).toEqual(await links.list({ [name]: `${day}T00:00:00Z` }))
      }
      expect(await refusal(links.list({ [name]: '2030-02-30' }))).toEqual([
        'VALIDATION_FAILED',
        `${name}: INVALID_TIMESTAMP`,
      ])
    }
  })

  test('has the total of a common term, alone and with a filter', async () => {
    for (const query of [
      { search: '.example/' },
      { search: '.e' },
      { search: '.example/', domain: 's.example' },
      { search: '.e', status: 'active' },
      { search: '.example/', created_before: model[200]?.created_at ?? '' },
    ]) {
      const ids = expected(query, 'created_at', 'desc')
      expect(ids.length).toBeGreaterThan(QUICK)
      const { total } = (await links.list({ ...query, limit: '1' })).pagination
      expect([query, total]).toEqual([query, ids.length])
    }
  })

  test('finds a Turkish i in either case', async () => {
    const { id } = await links.create(
      { destination_url: 'https://a.example/', title: 'İZMİR ılık' },
      2,
    )
    for (const search of ['izmir', 'İzmir', 'IZMIR', 'ILIK', 'ılık', 'mi', 'İ']) {
      const { data } = await links.list({ search }, 2)
      expect([search, data.some((link) => link.id === id)]).toEqual([search, true])
    }
    await links.remove(id, { workspaceNo: 2 })
  })

  test('doesn’t contain other workspaces’ links', async () => {
    const { data } = await links.list({ limit: '100' }, 2)
    expect(data.length).toBeGreaterThan(0)
    for (const { id } of data) expect(model.some((link) => link.id === id)).toBe(false)
    expect((await links.list({ search: 'example' }, 2)).pagination.total).toBe(data.length)
    expect((await links.list({}, 3)).pagination.total).toBe(0)
  })

  test('accepts only its own cursors', async () => {
    const { pagination } = await links.list({ limit: '1' })
    const cursor = pagination.next_cursor ?? ''
    expect((await links.list({ cursor, limit: '50' })).data).toHaveLength(50)
    const others: Record<string, string>[] = [
      { cursor: `${cursor}A` },
      { cursor: cursor.slice(0, -1) },
      { cursor: `A${cursor.slice(1)}` },
      { cursor: 'nonsense' },
      { cursor: '' },
      { cursor: 'ü' },
      { cursor, sort: 'slug' },
      { cursor, order: 'asc' },
      { cursor, search: 'a' },
      { cursor, tag: 'a' },
    ]
    for (const query of others) {
      expect(await refusal(links.list(query))).toEqual(['BAD_REQUEST', 'cursor: INVALID_CURSOR'])
    }
    expect(await refusal(links.list({ cursor }, 2))).toEqual([
      'BAD_REQUEST',
      'cursor: INVALID_CURSOR',
    ])
  })

  test('refuses parameters with a bad value', async () => {
    for (const [name, value, code] of [
      ['limit', '0', 'OUT_OF_RANGE'],
      ['limit', '101', 'OUT_OF_RANGE'],
      ['limit', '1.5', 'INVALID_TYPE'],
      ['limit', 'x', 'INVALID_TYPE'],
      ['per_page', '-1', 'OUT_OF_RANGE'],
      ['page', '0', 'OUT_OF_RANGE'],
      ['page', '99999999999999999999', 'OUT_OF_RANGE'],
      ['sort', 'id', 'INVALID_VALUE'],
      ['order', 'up', 'INVALID_VALUE'],
      ['status', 'gone', 'INVALID_VALUE'],
      ['domain', 'no where', 'UNKNOWN_DOMAIN'],
      ['created_after', 'yesterday', 'INVALID_TIMESTAMP'],
      ['search', 'a\0b', 'INVALID_CHARACTERS'],
      ['search', 'x'.repeat(256), 'TOO_LONG'],
    ] as const) {
      expect(await refusal(links.list({ [name]: value }))).toEqual([
        'VALIDATION_FAILED',
        `${name}: ${code}`,
      ])
    }
    expect(await refusal(links.list({ cursor: 'x', page: '1' }))).toEqual([
      'VALIDATION_FAILED',
      'page: CONFLICTING_PARAMETERS',
    ])
  })
})
