import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StorageUnavailable } from '../platform/storage/index.ts'
import { type CachedResolver, createCachedResolver } from './cached-resolver.ts'
import type { ListedSlug, SlugPages } from './fetch-slug.ts'
import type { LinkRow, SlugRow } from './resolver.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'

const START = 1_790_000_000_000
let now: number
/** The database: the row of each slug of domain 0. */
let rows: Map<string, SlugRow>
let asked: string[]
/** If set, reads wait for it. */
let held: PromiseWithResolvers<void> | undefined
let away: boolean
let resolver: CachedResolver

beforeEach(() => {
  now = START
  rows = new Map()
  asked = []
  held = undefined
  away = false
  resolver = open()
  resolver.known(now)
})
afterEach(() => resolver.close())

function open(options: Partial<Parameters<typeof createCachedResolver>[0]> = {}): CachedResolver {
  return createCachedResolver({
    clock: { now: () => now },
    retryMs: 5,
    async fetch(slugKey) {
      asked.push(slugKey)
      // Like a database: the result is that of the moment of the query.
      const found = rows.get(slugKey) ?? null
      if (held !== undefined) await held.promise
      if (away) throw new StorageUnavailable('away')
      return found
    },
    ...options,
  })
}

const plain = (target_url: string, seq = 1): SlugRow => ({
  link_seq: seq,
  target_url,
  redirect_status: 302,
  special: 0,
  block_id: null,
  link: null,
})
const special = (seq: number, link: Partial<LinkRow>): SlugRow => ({
  ...plain('https://s.example', seq),
  special: 1,
  link: { seq, target_url: 'https://s.example', ...link } as LinkRow,
})

/** The result within one event-loop turn: a promise if it has to query. */
function look(slugKey: string, from = resolver) {
  from.begin()
  const found = from.slug(slugKey, 0)
  from.end()
  return found
}
async function targetOf(slugKey: string, from = resolver): Promise<string | null | undefined> {
  return (await look(slugKey, from))?.target_url
}
const isKnown = (slugKey: string) => !(look(slugKey) instanceof Promise)
const changed = (slugKey: string) => resolver.changed([{ domainNo: 0, slugKey }])
const turn = () => new Promise((next) => setImmediate(next))

describe('cached slugs', () => {
  test('are returned synchronously without another query, also missing ones', async () => {
    rows.set('a', plain('https://a.example'))
    expect(await targetOf('a')).toBe('https://a.example')
    expect(await targetOf('none')).toBe(null)
    expect((look('a') as SlugRow).target_url).toBe('https://a.example')
    expect((look('none') as SlugRow).link_seq).toBe(null)
    expect(asked).toEqual(['a', 'none'])
    expect(resolver.state()).toMatchObject({ hits: 2, misses: 2, entries: 2, stale: 0 })
  })

  test('are queried once, however many visits wait', async () => {
    rows.set('a', plain('https://a.example'))
    held = Promise.withResolvers()
    const visits = Array.from({ length: 50 }, () => targetOf('a'))
    held.resolve()
    expect(new Set(await Promise.all(visits))).toEqual(new Set(['https://a.example']))
    expect(asked).toEqual(['a'])
  })

  test('have the conditions of their link', async () => {
    rows.set('a', special(7, { expires_at: 5 }))
    await targetOf('a')
    expect((look('a') as SlugRow).link).toMatchObject({ seq: 7, expires_at: 5 })
  })

  test('are separate by domain', async () => {
    rows.set('a', plain('https://a.example'))
    await targetOf('a')
    resolver.begin()
    expect(resolver.slug('a', 1)).toBeInstanceOf(Promise)
    resolver.changed([{ domainNo: 1, slugKey: 'a' }])
    expect(isKnown('a')).toBe(true)
  })

  test('are used as long as all changes until less than a second ago are known', async () => {
    rows.set('a', plain('https://a.example'))
    await targetOf('a')
    now += 899
    expect(isKnown('a')).toBe(true)
    now += 1
    await look('a')
    expect(asked).toHaveLength(2)
    // Without that, what was read less than half a second ago is used.
    now += 499
    expect(isKnown('a')).toBe(true)
    now += 1
    expect(isKnown('a')).toBe(false)
    resolver.known(now)
    expect(isKnown('a')).toBe(true)
    now -= 10_000
    expect(isKnown('a')).toBe(false)
  })

  test('are bounded; reused ones stay, whatever else is requested', async () => {
    resolver = open({
      bounds: {
        found: { entriesMax: 10, bytesMax: 1e9 },
        missing: { entriesMax: 5, bytesMax: 1e9 },
      },
    })
    resolver.known(now)
    for (let i = 0; i < 3; i++) {
      rows.set(`hot${i}`, plain('https://hot.example', 100 + i))
      await look(`hot${i}`)
    }
    for (let i = 0; i < 200; i++) {
      rows.set(`s${i}`, plain('https://s.example', 200 + i))
      await look(`s${i}`)
      await look(`none${i}`)
      for (let k = 0; k < 3; k++) expect([`hot${k}`, isKnown(`hot${k}`)]).toEqual([`hot${k}`, true])
    }
    expect(resolver.state().entries).toBe(15)
  })
})

