import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AppError } from '../../lib/errors/index.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const URL_A = 'https://example.com/'

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
afterEach(() => links.close())

type Query = Record<string, string | string[]>
const slugs = async (query: Query) => (await links.list(query)).data.map(({ slug }) => slug)
const refusal = async (query: Query) =>
  ((await links.list(query).catch((error) => error)) as AppError).details?.map(
    ({ field, code }) => `${field} ${code}`,
  )

describe.each([
  ['few', undefined],
  ['many', 1],
] as const)('with %s matches', (_, few) => {
  test('the exact slug or alias, slugs that begin with it, titles, then the rest', async () => {
    await links.close()
    links = await createTestLinks(few === undefined ? {} : { few })
    for (const [slug, other] of [
      ['sale', {}],
      ['o1', { aliases: ['SALE'], domain: 'go.example' }],
      ['sale-2', {}],
      ['sales', { title: 'No sale' }],
      ['t1', { title: 'Big SALE' }],
      ['t2', { title: 'A sale', external_id: 'x' }],
      ['r1', { destination_url: 'https://sale.example/' }],
      ['r2', { external_id: 'sale', title: 'T' }],
      ['r3', { tags: ['sale'] }],
      ['none', { aliases: ['sale-alias'] }],
    ] as const) {
      await links.create({ destination_url: URL_A, slug, ...other })
    }
    const expected = ['o1', 'sale', 'sales', 'sale-2', 't2', 't1', 'r3', 'r2', 'r1']
    for (const search of ['sale', 'SALE']) {
      expect(await slugs({ search, sort: 'relevance' })).toEqual(expected)
    }
    const query = { search: 'sale', sort: 'relevance' }
    expect(await slugs({ ...query, order: 'asc' })).toEqual(expected.toReversed())
    const walked: string[] = []
    const back: string[] = []
    let cursor: string | null = null
    let last: string | null = null
    do {
      const page = await links.list({ ...query, limit: '2', ...(cursor && { cursor }) })
      expect(page.pagination.total).toBe(expected.length)
      walked.push(...page.data.map(({ slug }) => slug))
      cursor = page.pagination.next_cursor
      last = page.pagination.prev_cursor
    } while (cursor !== null)
    expect(walked).toEqual(expected)
    while (last !== null) {
      const page = await links.list({ ...query, limit: '2', cursor: last })
      back.unshift(...page.data.map(({ slug }) => slug))
      last = page.pagination.prev_cursor
    }
    expect(back).toEqual(expected.slice(0, -1))
    expect(await slugs({ search: '%', sort: 'relevance' })).toEqual([])
  })
})

test('needs a term', async () => {
  expect(await refusal({ sort: 'relevance' })).toEqual(['search REQUIRED'])
  expect(await refusal({ sort: 'relevance', q: 'x' })).toBeUndefined()
})

test('filters by what a link has', async () => {
  const rule = { when: { country: ['DE'] }, then: { answer: 'gone' } }
  await links.create({ destination_url: URL_A, slug: 'rules', rules: [rule], tags: ['a'] })
  await links.create({ destination_url: URL_A, slug: 'locked', password: 'p', tags: ['B'] })
  await links.create({ destination_url: URL_A, slug: 'plain' })
  expect(await slugs({ has_rules: 'true' })).toEqual(['rules'])
  expect(await slugs({ has_rules: 'false' })).toEqual(['plain', 'locked'])
  expect(await slugs({ has_password: 'true' })).toEqual(['locked'])
  expect(await slugs({ has_password: 'false', sort: 'slug', order: 'asc' })).toEqual([
    'plain',
    'rules',
  ])
  expect(await slugs({ tagged: 'false' })).toEqual(['plain'])
  expect(await slugs({ tagged: 'true' })).toEqual(['locked', 'rules'])
  expect(await slugs({ any_tag: ['A', 'b', 'none'] })).toEqual(['locked', 'rules'])
  expect(await slugs({ any_tag: ['a', 'b'], tag: ['a'] })).toEqual(['rules'])
  expect(await slugs({ any_tag: ['none'] })).toEqual([])
  expect(await refusal({ has_rules: 'yes' })).toEqual(['has_rules INVALID_VALUE'])
  expect(await refusal({ tagged: '' })).toEqual(['tagged INVALID_VALUE'])
})

test('filters by whether links were clicked, here or before their import, as the counters are now', async () => {
  const ids: string[] = []
  for (const slug of ['none', 'zero', 'human', 'bot', 'imported', 'late'])
    ids.push((await links.create({ destination_url: 'https://c.example/', slug, title: 'cl' })).id)
  const [, zero = '', human = '', bot = '', imported = '', late = ''] = ids
  const lastClickedAt = links.clock.ms
  await links.count(zero, { total: 0, lastClickedAt: null })
  await links.count(human, { total: 2, lastClickedAt })
  await links.count(bot, { total: 1, bots: 1, lastClickedAt })
  await links.count(imported, { total: 0, imported: 7, lastClickedAt: null })
  const all = { search: 'c.example' }
  const check = async (clicked: string[], unclicked: string[]) => {
    for (const more of [{}, { search: 'c.example' }, { sort: 'clicks' }]) {
      const query = { destination_url: 'https://c.example/', ...more }
      const found = async (is: string) => (await slugs({ ...query, clicked: is })).sort()
      expect(await found('true')).toEqual(clicked)
      expect(await found('false')).toEqual(unclicked)
      for (const [is, { length }] of [
        ['true', clicked],
        ['false', unclicked],
      ] as const) {
        const { pagination } = await links.list({ ...query, clicked: is, limit: '1' })
        expect(pagination.total).toBe(length)
      }
    }
  }
  await check(['bot', 'human', 'imported'], ['late', 'none', 'zero'])
  // No link changes by a click.
  await links.count(late, { total: 1, lastClickedAt })
  await check(['bot', 'human', 'imported', 'late'], ['none', 'zero'])
  expect(await slugs({ ...all, clicked: 'true', page: '2', limit: '3' })).toHaveLength(1)
  expect(await refusal({ clicked: 'yes' })).toEqual(['clicked INVALID_VALUE'])
})
