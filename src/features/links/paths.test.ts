import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../../lib/errors/index.ts'
import type { EmbeddedStorage } from '../../platform/storage/index.ts'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { findSlug } from '../../redirect/find-slug.ts'
import {
  createCachedResolver,
  createEmbeddedResolver,
  createFetchSlug,
  type Resolver,
} from '../../redirect/index.ts'
import { parsePath, type Visit } from '../../redirect/visit.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'
import { expectConsistent, slugRow } from './testing/tables.ts'

const URL_A = 'https://a.example/'

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
const afterwards = async () => links.close()

const create = (slug: string, more: object = {}, workspaceNo = 1) =>
  links.create({ destination_url: URL_A, slug, ...more }, workspaceNo)
const suggestions = async (attempt: Promise<unknown>) => {
  const error = await attempt.catch((reason) => reason)
  if (!(error instanceof AppError)) throw new Error('It was not refused')
  return error.suggestions ?? []
}

describe('a slug of several segments, with dots and emoji', () => {
  test('is kept as typed by all operations', async () => {
    const slug = 'Guide/v1.2/Größe~😀'
    const link = await create(slug, { aliases: ['❤️/a.b', 'go.example/x/y'] })
    expect(link).toMatchObject({ slug, aliases: ['❤️/a.b', 'go.example/x/y'], domain: 's.example' })
    expect(link.short_url).toBe('https://s.example/Guide/v1.2/Gr%C3%B6%C3%9Fe~%F0%9F%98%80')
    for (const search of ['v1.2', 'guide/v1', 'größe', '😀']) {
      expect((await links.list({ search })).data.map(({ id }) => id)).toEqual([link.id])
    }
    const renamed = await links.patch(link.id, { slug: 'Guide/v2.0' })
    expect(renamed.aliases).toEqual(['❤️/a.b', 'go.example/x/y', slug])
    expect(await links.patch(link.id, { aliases: renamed.aliases })).toEqual(renamed)
    expect((await links.list({ sort: 'slug' })).data[0]?.slug).toBe('Guide/v2.0')
    await expectConsistent(links)
    await links.remove(link.id)
    expect((await slugRow(links, 'guide/v2.0'))?.link_seq).toBeNull()
    expect(await refusal(create('guide/V2.0', {}, 2))).toEqual(['SLUG_TAKEN'])
    const restored = await links.restore(link.id)
    expect(restored).toMatchObject({ slug: 'Guide/v2.0', aliases: renamed.aliases })
    const first = await links.restore(link.id, { version: 1 })
    expect(first).toMatchObject({ slug, aliases: ['❤️/a.b', 'go.example/x/y'] })
    await expectConsistent(links)
    await afterwards()
  })

  test('is taken regardless of case, composition and emoji style, with suggestions', async () => {
    await create('Café/❤️')
    for (const slug of ['café/❤️', 'CAFE\u0301/❤', 'Café/❤']) {
      const free = await suggestions(create(slug, {}, 2))
      expect(free).toHaveLength(3)
      for (const one of free) expect((await create(one, {}, 2)).slug).toBe(one)
    }
    await create('café')
    await create('café/❤/x')
    await afterwards()
  })

  test('distinguishes an alias from a slug that begins with a host name', async () => {
    const link = await create('a', { aliases: ['s.example/go.example/x', 'go.example/x'] })
    expect(link.aliases).toEqual(['s.example/go.example/x', 'go.example/x'])
    expect((await slugRow(links, 'go.example/x'))?.link_seq).toBe(
      (await slugRow(links, 'x', 1))?.link_seq,
    )
    expect(await links.patch(link.id, { aliases: link.aliases })).toEqual(link)
    await expectConsistent(links)
    await afterwards()
  })
})

describe('reserved first segments', () => {
  test('are refused only on the instance’s own host, all together', async () => {
    expect(
      await refusal(
        create('API/v1', {
          destination_url: 'ftp://a',
          aliases: ['ok', 'robots.txt', 's.example/docs/a', 'go.example/docs/a', 'a/docs'],
        }),
      ),
    ).toEqual([
      'VALIDATION_FAILED',
      'destination_url: URL_SCHEME_NOT_ALLOWED',
      'slug: SLUG_RESERVED',
      'aliases[1]: SLUG_RESERVED',
      'aliases[2]: SLUG_RESERVED',
    ])
    const link = await create('docs/a', { domain: 'go.example', aliases: ['login'] })
    expect(link.short_url).toBe('https://go.example/docs/a')
    expect(await refusal(links.patch(link.id, { domain: 's.example' }))).toEqual([
      'VALIDATION_FAILED',
      'slug: SLUG_RESERVED',
    ])
    const moved = await links.patch(link.id, { domain: 's.example', slug: 'guide' })
    expect(moved.aliases).toEqual(['go.example/login', 'go.example/docs/a'])
    expect(await refusal(links.patch(link.id, { aliases: ['app/x'] }))).toEqual([
      'VALIDATION_FAILED',
      'aliases[0]: SLUG_RESERVED',
    ])
    expect(await refusal(create('.well-known/x', { domain: 'go.example' }))).toEqual([
      'VALIDATION_FAILED',
      'slug: SLUG_RESERVED',
    ])
    await afterwards()
  })
})

