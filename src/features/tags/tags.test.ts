import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { COMMAND_LINE } from '../audit/types.ts'
import { COLORS } from './colors.ts'
import { TAGS_MAX } from './schemas.ts'
import { insertTags } from './store.ts'

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
  const { no } = its.workspace
  await its.storage.write((tx) =>
    tx.db.updateTable('workspaces').set({ plan_id: 'big' }).where('no', '=', no).execute(),
  )
})
afterEach(() => its.close())

const send = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  its.as('member', method, path, body, headers)
const link = async (tags: string[], fields: object = {}) =>
  (await send('POST', '/links', { destination_url: 'https://e.example/', tags, ...fields })).body
const tagsOf = async (id: string) => (await send('GET', `/links/${id}`)).body.tags
async function tag(name: string): Promise<{ id: string; links: number; color: string }> {
  const { body } = await send('GET', `/tags?search=${encodeURIComponent(name)}`)
  return body.data.find((it: { name: string }) => it.name === name)
}
const listed = async (query: string) =>
  (await send('GET', `/links${query}`)).body.data.map((it: { id: string }) => it.id)
const entries = async () =>
  (await its.entries()).filter((it) => it.target_type === 'tag' || it.target_type === 'link')

describe('tags', () => {
  test('are created by links, once regardless of case, with a color of the palette', async () => {
    const first = await link(['News', 'a'])
    const second = await link(['news'])
    expect([first.tags, second.tags]).toEqual([['a', 'News'], ['News']])
    const { body } = await send('GET', '/tags')
    for (const { color } of body.data) expect(COLORS).toContain(color)
    expect(body.data).toMatchObject([
      {
        id: expect.stringMatching(/^tag_[0-9a-z]{26}$/),
        name: 'a',
        color: expect.any(String),
        links: 1,
      },
      { id: expect.stringMatching(/^tag_/), name: 'News', color: expect.any(String), links: 2 },
    ])
    expect(body.pagination).toEqual({ limit: 25, has_more: false, next_cursor: null })
  })

  test('are listed by name, a page at a time, and found by a part of it in any case', async () => {
    await link(['b', 'a', 'C', 'Ünders'])
    const one = (await send('GET', '/tags?limit=2')).body
    const two = (
      await send('GET', `/tags?limit=2&cursor=${encodeURIComponent(one.pagination.next_cursor)}`)
    ).body
    const names = [...one.data, ...two.data].map((it: { name: string }) => it.name)
    expect(names).toEqual(['a', 'b', 'C', 'Ünders'])
    const found = (await send('GET', '/tags?search=üN')).body.data
    expect(found.map((it: { name: string }) => it.name)).toEqual(['Ünders'])
    const named = (await send('GET', '/tags?name=A&name=c&name=zz')).body.data
    expect(named.map((it: { name: string }) => it.name)).toEqual(['a', 'C'])
    const wrong = await send('GET', `/tags?search=x&cursor=${one.pagination.next_cursor}`)
    expect(wrong.status).toBe(400)
  })

  test('are listed by how many links have them, a page at a time', async () => {
    for (const tags of [
      ['a', 'c'],
      ['c', 'b'],
      ['c', 'd', 'b'],
    ])
      await link(tags)
    await send('POST', '/tags', { name: 'none' })
    const names: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await send('GET', `/tags?sort=links&limit=2${cursor}`)
      names.push(...body.data.map((it: { name: string }) => it.name))
      if (body.pagination.next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(body.pagination.next_cursor)}`
      expect((await send('GET', `/tags?limit=2${cursor}`)).status).toBe(400)
    }
    expect(names).toEqual(['c', 'b', 'a', 'd', 'none'])
    expect((await send('GET', '/tags?sort=clicks')).status).toBe(422)
  })

  test('can be created without links; names are unique', async () => {
    const made = await send('POST', '/tags', { name: ' Later ', color: 'pink' })
    expect([made.status, made.body.name, made.body.color]).toEqual([201, 'Later', 'pink'])
    expect(made.headers.get('location')).toEndWith(`/api/v1/tags/${made.body.id}`)
    const again = await send('POST', '/tags', { name: 'LATER' })
    expect([again.status, again.body.error.code]).toEqual([409, 'TAG_TAKEN'])
    expect((await send('POST', '/tags', { name: '', color: 'mauve' })).body.error.details).toEqual([
      expect.objectContaining({ field: 'name', code: 'TOO_SHORT' }),
      expect.objectContaining({ field: 'color', code: 'INVALID_VALUE' }),
    ])
    expect((await its.as('viewer', 'POST', '/tags', { name: 'x' })).status).toBe(403)
    const own = (await send('POST', '/tags', { name: 'own', color: null })).body
    const grey = await send('PATCH', `/tags/${own.id}`, { color: 'grey' })
    expect([own.color, grey.body.color]).toEqual([expect.any(String), 'grey'])
    const back = await send('PATCH', `/tags/${own.id}`, { color: null })
    expect(back.body.color).toBe(own.color)
  })
})

describe('renaming a tag', () => {
  test('renames it on every link, with one entry and no new version of a link', async () => {
    const one = await link(['summer', 'x'])
    const two = await link(['summer'])
    const before = (await entries()).length
    const { id } = await tag('summer')
    const answer = await send('PATCH', `/tags/${id}`, { name: 'Sommer' })
    expect(answer.body).toEqual({
      id,
      name: 'Sommer',
      color: expect.any(String),
      links: 2,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 2,
    })
    expect(answer.headers.get('etag')).toMatch(/^"2\.[0-9a-z]+"$/)
    expect((await send('GET', `/tags/${id}`)).body).toEqual(answer.body)
    expect((await send('GET', '/tags?name=sommer')).body.data).toEqual([answer.body])
    expect([await tagsOf(one.id), await tagsOf(two.id)]).toEqual([['Sommer', 'x'], ['Sommer']])
    const now = await send('GET', `/links/${one.id}`)
    expect(now.body.version).toBe(one.version)
    const added = (await entries()).slice(before)
    expect(added.map(({ action, target_id }) => [action, target_id])).toEqual([['tag.renamed', id]])
    expect([await listed('?tag=sommer'), await listed('?tag=summer')]).toEqual([
      [two.id, one.id],
      [],
    ])
    expect([await listed('?search=omme'), await listed('?search=umme')]).toEqual([
      [two.id, one.id],
      [],
    ])
  })

  test('changes the ETag of its links, so that a 304 never hides it', async () => {
    const { id } = await link(['summer'])
    const etag = (await send('GET', `/links/${id}`)).headers.get('etag') ?? ''
    await send('PATCH', `/tags/${(await tag('summer')).id}`, { name: 'winter' })
    const now = await send('GET', `/links/${id}`, undefined, { 'If-None-Match': etag })
    expect(now.status).toBe(200)
  })

  test('to the name of another is refused, to another case of its own name is not', async () => {
    await link(['one', 'two'])
    const { id } = await tag('one')
    const refused = await send('PATCH', `/tags/${id}`, { name: 'TWO' })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'TAG_TAKEN'])
    expect((await send('PATCH', `/tags/${id}`, { name: 'ONE' })).body.name).toBe('ONE')
  })

  test('and recoloring obey If-Match', async () => {
    await link(['one'])
    const { id } = await tag('one')
    const etag = (await send('GET', `/tags/${id}`)).headers.get('etag') ?? ''
    const match = { 'If-Match': etag }
    expect((await send('PATCH', `/tags/${id}`, { color: 'grey' }, match)).body.color).toBe('grey')
    expect((await send('PATCH', `/tags/${id}`, { color: 'red' }, match)).status).toBe(412)
    expect((await send('DELETE', `/tags/${id}`, undefined, match)).status).toBe(412)
  })

  test('reaches a link that was deleted and is restored', async () => {
    const { id } = await link(['summer', 'gone'])
    await send('DELETE', `/links/${id}`)
    await send('PATCH', `/tags/${(await tag('summer')).id}`, { name: 'winter' })
    await send('DELETE', `/tags/${(await tag('gone')).id}`)
    expect((await send('POST', `/links/${id}/restore`)).body.tags).toEqual(['winter'])
    expect(await listed('?tag=winter')).toEqual([id])
    expect((await tag('winter')).links).toBe(1)
  })
})

describe('merging a tag', () => {
  test('gives its links the other one, once each', async () => {
    const both = await link(['a', 'b'])
    const one = await link(['a'])
    const other = await link(['b'])
    const [a, b] = [await tag('a'), await tag('b')]
    const answer = await send('POST', `/tags/${a.id}/merge`, { into: b.id })
    expect([answer.status, answer.body]).toEqual([200, { ...b, name: 'b', links: 3 }])
    for (const { id } of [both, one, other]) expect(await tagsOf(id)).toEqual(['b'])
    expect(await listed('?tag=b')).toEqual([other.id, one.id, both.id])
    expect(await listed('?tag=a')).toEqual([])
    expect(await listed('?search=b&sort=slug&order=asc')).toHaveLength(3)
    expect((await send('GET', `/tags/${a.id}`)).status).toBe(404)
    expect((await send('GET', '/tags')).body.data).toHaveLength(1)
  })

  test('works with later merges and renames', async () => {
    const { id } = await link(['a'])
    await link(['b', 'c'])
    await send('POST', `/tags/${(await tag('a')).id}/merge`, { into: (await tag('b')).id })
    await send('POST', `/tags/${(await tag('b')).id}/merge`, { into: (await tag('c')).id })
    await send('PATCH', `/tags/${(await tag('c')).id}`, { name: 'd' })
    expect(await tagsOf(id)).toEqual(['d'])
    expect((await tag('d')).links).toBe(2)
    // The name is free again, for a new tag.
    const again = await link(['a'])
    expect([again.tags, await tagsOf(id)]).toEqual([['a'], ['d']])
    await send('DELETE', `/tags/${(await tag('d')).id}`)
    expect([await tagsOf(id), await tagsOf(again.id)]).toEqual([[], ['a']])
  })

  test('into itself changes nothing; into a missing one is refused', async () => {
    await link(['a'])
    const { id } = await tag('a')
    expect((await send('POST', `/tags/${id}/merge`, { into: id })).body.links).toBe(1)
    const refused = await send('POST', `/tags/${id}/merge`, { into: 'tag_x' })
    expect([refused.status, refused.body.error.code]).toEqual([404, 'TAG_NOT_FOUND'])
  })
})

test('deleting a tag removes it from its links; a later one of the same name is another tag', async () => {
  const { id } = await link(['a', 'b'])
  const old = await tag('a')
  expect((await send('DELETE', `/tags/${old.id}`)).status).toBe(204)
  expect((await send('DELETE', `/tags/${old.id}`)).status).toBe(404)
  expect(await tagsOf(id)).toEqual(['b'])
  await link(['a'])
  expect(await tagsOf(id)).toEqual(['b'])
  expect(await listed(`?tag=a&tag=b`)).toEqual([])
  expect((await tag('a')).links).toBe(1)
})

test("another workspace's tags don't exist", async () => {
  await link(['a'])
  const { id } = await tag('a')
  const other = await its.storage.write((tx) =>
    its.administration.workspaces.create(tx, { name: 'Other' }, COMMAND_LINE),
  )
  const { key } = await its.storage.write((tx) =>
    its.keys.create(
      tx,
      other.no,
      { name: 'k', scopes: ['links:read', 'links:write'], expires: undefined } as never,
      COMMAND_LINE,
    ),
  )
  const foreign = (method: string, path: string, body?: object) =>
    its.withKey(key, method, path, body)
  expect((await foreign('GET', '/tags')).body.data).toEqual([])
  for (const [method, path, body] of [
    ['GET', `/tags/${id}`],
    ['PATCH', `/tags/${id}`, { name: 'mine' }],
    ['DELETE', `/tags/${id}`],
    ['POST', `/tags/${id}/merge`, { into: id }],
  ] as const) {
    const answer = await foreign(method, path, body)
    const none = await foreign(method, path.replace(id, 'tag_none'), body)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'TAG_NOT_FOUND'])
    expect(answer.body.error.message).toBe(none.body.error.message)
  }
  expect((await tag('a')).links).toBe(1)
})

/** The current name of a tag, in a model that maps names to sets of links. */
test('links and counts agree after any operations on tags', async () => {
  const names = ['a', 'b', 'c', 'd']
  const name = fc.constantFrom(...names)
  const step = fc.oneof(
    fc.record({ do: fc.constant('link' as const), tags: fc.uniqueArray(name) }),
    fc.record({ do: fc.constant('set' as const), link: fc.nat(9), tags: fc.uniqueArray(name) }),
    fc.record({ do: fc.constant('rename' as const), from: name, to: name }),
    fc.record({ do: fc.constant('merge' as const), from: name, to: name }),
    fc.record({ do: fc.constant('delete' as const), from: name }),
    fc.record({ do: fc.constant('remove' as const), link: fc.nat(9) }),
    fc.record({ do: fc.constant('restore' as const), link: fc.nat(9) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      for (const { id } of (await send('GET', '/tags?limit=100')).body.data) {
        await send('DELETE', `/tags/${id}`)
      }
      const links: { id: string; tags: Set<string>; isDeleted: boolean }[] = []
      for (const it of steps) {
        if (it.do === 'link') {
          const { id } = await link(it.tags)
          links.push({ id, tags: new Set(it.tags), isDeleted: false })
        } else if (it.do === 'set' || it.do === 'remove' || it.do === 'restore') {
          const known = links[it.link % Math.max(1, links.length)]
          if (known === undefined || known.isDeleted !== (it.do === 'restore')) continue
          if (it.do === 'set') {
            await send('PATCH', `/links/${known.id}`, { tags: it.tags })
            known.tags = new Set(it.tags)
          } else if (it.do === 'remove') {
            await send('DELETE', `/links/${known.id}`)
            known.isDeleted = true
          } else {
            await send('POST', `/links/${known.id}/restore`)
            known.isDeleted = false
          }
        } else {
          const from = await tag(it.from)
          const to = it.do === 'delete' ? undefined : await tag(it.to)
          if (from === undefined) continue
          if (it.do === 'delete') await send('DELETE', `/tags/${from.id}`)
          else if (it.do === 'merge') {
            if (to === undefined) continue
            await send('POST', `/tags/${from.id}/merge`, { into: to.id })
          } else {
            if (to !== undefined) continue
            await send('PATCH', `/tags/${from.id}`, { name: it.to })
          }
          for (const { tags } of links) {
            if (tags.delete(it.from) && it.do !== 'delete') tags.add(it.to)
          }
        }
      }
      const living = links.filter(({ isDeleted }) => !isDeleted)
      for (const { id, tags } of living) expect(await tagsOf(id)).toEqual([...tags].sort())
      for (const each of names) {
        const having = living.filter(({ tags }) => tags.has(each)).map(({ id }) => id)
        expect((await listed(`?tag=${each}&limit=100`)).sort()).toEqual(having.sort())
        expect((await tag(each))?.links ?? 0).toBe(having.length)
      }
      for (const { id, isDeleted } of links) if (!isDeleted) await send('DELETE', `/links/${id}`)
    }),
    { numRuns: 25 },
  )
})

test('a workspace has a bounded number of tags, whichever way they are made', async () => {
  const { no } = its.workspace
  const [one, other] = [await link(['kept']), await link([])]
  const named = (n: number) => ({
    id: `tag_${n}`,
    key: `t${n}`,
    name: `t${n}`,
    search_text: `t${n}`,
  })
  const rest = { colour: 'grey', folder_id: null, created_at: 0, updated_at: 0 }
  await its.storage.write(async (tx) => {
    const all = Array.from({ length: TAGS_MAX - 2 }, (_, n) => ({ ...named(n), ...rest }))
    for (let at = 0; at < all.length; at += 1_000)
      await insertTags(tx, no, all.slice(at, at + 1_000))
  })
  const refused = async (method: string, path: string, body: object) => {
    const answer = await send(method, path, body)
    const details = answer.body.error?.details ?? answer.body.data?.[0]?.error.details ?? []
    return [answer.status, ...details.map(({ code }: { code: string }) => code)]
  }
  // The last one, and existing ones.
  expect((await link(['last', 'kept', 't1'])).tags).toEqual(['kept', 'last', 't1'])
  const destination_url = 'https://e.example/'
  expect(await refused('POST', '/tags', { name: 'x' })).toEqual([403, 'TAGS_LIMIT'])
  expect(await refused('POST', '/links', { destination_url, tags: ['x'] })).toEqual([
    403,
    'TAGS_LIMIT',
  ])
  expect(await refused('PATCH', `/links/${one.id}`, { tags: ['x'] })).toEqual([403, 'TAGS_LIMIT'])
  const create = { op: 'create', link: { destination_url, tags: ['x'] } }
  expect(await refused('POST', '/links/bulk', { operations: [create] })).toEqual([
    200,
    'TAGS_LIMIT',
  ])
  expect((await send('PATCH', `/links/${other.id}`, { tags: ['T2'] })).body.tags).toEqual(['t2'])
  // Place is made by deleting one, though numbers aren't used again.
  await send('DELETE', `/tags/${(await tag('last')).id}`)
  expect((await link(['x'])).tags).toEqual(['x'])
  expect(await refused('POST', '/tags', { name: 'y' })).toEqual([403, 'TAGS_LIMIT'])
})
