import { expect, test } from 'bun:test'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { explaining } from '../../platform/storage/testing/explain.ts'
import type { LinkFilter } from './filter-types.ts'
import { fetchPage, type PageQuery } from './page.ts'
import { createTestLinks } from './testing/links.ts'

test('a total is counted again after a change', async () => {
  const own = await createTestLinks()
  const ids: string[] = []
  for (let i = 0; i < 3; i++)
    ids.push((await own.create({ destination_url: 'https://a.example/', title: 'needle' })).id)
  const total = async () => (await own.list({ search: 'needle' })).pagination.total
  expect([await total(), await total()]).toEqual([3, 3])
  await own.patch(ids[0] ?? '', { title: 'hay' })
  expect([await total(), await total()]).toEqual([2, 2])
  await own.remove(ids[1] ?? '')
  expect(await total()).toBe(1)
  await own.create({ destination_url: 'https://a.example/needle' })
  expect(await total()).toBe(2)
  await own.close()
})

test('matches at the far end of the list are found', async () => {
  const own = await createTestLinks()
  for (let i = 0; i < 2600; i++) {
    own.clock.ms += 1
    const slug = `s${String(i).padStart(5, '0')}`
    const title = i < 300 ? 'cluster of links' : 'others'
    const tags = i < 300 ? ['near'] : []
    await own.create({ destination_url: 'https://a.example/', slug, title, tags })
  }
  await own.countAll()
  for (const sort of ['updated_at', 'slug', 'clicks', 'clicks_with_imported', 'last_clicked_at']) {
    for (const search of ['cluster', 'cl']) {
      const slugs: string[] = []
      let cursor: string | null = null
      for (let i = 0; i < 5; i++) {
        const page = await own.list({ search, sort, limit: '2', ...(cursor && { cursor }) })
        expect(page.pagination.total).toBe(300)
        slugs.push(...page.data.map((link) => link.slug))
        cursor = page.pagination.next_cursor
      }
      expect([sort, slugs]).toEqual([
        sort,
        Array.from({ length: 10 }, (_, i) => `s${String(299 - i).padStart(5, '0')}`),
      ])
    }
    for (const order of ['asc', 'desc']) {
      const { data } = await own.list({ tag: ['near'], sort, order, limit: '2' })
      const [first, second] = order === 'asc' ? ['s00000', 's00001'] : ['s00299', 's00298']
      expect([sort, ...data.map((link) => link.slug)]).toEqual([sort, first, second])
    }
  }
  await own.close()
}, 120_000)

// Most of a million links may have the same key: 0.
test.skipIf(testDialect !== 'sqlite')(
  'no sort reads all ties before the first link, nor all tags',
  async () => {
    const own = await createTestLinks()
    const { sqlx, plans } = explaining(own.storage.reports)
    const filter: LinkFilter = {
      workspaceNo: 1,
      term: null,
      termInTags: false,
      tags: [],
      tagNos: [],
      folder: null,
      view: {},
      archived: null,
      domainNo: null,
      anyTag: null,
      anyTagNos: null,
      exact: [],
      hasRules: null,
      hasPassword: null,
      isTagged: null,
      isClicked: null,
      targetUrl: null,
      status: null,
      createdBy: null,
      createdByIds: null,
      createdFrom: null,
      createdUntil: null,
      named: null,
      only: null,
      covering: null,
    }
    const [low, high] = [SEQS_PER_WORKSPACE, 2 * SEQS_PER_WORKSPACE - 1]
    const sortings = async (sort: PageQuery['sort'], descending: boolean, after: boolean) => {
      plans.length = 0
      await fetchPage(sqlx, {
        filter,
        range: { low, high, whole: true },
        sort,
        descending,
        offset: 0,
        limit: 101,
        after: after ? { k: 0, seq: low + 5 } : null,
        few: 5_000,
        nowMs: 0,
      })
      const tags = plans[0]?.filter((line) => line.startsWith('SEARCH t ')) ?? []
      expect(tags).toEqual(['SEARCH t USING PRIMARY KEY (workspace_no=? AND no=?)'])
      return plans[0]?.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY')).length
    }
    for (const after of [false, true]) {
      for (const descending of [false, true]) {
        const expected = await sortings('clicks', descending, after)
        // That of the few links without counters, and that of the page.
        expect(expected).toBeLessThanOrEqual(2)
        expect(await sortings('clicks_with_imported', descending, after)).toBe(expected)
        expect(await sortings('last_clicked_at', descending, after)).toBe(expected)
      }
    }
    await own.close()
  },
)