describe('a change', () => {
  test('takes effect with the next visit, by slug and by link', async () => {
    rows.set('a', special(7, {}))
    rows.set('b', special(7, {}))
    for (const slug of ['a', 'b', 'new']) await look(slug)
    rows.set('a', { ...special(7, {}), target_url: 'https://new.example' })
    changed('a')
    expect(await targetOf('a')).toBe('https://new.example')
    rows.set('new', plain('https://made.example', 8))
    changed('new')
    expect(await targetOf('new')).toBe('https://made.example')
    rows.delete('a')
    rows.delete('b')
    resolver.changed([{ linkSeq: 7 }])
    expect([await targetOf('a'), await targetOf('b')]).toEqual([null, null])
    expect(await targetOf('new')).toBe('https://made.example')
  })

  for (const [what, change] of [
    ['slug', { domainNo: 0, slugKey: 'a' }],
    ['link', { linkSeq: 1 }],
  ] as const) {
    test(`during a read of its ${what} is not undone by it, and later visits don't wait for it`, async () => {
      rows.set('a', plain('https://old.example'))
      const first = Promise.withResolvers<void>()
      held = first
      const before = targetOf('a')
      rows.set('a', plain('https://new.example'))
      resolver.changed([change])
      held = undefined
      const after = targetOf('a')
      expect(await after).toBe('https://new.example')
      first.resolve()
      expect(await before).toBe('https://old.example')
      expect((look('a') as SlugRow).target_url).toBe('https://new.example')
    })
  }

  test('that a visit has read is not undone by a list of changes that was read before', async () => {
    rows.set('a', plain('https://old.example'))
    const read = Promise.withResolvers<void>()
    const following = resolver.follow(async () => {
      const changes = [
        { change: { domainNo: 0, slugKey: 'a' }, slug: plain('https://old.example') },
      ]
      await read.promise
      return { mark: { server: '1', snapshot: '1:1:', at: now }, changes, next: null }
    })
    // Its message is still on the way.
    rows.set('a', plain('https://new.example'))
    expect(await targetOf('a')).toBe('https://new.example')
    read.resolve()
    await following
    expect(await targetOf('a')).toBe('https://new.example')
  })

  test('that may have been missed causes all slugs to be queried again, including running reads', async () => {
    rows.set('a', plain('https://old.example'))
    rows.set('b', plain('https://old.example'))
    await look('a')
    const first = Promise.withResolvers<void>()
    held = first
    const before = targetOf('b')
    held = undefined
    rows.set('a', plain('https://new.example'))
    rows.set('b', plain('https://new.example'))
    resolver.lost(now)
    first.resolve()
    expect(await before).toBe('https://old.example')
    expect([await targetOf('a'), await targetOf('b')]).toEqual([
      'https://new.example',
      'https://new.example',
    ])
  })
})

