import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { setBlocked } from '../../features/blocks/testing/set-blocked.ts'
import { createTestLinks, type TestLinks } from '../../features/links/testing/links.ts'
import { createCachedResolver, createFetchSlug } from '../../redirect/index.ts'
import { createUseOnce } from '../../redirect/uses.ts'
import { type LinkChange, StorageUnavailable } from '../storage/index.ts'
import { announcingLinks } from './link-invalidation.ts'

let links: TestLinks
let told: LinkChange[] = []
beforeAll(async () => {
  links = await createTestLinks()
  const { storage } = links
  const announcing = announcingLinks({ ...storage }, (changes) => {
    told.push(...changes)
    resolver.changed(changes)
  })
  storage.write = announcing.write
  resolver = createCachedResolver({ fetch: createFetchSlug(storage), clock: links.clock })
  resolver.known(links.clock.now())
})
afterAll(async () => {
  resolver.close()
  await links.close()
})

let resolver: ReturnType<typeof createCachedResolver>

/** The cached data for a visit, as far as it affects the response. */
async function seen(slugKey: string, domainNo: number) {
  resolver.begin()
  const slug = await resolver.slug(slugKey, domainNo)
  resolver.end()
  if (slug === null || slug.link_seq === null) return slug?.block_id ? 'blocked' : 'nothing'
  const { link_seq, target_url, redirect_status, block_id, link } = slug
  return {
    block_id,
    link_seq,
    target_url,
    redirect_status,
    link,
  }
}

const LINK = ['seq', 'target_url', 'redirect_status', 'enabled', 'forward_query'] as const
const CONDITIONS = [
  'starts_at',
  'expires_at',
  'max_clicks',
  'uses',
  'fallback_url',
  'password_hash',
  'forward_path',
  'rules',
  'social',
  'tracking',
  'variants',
] as const

/** The same, from the database. */
async function truth(slugKey: string, domainNo: number) {
  const { db } = links.storage.read
  const slug = await db
    .selectFrom('slugs')
    .select(['slug', 'link_seq', 'target_url', 'redirect_status', 'special', 'block_id'])
    .where('slug_key', '=', slugKey)
    .where('domain_no', '=', domainNo)
    .executeTakeFirst()
  if (slug === undefined || slug.link_seq === null) return slug?.block_id ? 'blocked' : 'nothing'
  const { special, slug: spelling, ...rest } = slug
  if (special === 0) return { ...rest, link: null }
  const link = db.selectFrom('links').select([...LINK, ...CONDITIONS])
  const row = await link.where('seq', '=', slug.link_seq).executeTakeFirstOrThrow()
  return { ...rest, link: { ...row, slug: spelling } }
}

const SLUGS = ['a', 'b', 'c', 'd', 'e']

async function agree(): Promise<void> {
  for (const slug of SLUGS) {
    for (const domain of [0, 1]) {
      const expected = await truth(slug, domain)
      expect<unknown>([slug, domain, await seen(slug, domain)]).toEqual([slug, domain, expected])
      // The second time from memory.
      expect<unknown>(await seen(slug, domain)).toEqual(expected)
    }
  }
}

