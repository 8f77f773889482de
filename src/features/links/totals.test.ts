import { expect, test } from 'bun:test'
import { createTestLinks } from './testing/links.ts'

test('a cached total stays correct after any changes', async () => {
  const links = await createTestLinks()
  let expected = 0
  const add = async (word: string) => {
    const made = await links.create({ destination_url: `https://a.example/${word}`, tags: [word] })
    if (word === 'apple') expected++
    return made
  }
  const check = async () => {
    for (const query of [
      { search: 'apple' },
      { tag: ['apple'] },
      { search: 'pp', tag: ['apple'] },
    ]) {
      const { data, pagination } = await links.list({ ...query, limit: '100' })
      expect([pagination.total, data.length]).toEqual([expected, expected])
    }
  }
  const first = await add('apple')
  await check()
  for (let round = 0; round < 4; round++) {
    await add('apple')
    await add('pear')
    await check()
  }
  // A change among the creations: one audit entry more than links.
  await add('apple')
  await links.patch(first.id, { destination_url: 'https://a.example/plum', tags: [] })
  expected--
  await check()
  await add('pear')
  await check()
  // As many links as before, but others.
  const { data } = await links.list({ search: 'apple', limit: '1' })
  await links.remove(data[0]?.id ?? '')
  expected--
  await add('apple')
  await check()
  await links.restore(data[0]?.id ?? '')
  expected++
  await check()
  await links.close()
})

test('totals by status follow the clock and the visits that use links up', async () => {
  const links = await createTestLinks()
  const start = links.clock.ms
  const at = (ms: number) => new Date(start + ms).toISOString()
  const make = (fields: object) =>
    links.create({ destination_url: 'https://a.example/', title: 'apple', ...fields })
  await make({})
  await make({ expires_at: at(1_000) })
  await make({ starts_at: at(500), expires_at: at(2_000) })
  await make({ max_clicks: 2 })
  const setUses = (uses: number) =>
    links.storage.write((tx) =>
      tx.db.updateTable('links').set({ uses }).where('max_clicks', 'is not', null).execute(),
    )
  /** Active, scheduled, expired, exhausted; each queried twice, with and without a search. */
  const check = async (...totals: number[]) => {
    const found: number[] = []
    for (const status of ['active', 'scheduled', 'expired', 'exhausted']) {
      const asked = [
        { status },
        { status },
        { status, search: 'apple' },
        { status, search: 'apple' },
      ]
      const pages = []
      for (const query of asked) pages.push(await links.list(query))
      for (const { data, pagination } of pages) expect(data).toHaveLength(pagination.total)
      const [first = -1, ...others] = pages.map(({ pagination }) => pagination.total)
      expect(others).toEqual([first, first, first])
      found.push(first)
    }
    expect(found).toEqual(totals)
  }
  await check(3, 1, 0, 0)
  links.clock.ms = start + 500
  await check(4, 0, 0, 0)
  await setUses(1)
  await check(4, 0, 0, 0)
  await setUses(2)
  await check(3, 0, 0, 1)
  links.clock.ms = start + 1_000
  await check(2, 0, 1, 1)
  // New ones are added to the cached total, and have times of their own.
  await make({ expires_at: at(1_500) })
  await check(3, 0, 1, 1)
  links.clock.ms = start + 1_500
  await check(2, 0, 2, 1)
  links.clock.ms = start + 2_000
  await check(1, 0, 3, 1)
  // The clock is set back.
  links.clock.ms = start + 600
  await check(4, 0, 0, 1)
  await links.close()
})

test('totals of clicked links, counted by their counters, are those of the pages', async () => {
  // More than a few are counted without reading the links.
  const links = await createTestLinks({ few: 2 })
  const ids: string[] = []
  for (let n = 0; n < 24; n++) {
    const { id } = await links.create({ destination_url: 'https://a.example/', slug: `s${n}` })
    ids.push(id)
    const { ms: lastClickedAt } = links.clock
    if (n % 4 === 0) await links.count(id, { total: 1, bots: n % 8 === 0 ? 1 : 0, lastClickedAt })
    if (n % 4 === 1) await links.count(id, { total: 0, imported: 1, lastClickedAt: null })
    if (n % 4 === 2) await links.count(id, { total: 0, lastClickedAt: null })
  }
  await links.create({ destination_url: 'https://a.example/' }, 2)
  const check = async () => {
    for (const clicked of ['true', 'false']) {
      for (const archived of ['false', 'true', 'any']) {
        const query = { clicked, archived }
        const all = await links.list({ ...query, limit: '100' })
        const { pagination } = await links.list({ ...query, limit: '1' })
        const found = [clicked, archived, all.data.length]
        expect([clicked, archived, pagination.total]).toEqual(found as string[])
        expect(all.pagination.total).toBe(all.data.length)
      }
    }
  }
  await check()
  expect((await links.list({ clicked: 'true' })).pagination.total).toBe(12)
  // One of each kind is archived, one is deleted, and another is restored.
  for (const id of ids.slice(4, 8)) await links.patch(id, { archived: true })
  await check()
  for (const id of ids.slice(8, 16)) await links.remove(id)
  await check()
  for (const id of ids.slice(12, 16)) await links.restore(id)
  await check()
  await links.countAll()
  await check()
  await links.close()
})
