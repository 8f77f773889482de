import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LinkRow } from './resolver.ts'
import { CachedSlug, SlugCache } from './slug-cache.ts'

const BOUNDS = {
  found: { entriesMax: 8, bytesMax: 4_000 },
  missing: { entriesMax: 4, bytesMax: 2_000 },
}

function entryOf(key: number, size: number, leads: boolean): CachedSlug {
  const link = key % 3 === 0 ? ({ seq: key, target_url: '', fallback_url: null } as LinkRow) : null
  const target_url = 'x'.repeat(size)
  const found = {
    link_seq: key,
    target_url,
    redirect_status: 302,
    special: 0,
    block_id: null,
    link,
  }
  return new CachedSlug(0, `s${key}`, leads ? found : null, 0, 0)
}

test('contains exactly what was added and not removed or evicted, within its bounds', () => {
  const steps = fc.array(
    fc.record({
      key: fc.nat(20),
      size: fc.integer({ min: 1, max: 600 }),
      what: fc.constantFrom('found', 'found', 'missing', 'visit', 'forget', 'link'),
    }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const cache = new SlugCache(BOUNDS)
      const put = new Map<number, CachedSlug>()
      for (const { key, size, what } of all) {
        const known = cache.get(`s${key}`, 0)
        if (what === 'visit') {
          if (known !== undefined) known.visited = true
        } else if (what === 'forget') {
          cache.forget({ domainNo: 0, slugKey: `s${key}` })
          put.delete(key)
        } else if (what === 'link') {
          cache.forget({ linkSeq: key })
          if (put.get(key)?.link) put.delete(key)
        } else {
          const entry = entryOf(key, size, what === 'found')
          put.set(key, entry)
          cache.put(entry)
        }
        const kept = [...put.values()].filter((entry) => entry.kept)
        for (const entry of kept) expect(cache.get(entry.slugKey, 0)).toBe(entry)
        for (const kind of ['found', 'missing'] as const) {
          const mine = kept.filter(({ link_seq }) => (link_seq === null) === (kind === 'missing'))
          expect(cache[kind].size).toBe(mine.length)
          expect(cache[kind].bytes).toBe(mine.reduce((sum, { bytes }) => sum + bytes, 0))
          expect(cache[kind].size).toBeLessThanOrEqual(BOUNDS[kind].entriesMax)
          expect(cache[kind].bytes).toBeLessThanOrEqual(BOUNDS[kind].bytesMax)
        }
      }
    }),
  )
})

test('an entry larger than the whole cache isn’t kept', () => {
  const cache = new SlugCache(BOUNDS)
  cache.put(entryOf(3, 3_000, true))
  expect(cache.get('s3', 0)).toBeUndefined()
  expect([cache.found.size, cache.found.bytes]).toEqual([0, 0])
})
