import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const TARGET = 'https://e.example/?a=%20&utm_source=news#x'

let links: TestLinks
beforeAll(async () => {
  links = await createTestLinks()
})
afterAll(() => links.close())

const codesOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error) => error.details.map(({ field, code }: Record<string, string>) => [field, code]),
  )
const special = async (id: string) => {
  const query = links.storage.read.db
    .selectFrom('slugs')
    .innerJoin('links', 'links.seq', 'slugs.link_seq')
  return (await query.select('special').where('id', '=', id).execute()).map((row) => row.special)
}

describe('social', () => {
  test('is merged member by member, cleared, restored and kept in the history', async () => {
    const { id } = await links.create({ destination_url: TARGET, social: { title: 'T' } })
    const image = 'https://i.example/ä.png'
    const changed = await links.patch(id, { social: { description: 'D', image_url: image } })
    expect(changed.social).toEqual({ title: 'T', description: 'D', image_url: image })
    expect(await special(id)).toEqual([1])
    const cleared = await links.patch(id, { social: { title: null, description: null } })
    expect(cleared.social).toEqual({ title: null, description: null, image_url: image })
    const gone = await links.patch(id, { social: { image_url: null } })
    expect([gone.social, await special(id)]).toEqual([null, [0]])
    expect((await links.patch(id, { social: null })).version).toBe(gone.version)
    expect((await links.restore(id, { version: 2 })).social).toEqual(changed.social)
    await links.remove(id)
    expect((await links.restore(id)).social).toEqual(changed.social)
    const { data } = await links.history(id)
    expect(data.at(-2)?.changes.social).toEqual({
      from: { title: 'T', description: null, image_url: null },
      to: changed.social,
    })
  })

  test('is refused with every fault', async () => {
    const body = {
      destination_url: TARGET,
      social: { title: '', description: 'x'.repeat(501), image_url: 'javascript:1', x: 1 },
    }
    expect(await codesOf(links.create(body))).toEqual(
      expect.arrayContaining([
        ['social.title', 'TOO_SHORT'],
        ['social.description', 'TOO_LONG'],
        ['social.image_url', 'URL_SCHEME_NOT_ALLOWED'],
        ['social.x', 'UNKNOWN_FIELD'],
      ]),
    )
    expect(await codesOf(links.create({ destination_url: TARGET, social: 'x' }))).toEqual([
      ['social', 'INVALID_TYPE'],
    ])
  })
})

describe('utm', () => {
  const NONE = { source: null, medium: null, campaign: null, term: null, content: null }

  test('reads and writes the parameters of the destination', async () => {
    const link = await links.create({ destination_url: TARGET, utm: { medium: 'e mail' } })
    expect(link.destination_url).toBe(
      'https://e.example/?a=%20&utm_source=news&utm_medium=e%20mail#x',
    )
    expect(link.utm).toEqual({ ...NONE, source: 'news', medium: 'e mail' })
    const patch = {
      destination_url: 'https://f.example/?utm_term=t',
      utm: { term: null, source: 's' },
    }
    const both = await links.patch(link.id, patch)
    expect(both.destination_url).toBe('https://f.example/?utm_source=s')
    const [row] = await links.storage.read.db
      .selectFrom('slugs')
      .select('target_url')
      .where('target_url', '=', 'https://f.example/?utm_source=s')
      .execute()
    expect(row).toBeDefined()
    const cleared = await links.patch(link.id, { utm: null })
    expect([cleared.destination_url, cleared.utm]).toEqual(['https://f.example/', NONE])
    expect((await links.patch(link.id, { utm: { source: null } })).version).toBe(cleared.version)
    const back = await links.restore(link.id, { version: 1 })
    expect(back.utm).toEqual(link.utm)
    expect((await links.history(link.id)).data[0]?.changes).not.toHaveProperty('utm')
  })

  test('is refused if it is invalid, or makes the URL too long', async () => {
    expect(
      await codesOf(
        links.create({ destination_url: TARGET, utm: { source: 1, term: 'x'.repeat(256), y: '' } }),
      ),
    ).toEqual(
      expect.arrayContaining([
        ['utm.source', 'INVALID_TYPE'],
        ['utm.term', 'TOO_LONG'],
        ['utm.y', 'UNKNOWN_FIELD'],
      ]),
    )
    const long = { destination_url: `https://e.example/?${'x'.repeat(8_100)}` }
    const { id } = await links.create(long)
    expect(await codesOf(links.patch(id, { utm: { source: 'y'.repeat(200) } }))).toEqual([
      ['utm', 'TOO_LONG'],
    ])
  })
})

test('tracking is set, reset to its default, and recorded in the history', async () => {
  const { id, tracking } = await links.create({ destination_url: TARGET })
  expect([tracking, await special(id)]).toEqual(['full', [0]])
  expect((await links.patch(id, { tracking: 'count' })).tracking).toBe('count')
  expect(await special(id)).toEqual([1])
  expect((await links.patch(id, { tracking: null })).tracking).toBe('full')
  expect((await links.history(id)).data.map(({ changes }) => changes.tracking)).toEqual([
    { from: 'count', to: 'full' },
    { from: 'full', to: 'count' },
    undefined,
  ])
  expect(await codesOf(links.patch(id, { tracking: 'some' }))).toEqual([
    ['tracking', 'INVALID_VALUE'],
  ])
})