describe('a prefix', () => {
  test('is a field like any other: changed, cleared by null, restored', async () => {
    const link = await create('a', { match: 'prefix', forward_path: true })
    expect(link).toMatchObject({ match: 'prefix', forward_path: true })
    expect((await slugRow(links, 'a'))?.special).toBe(2)
    const exact = await links.patch(link.id, { match: 'exact', forward_path: false })
    expect(exact).toMatchObject({ match: 'exact', forward_path: false })
    expect((await slugRow(links, 'a'))?.special).toBe(0)
    expect((await links.history(link.id)).data[0]?.changes).toEqual({
      match: { from: 'prefix', to: 'exact' },
      forward_path: { from: true, to: false },
    })
    expect(await links.restore(link.id, { version: 1 })).toMatchObject({ match: 'prefix' })
    expect(await refusal(links.patch(link.id, { match: 'regex', forward_path: 1 }))).toEqual([
      'VALIDATION_FAILED',
      'match: INVALID_VALUE',
      'forward_path: INVALID_TYPE',
    ])
    await afterwards()
  })

  test('of another workspace reserves everything below it, also after deletion', async () => {
    const early = await create('guide/early', {}, 2)
    const guide = await create('guide', { match: 'prefix' })
    expect((await create('guide/own')).slug).toBe('guide/own')
    const free = await suggestions(create('guide/a/b', {}, 2))
    expect(free[0]).toBe('guide-2/a/b')
    for (const one of free) expect((await create(one, {}, 2)).slug).toBe(one)
    expect(await refusal(create('x', { aliases: ['guide/a'] }, 2))).toEqual([
      'SLUG_TAKEN',
      'aliases: SLUG_TAKEN',
    ])
    // What it had before stays its own, and can be restored.
    await links.remove(early.id, { workspaceNo: 2 })
    await links.restore(early.id, { workspaceNo: 2 })
    // Its own prefix below takes precedence.
    await links.patch(early.id, { match: 'prefix' }, { workspaceNo: 2 })
    await create('guide/early/b', {}, 2)
    await links.remove(guide.id)
    expect(await refusal(create('guide/a/b', {}, 2))).toEqual(['SLUG_TAKEN'])
    await links.restore(guide.id)
    await links.patch(guide.id, { match: 'exact' })
    await create('guide/a/b', {}, 2)
    await expectConsistent(links)
    await afterwards()
  })

  test('is checked before it is written', async () => {
    const caller = (no: number) => ({
      workspace: { no, plan: { limits: { links: null, addresses: null } } },
      actor: COMMAND_LINE,
    })
    await create('guide', { match: 'prefix' })
    const check = (no: number, draft: object) => links.service.checkLink(caller(no), draft)
    expect((await check(1, { slug: 'guide/a' })).problems).toEqual([])
    const taken = await check(2, { slug: 'guide/a' })
    expect(taken.problems).toEqual([{ field: 'slug', code: 'SLUG_TAKEN' }])
    expect(taken.suggestions).toHaveLength(3)
    const reserved = await check(1, { slug: 'api/x' })
    expect(reserved.problems).toEqual([{ field: 'slug', code: 'SLUG_RESERVED' }])
    expect((await check(1, { slug: 'api/x', domain: 'go.example' })).problems).toEqual([])
    await afterwards()
  })
})

test.each([
  'https://{path}.example/',
  'https://e.com:{path.1}/',
  '{query.scheme}://e.com/',
  'https://{query.user}@e.com/',
  'https://%7Bslug%7D/',
  'https:\\\\{path}/',
])('no placeholder is in the origin of %s', async (destination_url) => {
  expect(await refusal(create('a', { destination_url, fallback_url: destination_url }))).toEqual([
    'VALIDATION_FAILED',
    'destination_url: PLACEHOLDER_IN_ORIGIN',
    'fallback_url: PLACEHOLDER_IN_ORIGIN',
  ])
  await afterwards()
})

test('placeholders are kept byte for byte, and make the redirect read the link', async () => {
  const destination_url = 'https://e.com/{path}/ä?{keyword}={query.a-b}#{slug}'
  expect(await create('a', { destination_url })).toMatchObject({ destination_url })
  expect((await slugRow(links, 'a'))?.special).toBe(1)
  await create('b', { destination_url: 'https://e.com/{keyword}' })
  expect((await slugRow(links, 'b'))?.special).toBe(0)
  await afterwards()
})

