import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { SORTS } from './page.ts'
import { createTestLinks } from './testing/links.ts'

/** Events between two pages. */
const events = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('create' as const) }),
    fc.record({ kind: fc.constant('remove' as const), index: fc.nat(9) }),
    fc.record({ kind: fc.constant('touch' as const), index: fc.nat(9) }),
    fc.record({
      kind: fc.constant('click' as const),
      index: fc.nat(9),
      total: fc.nat(3),
      last: fc.option(fc.nat(3)),
    }),
    fc.record({ kind: fc.constant('worker' as const) }),
    fc.record({ kind: fc.constant('tick' as const), ms: fc.integer({ min: -2, max: 2 }) }),
  ),
  { maxLength: 4 },
)

const walks = fc.record({
  sort: fc.constantFrom(...SORTS),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.constantFrom('1', '2', '5'),
  search: fc.constantFrom(undefined, 'exa', 'ex', 'stays'),
  /** Clicks of the links that stay, with many ties. */
  clicks: fc.array(fc.option(fc.nat(2)), { minLength: 8, maxLength: 8 }),
  between: fc.array(events, { minLength: 12, maxLength: 12 }),
})

test('reading a list by cursor neither skips nor repeats links that stay', async () => {
  const links = await createTestLinks()
  let touched = 0
  await fc.assert(
    fc.asyncProperty(walks, async ({ sort, order, limit, search, clicks, between }) => {
      for (const { id } of (await links.list({ limit: '100' })).data) await links.remove(id)
      const stay: string[] = []
      const other: string[] = []
      const make = async (title: string) =>
        (await links.create({ destination_url: 'https://example.com/', title })).id
      for (const count of clicks) {
        if (links.clock.ms % 3 === 0) links.clock.ms++
        stay.push(await make('stays'))
        other.push(await make('comes and goes'))
        if (count !== null) {
          await links.count(stay.at(-1) ?? '', {
            total: count,
            lastClickedAt: count === 0 ? null : links.clock.ms - count,
            imported: links.clock.ms % 2,
          })
        }
      }

      const seen: string[] = []
      let cursor: string | null = null
      for (let page = 0; ; page++) {
        const { data, pagination } = await links.list({
          sort,
          order,
          limit,
          ...(search && { search }),
          ...(cursor && { cursor }),
        })
        seen.push(...data.map(({ id }) => id))
        cursor = pagination.next_cursor
        if (cursor === null) break
        for (const event of between[page] ?? []) {
          const id = 'index' in event ? other[event.index] : undefined
          if (event.kind === 'create') other.push(await make('stays not'))
          else if (event.kind === 'worker') await links.countAll()
          else if (event.kind === 'tick') links.clock.ms += event.ms
          else if (id === undefined) continue
          else if (event.kind === 'touch') {
            await links.patch(id, { title: `touched ${page}`, slug: `t${touched++}` })
          } else if (event.kind === 'remove') {
            other.splice(other.indexOf(id), 1)
            await links.remove(id)
          } else if (event.kind === 'click') {
            const lastClickedAt = event.last === null ? null : links.clock.ms - event.last
            await links.count(id, { total: event.total, lastClickedAt })
          }
        }
      }
      const seenOfThese = seen.filter((id) => stay.includes(id))
      expect([...seenOfThese].sort()).toEqual([...stay].sort())
    }),
    { numRuns: testDialect === 'sqlite' ? 80 : 15 },
  )
  await links.close()
}, 120_000)

/** Links that grow between two pages: their clicks, and when they were last clicked or changed. */
const growth = fc.record({
  sort: fc.constantFrom('clicks', 'clicks_with_imported', 'last_clicked_at', 'updated_at'),
  limit: fc.constantFrom('1', '2', '3'),
  clicks: fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }),
  between: fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 20, maxLength: 20 }),
})

test('of links that grow while a list is read, asc skips none and desc repeats none', async () => {
  const links = await createTestLinks()
  const walk = fc.asyncProperty(growth, async ({ sort, limit, clicks, between }) => {
    for (const order of ['asc', 'desc']) {
      for (const { id } of (await links.list({ limit: '100' })).data) await links.remove(id)
      const all: { id: string; total: number }[] = []
      const grow = async (link: { id: string; total: number }, by: number) => {
        links.clock.ms++
        link.total += by
        await links.count(link.id, { total: link.total, lastClickedAt: links.clock.ms })
        await links.patch(link.id, { title: `${links.clock.ms}` })
      }
      for (const total of clicks) {
        const { id } = await links.create({ destination_url: 'https://example.com/' })
        all.push({ id, total: 0 })
        if (total > 0) await grow(all.at(-1) as (typeof all)[number], total)
      }
      const seen: string[] = []
      const grown = new Set<string>()
      let cursor: string | null = null
      for (let page = 0; page < 30; page++) {
        const query = { sort, order, limit, ...(cursor && { cursor }) }
        const { data, pagination } = await links.list(query)
        seen.push(...data.map(({ id }) => id))
        cursor = pagination.next_cursor
        if (cursor === null) break
        for (const index of between[page] ?? []) {
          const link = all[index] as (typeof all)[number]
          grown.add(link.id)
          await grow(link, 2)
        }
      }
      for (const { id } of all) {
        const times = seen.filter((other) => other === id).length
        if (!grown.has(id)) expect([order, times]).toEqual([order, 1])
        else if (order === 'asc') expect(times).toBeGreaterThanOrEqual(1)
        else expect(times).toBeLessThanOrEqual(1)
      }
    }
  })
  await fc.assert(walk, { numRuns: testDialect === 'sqlite' ? 30 : 6 })
  await links.close()
}, 120_000)
