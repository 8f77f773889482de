import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'

const URL_A = 'https://a.example/'
const FULL = ['PLAN_LIMIT_REACHED', 'addresses: ADDRESSES_LIMIT']

let links: TestLinks

beforeEach(async () => {
  links = await createTestLinks()
})

afterEach(() => links.close())

/** The stored counts, and the actual ones. */
async function counted() {
  const { db } = links.storage.read
  const { addresses_count } = await db
    .selectFrom('workspaces')
    .select('addresses_count')
    .where('no', '=', 1)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('slugs')
    .select('slug')
    .where('link_seq', 'is not', null)
    .execute()
  return [addresses_count, rows.length]
}

const make = (body: object = {}) => links.create({ destination_url: URL_A, ...body })

describe('the addresses of a plan', () => {
  test('are counted with every change of a link', async () => {
    const link = await make({ slug: 'a', aliases: ['b', 'c', 'A'] })
    expect(await counted()).toEqual([3, 3])
    await links.patch(link.id, { slug: 'd' })
    expect(await counted()).toEqual([4, 4])
    await links.patch(link.id, { title: 'x' })
    expect(await counted()).toEqual([4, 4])
    await links.patch(link.id, { aliases: ['b'] })
    expect(await counted()).toEqual([2, 2])
    await links.patch(link.id, { domain: 'go.example' })
    expect(await counted()).toEqual([3, 3])
    await make({ aliases: ['e'] })
    expect(await counted()).toEqual([5, 5])
    await links.remove(link.id)
    expect(await counted()).toEqual([2, 2])
    await links.restore(link.id)
    expect(await counted()).toEqual([5, 5])
    await links.restore(link.id, { version: 1 })
    expect(await counted()).toEqual([5, 5])
  })

  test('are refused beyond the limit, for any operation', async () => {
    const link = await make({ slug: 'a', aliases: ['b'] })
    const deleted = await make()
    await links.remove(deleted.id)
    links.setAddressesLimit(3)
    expect(await refusal(make({ aliases: ['c'] }))).toEqual(FULL)
    await make()
    for (const body of [{ slug: 'd' }, { aliases: ['b', 'c'] }, { domain: 'go.example' }]) {
      expect(await refusal(links.patch(link.id, body))).toEqual(FULL)
    }
    expect(await refusal(make())).toEqual(FULL)
    expect(await refusal(links.restore(deleted.id))).toEqual(FULL)
    expect(await counted()).toEqual([3, 3])
    // Addresses can be exchanged, and removed while there are too many.
    await links.patch(link.id, { slug: 'd', aliases: ['a'] })
    links.setAddressesLimit(1)
    await links.patch(link.id, { aliases: [] })
    expect(await counted()).toEqual([2, 2])
  })

  test('are named as the limit while links are left, and links when none is left', async () => {
    await make()
    links.setAddressesLimit(1)
    links.setLimit(2)
    expect(await refusal(make())).toEqual(FULL)
    links.setLimit(1)
    expect(await refusal(make())).toEqual(['PLAN_LIMIT_REACHED', 'links: LINKS_LIMIT'])
  })

  test('are exact under concurrency', async () => {
    links.setAddressesLimit(10)
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => make({ aliases: [`x${i}`, `y${i}`] })),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await counted()).toEqual([9, 9])
  })
})