describe('the cache of redirects', () => {
  test('agrees with the database after any operations on links', async () => {
    const slug = fc.constantFrom(...SLUGS)
    const which = fc.nat(20)
    const domain = fc.constantFrom('s.example', 'go.example')
    const step = fc.oneof(
      fc.record({ do: fc.constant('create' as const), slug, domain, alias: slug }),
      fc.record({
        do: fc.constant('patch' as const),
        which,
        body: fc.oneof(
          fc.record({ slug }),
          fc.record({ domain }),
          fc.record({ aliases: fc.uniqueArray(slug, { maxLength: 3 }) }),
          fc.record({ enabled: fc.boolean() }),
          fc.record({ forward_path: fc.boolean() }),
          fc.record({ tracking: fc.constantFrom('full', 'count', 'none') }),
          fc.record({ max_clicks: fc.constantFrom(null, 1, 2) }),
          fc.record({ password: fc.constantFrom(null, 'correct horse') }),
          fc.record({ expires_at: fc.constantFrom(null, '2099-01-01T00:00:00Z') }),
          fc.record({ destination_url: fc.constantFrom('https://x.example', 'https://y.example') }),
        ),
      }),
      fc.record({ do: fc.constantFrom('remove', 'restore', 'block', 'unblock', 'use'), which }),
      fc.record({ do: fc.constant('purge' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        await links.storage.write((tx) => links.service.purgeSome(tx, 1))
        await agree()
        const made: string[] = []
        for (const action of steps) {
          // A refused operation changes nothing, and must not be visible either.
          await act(action, made).catch((error) => {
            if (error.code === undefined) throw error
          })
          await agree()
        }
      }),
      { numRuns: 25 },
    )
  })

  async function act(action: { do: string } & Record<string, unknown>, made: string[]) {
    const id = made.length === 0 ? '' : (made[(action.which as number) % made.length] as string)
    const { storage, clock } = links
    switch (action.do) {
      case 'create': {
        const { slug, domain, alias } = action
        const link = await links.create({
          destination_url: 'https://a.example',
          slug,
          domain,
          aliases: alias === slug ? [] : [alias],
        })
        made.push(link.id)
        break
      }
      case 'patch':
        await links.patch(id, action.body as object)
        break
      case 'remove':
        await links.remove(id)
        break
      case 'restore':
        await links.restore(id)
        break
      case 'purge':
        await storage.write((tx) => links.service.purgeSome(tx, 1))
        break
      case 'use': {
        const rows = await storage.read.db.selectFrom('links').select(['seq']).execute()
        const useOnce = createUseOnce(storage)
        for (const { seq } of rows) await useOnce(seq, clock.now())
        // The number of uses only matters when the last one is taken.
        resolver.lost(clock.now())
        break
      }
      default: {
        const { domains } = links.service.rules
        await setBlocked({ storage, domains, clock }, id, action.do === 'block')
      }
    }
  }
})

test('the last use of a limited link closes it on all nodes', async () => {
  const made = await links.create({ destination_url: 'https://a.example', max_clicks: 2 })
  const found = await seen(made.slug, 0)
  const { link_seq: seq } = found as { link_seq: number }
  told = []
  const useOnce = createUseOnce(links.storage)
  await useOnce(seq, links.clock.now())
  expect(told).toEqual([])
  expect(await seen(made.slug, 0)).toEqual(found)
  await useOnce(seq, links.clock.now())
  expect(told).toEqual([{ linkSeq: seq }])
  expect(await seen(made.slug, 0)).toMatchObject({ link: { uses: 2, max_clicks: 2 } })
  expect(await useOnce(seq, links.clock.now())).toBe(null)
})

test('this node is invalidated before the write resolves; rolled back changes aren’t published', async () => {
  const { storage } = links
  const order: string[] = []
  const announcing = announcingLinks({ ...storage }, () => order.push('told'))
  const change = { domainNo: 0, slugKey: 'x' }
  await announcing.write(async (tx) => tx.linkChanged?.(change)).then(() => order.push('resolved'))
  expect(order).toEqual(['told', 'resolved'])
  const undone = announcing.write(async (tx) => {
    tx.linkChanged?.(change)
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  expect(order).toHaveLength(2)
})

test('a commit whose response was lost is published: it may have succeeded', async () => {
  const told: LinkChange[] = []
  const storage = {
    ...links.storage,
    async write<T>(work: (tx: never) => Promise<T>): Promise<T> {
      await work({ afterCommit() {} } as never)
      throw new StorageUnavailable('lost')
    },
  }
  const announcing = announcingLinks(storage, (changes) => told.push(...changes))
  const change = { domainNo: 0, slugKey: 'x' }
  const write = announcing.write(async (tx) => tx.linkChanged?.(change))
  await expect(write).rejects.toBeInstanceOf(StorageUnavailable)
  expect(told).toEqual([change])
})
