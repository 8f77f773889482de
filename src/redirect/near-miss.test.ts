import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { journalDirectory } from '../clicks/index.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { nearMisses } from './near-miss.ts'
import { openSite, type Site } from './testing/site.ts'

const AWAY = 'https://away.example'
/** As in the contract, with relatives. */
const CLINGING = [
  ...['.', ',', ';', ':', '!', ')', ']', '}', '>', '"', "'", '。', '、', '…', '”', '»', '」', '）'],
  ...[
    '%20',
    '%09',
    '%0A',
    '%C2%A0',
    '%E3%80%80',
    '\u200b',
    '%E2%80%8B',
    '%EF%BB%BF',
    '%2C',
    '%2E',
    '%3b',
  ],
]
const QUERIES = ['&utm_source=x', '%3Futm_source=x', '%3fa=b&c=%zz', '&a=/b/c//d']

describe.each([
  ['the embedded resolver', false],
  ['the cached resolver', true],
] as const)('with %s', (_, cached) => {
  let dir: string
  let site: Site

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-near-miss-'))
    await copyMigrated(dir)
    site = await openSite(dir, { clock: { now: () => 1_700_000_000_000 }, cached })
  })

  afterEach(async () => {
    await site.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function to(path: string, init: RequestInit = {}): Promise<string | number> {
    const response = await site.visit(path, init)
    return response.headers.get('location') ?? response.status
  }

  test('a link with anything that clings to it leads to it, and to no other than an exact one', async () => {
    const slugs = ['sale', 'Größe', 'docs/v1.2', '😀', 'a.b', 'sale.x']
    for (const slug of slugs) await site.addLink({ slug, target_url: `${AWAY}/${encodeURI(slug)}` })
    await site.addLink({ slug: 'sale.', target_url: `${AWAY}/exact` })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...slugs),
        fc.array(fc.constantFrom(...CLINGING), { maxLength: 4 }),
        fc.option(fc.constantFrom(...QUERIES), { nil: '' }),
        async (slug, appended, query) => {
          const path = `${slug}${appended.join('')}${query}`
          const location = await to(`/${path}`)
          const target = `${AWAY}/${encodeURI(slug)}`
          // Both are readings of it: the slug that ends in a full stop is the longer one.
          const mayBeExact = slug === 'sale' && /^sale(?:\.|%2E)/i.test(path)
          expect(mayBeExact ? [target, `${AWAY}/exact`] : [target]).toContain(location as string)
        },
      ),
      { numRuns: 300 },
    )
    expect(await to('/sale.')).toBe(`${AWAY}/exact`)
    expect(await to('/sale.,')).toBe(`${AWAY}/exact`)
    expect(await to('/sale.x')).toBe(`${AWAY}/sale.x`)
    for (const path of ['/sale-', '/sal', '/,', '/&x', '/none,', '/(sale', '/sale,x']) {
      expect([path, await to(path)]).toEqual([path, 404])
    }
  })

  test('what follows is the query, also of the click', async () => {
    await site.addLink({ slug: 'q', target_url: `${AWAY}/`, forward_query: 1 })
    expect(await to('/q&a=1&b=2')).toBe(`${AWAY}/?a=1&b=2`)
    expect(await to('/q%3Fa=1?b=2')).toBe(`${AWAY}/?a=1&b=2`)
    expect(await to('/q.?b=2')).toBe(`${AWAY}/?b=2`)
    expect(await to('/q,', { method: 'HEAD' })).toBe(`${AWAY}/`)
    await site.close()
    let clicks = 0
    readJournal(
      journalDirectory(dir),
      { segment: 0, offset: 0 },
      () => true,
      () => clicks++,
    )
    expect(clicks).toBe(3)
  })

  test('an exact slug, a prefix and the preview come first', async () => {
    await site.addLink({ slug: 'p', match_prefix: 1, forward_path: 1, target_url: `${AWAY}/` })
    expect(await to('/p/x.')).toBe(`${AWAY}/x.`)
    expect(await to('/p.')).toBe(`${AWAY}/`)
    expect(await to('/p/x&y=%3Fz')).toBe(`${AWAY}/x&y=%3Fz`)
    expect(await to('/p+')).toBe(200)
    expect(await to('/p+.')).toBe(200)
  })
})

test('readings take a time that is linear in the path', () => {
  expect(nearMisses(`a${'.,'.repeat(50_000)}`).at(-1)).toEqual({ path: 'a', query: '' })
  expect(nearMisses('%'.repeat(100_000))).toEqual([])
  expect(nearMisses('sale')).toEqual([])
})