describe('a fill', () => {
  const listed = (slugKey: string, found = rows.get(slugKey)): ListedSlug => ({
    slugKey,
    domainNo: 0,
    ...(found as SlugRow),
  })
  async function* pagesOf(...pages: string[][]): SlugPages {
    for (const page of pages) {
      const read = page.map((slugKey) => listed(slugKey))
      if (held !== undefined) await held.promise
      if (away) throw new StorageUnavailable('away')
      yield read
    }
    return true
  }

  test('makes unvisited links available, also while the database is down', async () => {
    for (const slug of ['a', 'b', 'c']) rows.set(slug, plain(`https://${slug}.example`))
    expect(resolver.state().filled).toBe('none')
    await resolver.fill(pagesOf(['a', 'b'], ['c']))
    expect(resolver.state()).toMatchObject({ filled: 'all', entries: 3 })
    expect(['a', 'b', 'c'].map(isKnown)).toEqual([true, true, true])
    expect(asked).toEqual([])
    away = true
    now += 600_000
    for (const slug of ['a', 'b', 'c']) {
      expect(await targetOf(slug)).toBe(`https://${slug}.example`)
    }
    expect(() => look('d')).toThrow(StorageUnavailable)
    expect(resolver.state()).toMatchObject({ refused: 1, databaseDown: true })
  })

  for (const [what, change] of [
    ['a change of a link', () => resolver.changed([{ linkSeq: 2 }])],
    ['an outdated slug', () => resolver.outdated('b', 0)],
  ] as const) {
    test(`isn’t complete after ${what}, until its slugs are read again`, async () => {
      rows.set('a', plain('https://a.example'))
      rows.set('b', special(2, {}))
      await resolver.fill(pagesOf(['a', 'b']))
      expect(resolver.hasAll()).toBe(true)
      change()
      expect(resolver.hasAll()).toBe(false)
      resolver.known(now)
      await turn()
      expect([resolver.hasAll(), isKnown('b'), asked]).toEqual([true, true, ['b']])
    })
  }

  test('doesn’t overwrite a change received while it reads', async () => {
    rows.set('a', plain('https://old.example', 1))
    rows.set('b', special(2, {}))
    held = Promise.withResolvers()
    const filling = resolver.fill(pagesOf(['a', 'b']))
    rows.set('a', plain('https://new.example', 1))
    changed('a')
    resolver.changed([{ linkSeq: 2 }])
    held.resolve()
    held = undefined
    await filling
    expect(isKnown('a')).toBe(false)
    expect(await targetOf('a')).toBe('https://new.example')
    expect(isKnown('b')).toBe(false)
  })

  test('doesn’t overwrite what a visit reads meanwhile', async () => {
    rows.set('a', plain('https://old.example'))
    const page = Promise.withResolvers<void>()
    held = page
    const filling = resolver.fill(pagesOf(['a']))
    held = undefined
    rows.set('a', plain('https://new.example'))
    expect(await targetOf('a')).toBe('https://new.example')
    page.resolve()
    await filling
    expect(await targetOf('a')).toBe('https://new.example')
  })

  test('stops when the cache is full, and evicts nothing', async () => {
    const found = { entriesMax: 3, bytesMax: 1e9 }
    resolver = open({ bounds: { found, missing: found } })
    for (const slug of ['a', 'b', 'c', 'd']) rows.set(slug, plain(`https://${slug}.example`))
    await look('d')
    await resolver.fill(pagesOf(['a', 'b', 'c', 'd']))
    expect(resolver.state()).toMatchObject({ filled: 'part', entries: 3 })
    resolver.known(now)
    expect(['a', 'b', 'c', 'd'].map(isKnown)).toEqual([true, true, false, true])
  })

  test('that fails keeps what it has read, and doesn’t count as complete', async () => {
    rows.set('a', plain('https://a.example'))
    const pages = async function* (): SlugPages {
      yield [listed('a')]
      throw new StorageUnavailable('away')
    }
    await expect(resolver.fill(pages())).rejects.toBeInstanceOf(StorageUnavailable)
    expect(resolver.state().filled).toBe('none')
    expect(isKnown('a')).toBe(true)
  })
})

