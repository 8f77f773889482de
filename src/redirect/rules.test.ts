import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalDirectory } from '../clicks/index.ts'
import type { ClickRecord } from '../clicks/record.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { createBlockList } from '../model/blocks/list.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { AGENTS, PLACES } from './rules/testing/world.ts'
import type { Rule, Variant } from './rules/types.ts'
import { BROWSER, CRAWLER, openSite, type Site } from './testing/site.ts'

let dir: string
let site: Site
let list: ReturnType<typeof createBlockList>
let chance = 0
const looked: string[] = []
const [IPHONE, PIXEL] = AGENTS

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-rules-'))
  looked.length = 0
  await copyMigrated(dir)
  site = await openSite(dir, {
    placeOf(network) {
      looked.push(network)
      return PLACES[network] ?? { country: null, region: null }
    },
    random: { bytes: (length) => new Uint8Array(length).fill(chance) },
    blocks: {
      covers: (...args) => list.covers(...args),
      hasTarget: (url) => list.hasTarget(url),
    },
  })
  const { storage } = site
  list = createBlockList({ storage, domains: { noOf: () => 0 }, hosts: ['blocked.example'] })
})
afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const to = (name: string) => ({ destination_url: `https://${name}.example/` })
const APPS: Rule[] = [
  { id: 'ios', when: { os: [{ name: 'iOS', min: '17' }] }, then: to('ios') },
  { id: 'android', when: { os: ['Android'] }, then: to('android') },
  { id: 'german', when: { country: ['DE'] }, then: to('german') },
]
const SPLIT: Variant[] = [
  { id: 'a', ...to('a'), weight: 1 },
  { id: 'b', ...to('b'), weight: 1 },
]
const stored = (list: readonly unknown[]) => JSON.stringify(list)

async function locationOf(agent: string, path = '/a', peer = '203.0.113.7', headers = {}) {
  const response = await site.visit(path, { headers: { 'user-agent': agent, ...headers } }, peer)
  return response.headers.get('location')
}

/** Rule and variant of each click, in order. */
function clicks(): [rule: string | undefined, variant: string | undefined][] {
  const found: ClickRecord[] = []
  readJournal(
    journalDirectory(dir),
    { segment: 0, offset: 0 },
    () => true,
    (record) => found.push(record),
  )
  return found.map((record) => [record[12], record[13]])
}

test('the first matching rule decides, else the link; the click records which', async () => {
  await site.addLink({ slug: 'a', target_url: 'https://own.example/', rules: stored(APPS) })
  expect(await locationOf(IPHONE.text)).toBe('https://ios.example/')
  expect(await locationOf(PIXEL.text)).toBe('https://android.example/')
  expect(looked).toEqual([])
  expect(await locationOf(BROWSER, '/a', '5.1.1.9')).toBe('https://german.example/')
  expect(await locationOf(BROWSER)).toBe('https://own.example/')
  // The place is looked up only if a rule needs it.
  expect(looked).toEqual(['5.1.1.0', '203.0.113.0'])
  expect(clicks()).toEqual([
    ['ios', ''],
    ['android', ''],
    ['german', ''],
    [undefined, undefined],
  ])
})

test('an edit takes effect with the next visit', async () => {
  const seq = await site.addLink({ slug: 'a', rules: stored(APPS) })
  expect(await locationOf(PIXEL.text)).toBe('https://android.example/')
  await site.storage.write(({ db }) =>
    db
      .updateTable('links')
      .set({ rules: stored([{ id: 'x', when: {}, then: to('new') }]) })
      .where('seq', '=', seq)
      .execute(),
  )
  expect(await locationOf(PIXEL.text)).toBe('https://new.example/')
})