describe('the link of a path', () => {
  const SEGMENTS = ['a', 'B', 'ü', '😀', 'v1.2', '~']
  const slug = fc
    .array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 4 })
    .map((all) => all.join('/'))
  const sets = fc.uniqueArray(
    fc.record({ slug, prefix: fc.boolean(), alias: fc.option(slug), deleted: fc.boolean() }),
    { minLength: 1, maxLength: 8, selector: (one) => one.slug.toLowerCase() },
  )
  const spelled = (segment: string, way: number) =>
    [segment, segment.toUpperCase(), encodeURIComponent(segment), segment.normalize('NFD')][way]
  const paths = fc.array(
    fc
      .array(fc.tuple(fc.constantFrom(...SEGMENTS, 'x', 'a%2Fb', '%zz', ''), fc.nat(3)), {
        minLength: 1,
        maxLength: 10,
      })
      .map((all) =>
        all
          .map(([segment, way]) => (/%|^$/.test(segment) ? segment : spelled(segment, way)))
          .join('/'),
      ),
    { minLength: 20, maxLength: 40 },
  )

  const plain = (text: string) => text.normalize('NFC').toLowerCase()
  /** A simple model: the exact slug, else the longest prefix. */
  function naive(known: { slug: string; prefix: boolean; id: string }[], path: string) {
    const asked = new URL(`https://s.example${path}`).pathname
      .slice(1)
      .replace(/\/$/, '')
      .split('/')
    const names = asked.map((segment) => {
      try {
        return plain(decodeURIComponent(segment))
      } catch {
        return '?'
      }
    })
    const begins = (segments: string[]) => segments.every((segment, i) => segment === names[i])
    const found = known
      .map((one) => ({ ...one, segments: plain(one.slug).split('/') }))
      .filter(
        ({ segments, prefix }) => begins(segments) && (prefix || segments.length === names.length),
      )
      .sort((a, b) => b.segments.length - a.segments.length)
    return found[0]?.id ?? null
  }

  let open: TestLinks
  let resolvers: Resolver[] = []
  beforeAll(async () => {
    open = await createTestLinks()
    const fetch = createFetchSlug(open.storage)
    resolvers = [createCachedResolver({ fetch, clock: open.clock, maxAgeMs: 0 })]
    if (testDialect === 'sqlite') {
      resolvers.push(createEmbeddedResolver((open.storage as EmbeddedStorage).reader.raw))
    }
  })
  afterAll(() => open.close())

  async function answers(resolver: Resolver, path: string): Promise<number | null> {
    const requested = parsePath(new URL(`https://s.example${path}`).pathname.slice(1))
    if (requested === null) return null
    resolver.begin()
    try {
      const row = await findSlug(resolver, { requested, domainNo: 0 } as Visit)
      return row?.link_seq ?? null
    } finally {
      resolver.end()
    }
  }

  test('is the exact slug, else the longest prefix, like in a naive search', async () => {
    await fc.assert(
      fc.asyncProperty(sets, paths, async (set, visited) => {
        links = open
        for (const { id } of (await links.list({ limit: '100' })).data) await links.remove(id)
        const known: { slug: string; prefix: boolean; id: string }[] = []
        const made: string[] = []
        for (const { slug, prefix, alias, deleted } of set) {
          const used = known.some((one) => plain(one.slug) === plain(slug))
          if (used) continue
          const isFree =
            alias !== null &&
            !known.some((one) => plain(one.slug) === plain(alias)) &&
            plain(alias) !== plain(slug) &&
            !set.some((one) => plain(one.slug) === plain(alias))
          const link = await create(slug, {
            match: prefix ? 'prefix' : 'exact',
            ...(isFree && { aliases: [alias] }),
          })
          made.push(link.id)
          if (deleted) {
            await links.remove(link.id)
            continue
          }
          known.push({ slug, prefix, id: link.id })
          if (isFree) known.push({ slug: alias, prefix, id: link.id })
        }
        const rows = await links.storage.read.db.selectFrom('links').select(['seq', 'id']).execute()
        const ids = new Map(rows.map(({ seq, id }) => [seq, id]))
        for (const path of visited) {
          const expected = naive(known, `/${path}`)
          for (const resolver of resolvers) {
            const seq = await answers(resolver, `/${path}`)
            expect([path, seq === null ? null : ids.get(seq)]).toEqual([path, expected])
          }
        }
      }),
      { numRuns: testDialect === 'sqlite' ? 150 : 25 },
    )
  }, 300_000)
})