describe('while the database is down', () => {
  test('cached slugs are used, and counted; others are refused immediately', async () => {
    rows.set('a', plain('https://a.example'))
    rows.set('b', plain('https://b.example'))
    await look('a')
    await look('b')
    await look('none')
    now += 600_000
    away = true
    expect(await targetOf('a')).toBe('https://a.example')
    expect((look('b') as SlugRow).target_url).toBe('https://b.example')
    for (const slug of ['never seen', 'none']) {
      expect(() => look(slug)).toThrow(StorageUnavailable)
    }
    expect(resolver.state()).toMatchObject({ databaseDown: true, stale: 2 })
  })

  test('cached slugs are used despite possibly missed changes, but not if a change was received', async () => {
    rows.set('a', plain('https://a.example'))
    rows.set('b', plain('https://b.example'))
    await look('a')
    await look('b')
    away = true
    resolver.lost(now)
    expect(await targetOf('a')).toBe('https://a.example')
    changed('b')
    expect(() => look('b')).toThrow(StorageUnavailable)
  })

  test('a change received during a read is not overwritten by its older result', async () => {
    rows.set('a', plain('https://old.example'))
    await look('a')
    now += 600_000
    held = Promise.withResolvers()
    const visit = targetOf('a')
    changed('a')
    away = true
    held.resolve()
    await expect(visit).rejects.toBeInstanceOf(StorageUnavailable)
  })

  test('nothing older than a day is used', async () => {
    rows.set('a', plain('https://a.example'))
    await look('a')
    away = true
    now += 86_400_000
    await expect(targetOf('a')).rejects.toBeInstanceOf(StorageUnavailable)
  })

  test('it is retried automatically', async () => {
    rows.set('a', plain('https://a.example'))
    away = true
    await expect(targetOf('a')).rejects.toBeInstanceOf(StorageUnavailable)
    away = false
    while (resolver.state().databaseDown) await turn()
    expect(await targetOf('a')).toBe('https://a.example')
  })

  test('one visit notices that it is slow; others use the cache immediately', async () => {
    resolver = open({ freshWithinMs: 5, fetchWithinMs: 10_000 })
    for (const slug of ['a', 'b']) rows.set(slug, plain(`https://${slug}.example`))
    for (const slug of ['a', 'b']) await targetOf(slug)
    now += 1_000
    held = Promise.withResolvers()
    expect(await targetOf('a')).toBe('https://a.example')
    expect(isKnown('a')).toBe(true)
    expect(isKnown('b')).toBe(true)
    rows.set('c', plain('https://c.example'))
    const waiting = look('c')
    held.resolve()
    held = undefined
    expect((await waiting)?.target_url).toBe('https://c.example')
    // It responds again, so visits wait for it again.
    now += 1_000
    expect(isKnown('b')).toBe(false)
  })

  test('with too many pending reads, the cache is used', async () => {
    resolver = open({ fetchesMax: 1 })
    rows.set('a', plain('https://a.example'))
    await targetOf('a')
    now += 1_000
    held = Promise.withResolvers()
    const waiting = look('other')
    expect(isKnown('a')).toBe(true)
    expect(() => look('third')).toThrow(StorageUnavailable)
    held.resolve()
    await waiting
  })

  test('visits wait only briefly for a database that hangs', async () => {
    resolver = open({ freshWithinMs: 5, fetchWithinMs: 10 })
    resolver.known(now)
    rows.set('a', plain('https://a.example'))
    await look('a')
    now += 600_000
    held = Promise.withResolvers()
    expect(await targetOf('a')).toBe('https://a.example')
    await expect(targetOf('b')).rejects.toBeInstanceOf(StorageUnavailable)
    expect(() => look('c')).toThrow(StorageUnavailable)
    held.resolve()
  })
})

describe('the snapshot', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-snapshot-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  test('lets a new process redirect while the database is down, and no longer', async () => {
    rows.set('a', plain('https://a.example', 1))
    rows.set('b', special(2, { expires_at: now + 5, password_hash: null, max_clicks: null }))
    for (const slug of ['a', 'b', 'none']) await look(slug)
    const file = join(dir, 'hot-links')
    expect(await writeSnapshot(file, resolver.links())).toBe(2)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const next = open()
    next.restore(await readSnapshot(file))
    away = true
    expect(await targetOf('a', next)).toBe('https://a.example')
    expect((look('b', next) as SlugRow).link).toMatchObject({ seq: 2, expires_at: now + 5 })
    away = false
    rows.set('a', plain('https://new.example'))
    while (next.state().databaseDown) await turn()
    expect(await targetOf('a', next)).toBe('https://new.example')
    next.close()
  })

  test('contains neither password-protected links nor those that need the database', async () => {
    rows.set('open', plain('https://open.example', 1))
    rows.set('secret', special(2, { password_hash: '$argon2id$x', max_clicks: null }))
    rows.set('limited', special(3, { password_hash: null, max_clicks: 5 }))
    for (const slug of rows.keys()) await look(slug)
    const file = join(dir, 'hot-links')
    await writeSnapshot(file, resolver.links())
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('open.example')
    expect(text).not.toMatch(/secret|argon2id|limited/)
  })

  test('that is missing or damaged is ignored', async () => {
    const file = join(dir, 'hot-links')
    expect(await readSnapshot(file)).toEqual([])
    writeFileSync(file, '{"version":2}\n["a",0,')
    expect(await readSnapshot(file)).toEqual([])
    writeFileSync(file, '{"version":99}\n["a",0,1,1,"https://a.example",302,0,null]\n')
    expect(await readSnapshot(file)).toEqual([])
  })
})