describe('a split', () => {
  test('keeps a visitor’s variant for the day, by their hash, and records it', async () => {
    await site.addLink({ slug: 'a', variants: stored(SPLIT) })
    const seen = new Map<string, Set<string | null>>()
    for (let n = 0; n < 90; n++) {
      const peer = `198.51.100.${n % 30}`
      const to = await locationOf(BROWSER, '/a', peer)
      seen.set(peer, (seen.get(peer) ?? new Set()).add(to))
    }
    expect([...seen.values()].every(({ size }) => size === 1)).toBe(true)
    const all = new Set([...seen.values()].flatMap((each) => [...each]))
    expect(all).toEqual(new Set(['https://a.example/', 'https://b.example/']))
    const choices = clicks()
    expect(choices.every(([rule, variant]) => rule === '' && /^[ab]$/.test(variant ?? ''))).toBe(
      true,
    )
  })

  test.each([{ 'sec-gpc': '1' }, { dnt: '1' }])('assigns %j visitors randomly', async (headers) => {
    await site.addLink({ slug: 'a', variants: stored(SPLIT) })
    const drawn = new Set<string | null>()
    for (chance = 0; chance < 40; chance++) {
      drawn.add(await locationOf(BROWSER, '/a', '198.51.100.1', headers))
    }
    expect(drawn.size).toBe(2)
  })
})

describe('a rule that answers itself', () => {
  const answers = (answer: 'fallback' | 'not_found' | 'gone') =>
    stored([{ id: 'no', when: { country: ['DE'] }, then: { answer } }])

  test.each([
    ['not_found', null, 404, null],
    ['gone', null, 410, null],
    ['gone', 'https://f.example/', 410, null],
    ['fallback', null, 404, null],
    ['fallback', 'https://f.example/', 302, 'https://f.example/'],
    ['fallback', 'https://blocked.example/', 410, null],
  ] as const)(
    '%s with the fallback %p: %i, and no click',
    async (answer, fallback_url, status, to) => {
      const seq = await site.addLink({
        slug: 'a',
        rules: answers(answer),
        fallback_url,
        max_clicks: 1,
      })
      const response = await site.visit('/a', {}, '5.1.1.1')
      expect(response.status).toBe(status)
      expect(response.headers.get('location')).toBe(to)
      expect(clicks()).toEqual([])
      // No use of a limited link was taken.
      expect((await site.visit('/a')).status).toBe(302)
      await site.count()
      expect((await site.countersOf(seq))?.total).toBe(1)
    },
  )
})

test('a blocked destination of a rule or a variant is answered like a blocked link', async () => {
  const rules = stored([{ id: 'x', when: { country: ['DE'] }, then: to('blocked') }])
  await site.addLink({ slug: 'a', rules })
  expect((await site.visit('/a', {}, '5.1.1.1')).status).toBe(410)
  expect((await site.visit('/a')).status).toBe(302)
})

test('passwords, limits and dates are checked before rules', async () => {
  const rules = stored([{ id: 'all', when: {}, then: to('ruled') }])
  await site.addLink({ slug: 'off', rules, enabled: 0 })
  await site.addLink({ slug: 'over', rules, expires_at: 1 })
  await site.addLink({ slug: 'locked', rules, password_hash: await Bun.password.hash('p') })
  await site.addLink({ slug: 'two', rules, max_clicks: 2 })
  expect((await site.visit('/off')).status).toBe(410)
  expect((await site.visit('/over')).status).toBe(410)
  expect((await site.visit('/locked')).status).toBe(200)
  const body = new URLSearchParams({ password: 'p' })
  const opened = await site.visit('/locked', { method: 'POST', body })
  expect([opened.status, opened.headers.get('location')]).toEqual([303, 'https://ruled.example/'])
  expect(await locationOf(CRAWLER, '/two')).toBe('https://ruled.example/')
  expect(await locationOf(BROWSER, '/two')).toBe('https://ruled.example/')
  expect(await locationOf(BROWSER, '/two')).toBe('https://ruled.example/')
  expect((await site.visit('/two')).status).toBe(410)
  expect(clicks().map(([rule]) => rule)).toEqual(Array(4).fill('all'))
})

test('the preview shows the destination for this visitor', async () => {
  await site.addLink({ slug: 'a', target_url: 'https://own.example/', rules: stored(APPS) })
  const headers = { accept: 'application/json', 'user-agent': PIXEL.text }
  const answer = await site.visit('/a+', { headers })
  expect(await answer.json()).toEqual({ destination_url: 'https://android.example/' })
  expect(clicks()).toEqual([])
})

test('forward_query applies to any chosen destination', async () => {
  await site.addLink({ slug: 'a', rules: stored(APPS), forward_query: 1 })
  expect(await locationOf(PIXEL.text, '/a?x=1&qr=1')).toBe('https://android.example/?x=1')
})
