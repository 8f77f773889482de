import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalDirectory } from '../clicks/index.ts'
import type { ClickRecord } from '../clicks/record.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { openSite, type Site } from './testing/site.ts'

const AWAY = 'https://away.example'

describe.each([
  ['the embedded resolver', false],
  ['the cached resolver', true],
] as const)('with %s', (_, cached) => {
  let dir: string
  let site: Site
  let now: number

  beforeEach(async () => {
    now = 1_700_000_000_000
    dir = mkdtempSync(join(tmpdir(), 'slugline-paths-'))
    await copyMigrated(dir)
    site = await openSite(dir, { clock: { now: () => now }, cached })
  })

  afterEach(async () => {
    await site.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** The `Location` of a path, or the status of the response. */
  async function to(path: string, init: RequestInit = {}): Promise<string | number> {
    const response = await site.visit(path, init)
    return response.headers.get('location') ?? response.status
  }

  test('a slug of several segments is found, decoded once, in any case', async () => {
    await site.addLink({ slug: 'Docs/v1.2/Größe~😀', target_url: AWAY })
    for (const path of [
      '/Docs/v1.2/Größe~😀',
      '/docs/V1.2/gr%C3%B6sse~%F0%9F%98%80/',
      '/docs/v1%2E2/gro%CC%88%C3%9Fe%7E😀?x=1',
    ]) {
      expect(await to(path)).toBe(AWAY)
    }
    for (const path of [
      '/docs/v1.2',
      '/docs/v1.2/größe~😀/more',
      '/docs%2Fv1.2/größe~😀',
      '/docs//v1.2/größe~😀',
      '/docs/v1.2/gr%25C3%25B6%25C3%259Fe~😀',
      '/docs/v1.2/größe~😀//',
    ]) {
      expect(await to(path)).toBe(404)
    }
  })

  test('the exact slug wins, then the longest prefix', async () => {
    await site.addLink({ slug: 'a', match_prefix: 1, target_url: `${AWAY}/1` })
    await site.addLink({ slug: 'a/b', match_prefix: 1, target_url: `${AWAY}/2` })
    await site.addLink({ slug: 'a/b/c', target_url: `${AWAY}/3` })
    await site.addLink({ slug: 'x', target_url: `${AWAY}/x` })
    expect(await to('/a')).toBe(`${AWAY}/1`)
    expect(await to('/a/')).toBe(`${AWAY}/1`)
    expect(await to('/a/z')).toBe(`${AWAY}/1`)
    expect(await to('/a//z')).toBe(`${AWAY}/1`)
    expect(await to('/a/%zz')).toBe(`${AWAY}/1`)
    expect(await to('/a/b%2Fc')).toBe(`${AWAY}/1`)
    expect(await to('/A/B')).toBe(`${AWAY}/2`)
    expect(await to('/a/b/c/d')).toBe(`${AWAY}/2`)
    expect(await to('/a/b/1/2/3/4/5/6/7/8/9')).toBe(`${AWAY}/2`)
    expect(await to('/a/b/c')).toBe(`${AWAY}/3`)
    expect(await to('/ab')).toBe(404)
    expect(await to('/x/y')).toBe(404)
  })

  test('the rest of the path is appended if the link is configured so', async () => {
    const forward = { match_prefix: 1, forward_path: 1 }
    await site.addLink({ ...forward, slug: 'a', target_url: 'https://e.com/base?x=1#f' })
    await site.addLink({ ...forward, slug: 'b/c', target_url: 'https://e.com/', forward_query: 1 })
    expect(await to('/a')).toBe('https://e.com/base?x=1#f')
    expect(await to('/a/')).toBe('https://e.com/base?x=1#f')
    expect(await to('/a/Guide/')).toBe('https://e.com/base/Guide/?x=1#f')
    expect(await to('/a/%2F/@you;v=1/100%25?y=2')).toBe(
      'https://e.com/base/%2F/@you;v=1/100%25?x=1#f',
    )
    expect(await to('/a/100%/ü')).toBe('https://e.com/base/100%25/%C3%BC?x=1#f')
    expect(await to('/b/c/d?qr=1&y=2')).toBe('https://e.com/d?y=2')
    expect(await to('/b/c//evil.example')).toBe('https://e.com//evil.example')
  })

  test('placeholders are filled in, and empty if the visit has no value', async () => {
    await site.addLink({
      slug: 'Shop',
      match_prefix: 1,
      forward_path: 1,
      target_url: 'https://e.com/%7Bslug%7D/%7Bpath.2%7D?p={path}&q={query.q}#{path.1}',
      aliases_typed: ['Laden/😀'],
    })
    expect(await to('/shop/a%2F&b/@c?q=1%26x%3D2+3&q=4')).toBe(
      'https://e.com/Shop/@c?p=a%2F%26b/%40c&q=1%26x%3D2%203#a%2F%26b',
    )
    expect(await to('/laden/😀')).toBe('https://e.com/Laden/%F0%9F%98%80/?p=&q=#')
    await site.addLink({ slug: 'plain', target_url: 'https://e.com/?k={keyword}&q={query.a}' })
    expect(await to('/plain?a=ü')).toBe('https://e.com/?k={keyword}&q=%C3%BC')
  })

  test('below a prefix its link works like at its slug', async () => {
    const password_hash = await Bun.password.hash('x', {
      algorithm: 'argon2id',
      memoryCost: 8,
      timeCost: 1,
    })
    const forward = { match_prefix: 1, forward_path: 1, target_url: 'https://e.com' }
    await site.addLink({ ...forward, slug: 'off', enabled: 0 })
    await site.addLink({ ...forward, slug: 'once', max_clicks: 1 })
    await site.addLink({ ...forward, slug: 'bad', block: '{"id":"blk_test"}' })
    await site.addLink({ ...forward, slug: 'locked', password_hash })
    expect(await to('/off/a')).toBe(410)
    expect(await to('/bad/a')).toBe(410)
    expect(await to('/once/a/b')).toBe('https://e.com/a/b')
    expect(await to('/once/c')).toBe(410)
    expect(await to('/locked/a')).toBe(200)
    const body = new URLSearchParams({ password: 'x' })
    const posted = await site.visit('/locked/a/b', { method: 'POST', body })
    expect([posted.status, posted.headers.get('location')]).toEqual([303, 'https://e.com/a/b'])
  })

  test('the preview shows the path’s destination, with a button to continue', async () => {
    const forward = { match_prefix: 1, forward_path: 1, target_url: 'https://e.com/docs' }
    await site.addLink({ ...forward, slug: 'a/b' })
    const html = await (await site.visit('/a/b/c+?qr=1')).text()
    expect(html).toContain('https://e.com/docs/c<')
    expect(html).toContain('href="/a/b/c?qr=1"')
    expect(await (await site.visit('/a/b+')).text()).toContain('href="/a/b"')
    // Encoded it is part of the path.
    expect(await to('/a/b/c%2B%2B')).toBe('https://e.com/docs/c%2B%2B')
  })

  test('clicks have the key of the matching slug', async () => {
    await site.addLink({ slug: 'Docs/A', match_prefix: 1 })
    for (const path of ['/docs/a', '/docs/A/b/c', '/DOCS/a/']) await site.visit(path)
    const slugs: string[] = []
    const add = (record: ClickRecord) => void slugs.push(record[10])
    readJournal(journalDirectory(dir), { segment: 0, offset: 0 }, () => true, add)
    expect(slugs).toEqual(['docs/a', 'docs/a', 'docs/a'])
  })

  test('a new prefix, its removal and a new exact link take effect with the next visit', async () => {
    expect(await to('/a/b/c')).toBe(404)
    await site.addLink({ slug: 'a', match_prefix: 1, target_url: AWAY })
    expect(await to('/a/b/c')).toBe(AWAY)
    await site.addLink({ slug: 'a/b/c', target_url: `${AWAY}/exact` })
    expect(await to('/a/b/c')).toBe(`${AWAY}/exact`)
  })

  test('a deleted slug stays reserved for its workspace, with everything below its prefix', async () => {
    const hold = async (slugKey: string, workspace_no = 1) => {
      await site.storage.write(async (tx) => {
        const gone = { link_seq: null, target_url: null, workspace_no }
        await tx.db.updateTable('slugs').set(gone).where('slug_key', '=', slugKey).execute()
      })
      site.memory.changed([{ domainNo: 0, slugKey }])
    }
    await site.addLink({ slug: 'a', match_prefix: 1, target_url: AWAY })
    await site.addLink({ slug: 'a/own' })
    await site.addLink({ slug: 'a/foreign' })
    await site.addLink({ slug: 'a/tree', match_prefix: 1 })
    await hold('a/own')
    await hold('a/foreign', 2)
    await hold('a/tree', 2)
    expect(await to('/a/own')).toBe(AWAY)
    expect(await to('/a/foreign')).toBe(404)
    expect(await to('/a/foreign/b')).toBe(AWAY)
    expect(await to('/a/tree/b')).toBe(404)
    expect(await to('/a/b')).toBe(AWAY)
  })
})
