import { afterEach, beforeEach, expect, test } from 'bun:test'
import { keepDottedKeys } from '../../model/links/slug.ts'
import { readDottedKeys } from '../../platform/storage/index.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const URL = 'https://example.com/'
const FORMS = ['istanbul', 'İstanbul', 'ISTANBUL', 'ıstanbul', 'I\u0307stanbul']

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
afterEach(async () => {
  keepDottedKeys([])
  await links.close()
})

const codeOf = (made: Promise<unknown>) =>
  made.then(
    () => 'made',
    ({ code, details }) => details?.[0]?.code ?? code,
  )
const idsOf = async (query: Record<string, string>) =>
  (await links.list(query)).data.map(({ id }) => id)

test('slugs, aliases, tags and searches with i, I, ı or İ are the same', async () => {
  const tags = ['İzmir', 'izmir', 'IZMIR']
  const { id, ...made } = await links.create({ destination_url: URL, slug: 'İstanbul', tags })
  expect(made.slug).toBe('İstanbul')
  expect(made.tags).toEqual(['İzmir'])
  for (const slug of FORMS) {
    expect(await codeOf(links.create({ destination_url: URL, slug }))).toBe('SLUG_TAKEN')
    expect(await codeOf(links.create({ destination_url: URL, aliases: [slug] }))).toBe('SLUG_TAKEN')
    expect(await idsOf({ slug })).toEqual([id])
    expect(await idsOf({ search: slug })).toEqual([id])
    expect(await idsOf({ search: slug, sort: 'relevance' })).toEqual([id])
  }
  for (const tag of tags) expect(await idsOf({ tag })).toEqual([id])
})

test('slugs stored by an earlier version stay as they are', async () => {
  const old = await links.create({ destination_url: URL, slug: 'x' })
  for (const table of ['slugs', 'links'] as const) {
    const stored = { slug: 'İst', slug_key: 'i\u0307st' }
    await links.storage.write((tx) =>
      tx.db.updateTable(table).set(stored).where('slug_key', '=', 'x').execute(),
    )
  }
  keepDottedKeys(await readDottedKeys(links.storage.read))
  expect(await idsOf({ slug: 'İST' })).toEqual([old.id])
  expect(await codeOf(links.create({ destination_url: URL, slug: 'İst' }))).toBe('SLUG_TAKEN')
  // What would collide with it otherwise is another link, also below it.
  const other = await links.create({ destination_url: URL, slug: 'ist' })
  expect(await idsOf({ slug: 'ist' })).toEqual([other.id])
  const below = await links.create({ destination_url: URL, slug: 'İst/İx' })
  expect(await idsOf({ slug: 'İST/ix' })).toEqual([below.id])
  expect(await idsOf({ slug: 'ist/ix' })).toEqual([])
  // A change, a deletion and a restore find its own address.
  await links.patch(old.id, { title: 'Changed', aliases: ['İstanbul'] })
  await links.remove(old.id)
  expect(await idsOf({ slug: 'ist' })).toEqual([other.id])
  await links.restore(old.id)
  expect(await idsOf({ slug: 'İst' })).toEqual([old.id])
  expect(await idsOf({ slug: 'istanbul' })).toEqual([old.id])
})
