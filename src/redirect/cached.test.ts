import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StorageUnavailable } from '../platform/storage/index.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { listSlugs } from './fetch-slug.ts'
import { CRAWLER, openSite, type Site } from './testing/site.ts'

// The redirect on remembered links; what it answers is handler.test.ts's matter.
let dir: string
let site: Site
let now: number

beforeEach(async () => {
  now = 1_700_000_000_000
  dir = mkdtempSync(join(tmpdir(), 'slugline-redirect-'))
  await copyMigrated(dir)
  site = await openSite(dir, {
    clock: { now: () => now },
    cached: true,
    verifyPassword: async (password, hash) => hash === `hash of ${password}`,
  })
  site.memory.known(now)
})
afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const statusOf = async (path: string, init?: RequestInit) => (await site.visit(path, init)).status

test('the first visits wait for one query, later ones for none', async () => {
  const seq = await site.addLink({ slug: 'a', aliases_typed: ['b'] })
  const first = await Promise.all(Array.from({ length: 20 }, () => site.visit('/a')))
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([302]))
  expect(site.memory.state()).toMatchObject({ hits: 0, entries: 1 })
  for (let i = 0; i < 10; i++) expect(await statusOf('/A')).toBe(302)
  expect(await statusOf('/b')).toBe(302)
  expect(await statusOf('/none')).toBe(404)
  expect(await statusOf('/none')).toBe(404)
  expect(site.memory.state()).toMatchObject({ hits: 11, entries: 3 })
  await site.count()
  expect((await site.countersOf(seq))?.total).toBe(31)
})

test('a link created after a visit of its address works immediately', async () => {
  expect(await statusOf('/a')).toBe(404)
  await site.addLink({ slug: 'a' })
  expect(await statusOf('/a')).toBe(302)
})

test('conditions are checked from memory, by the clock', async () => {
  await site.addLink({ slug: 'a', starts_at: now + 10, expires_at: now + 20 })
  expect(await statusOf('/a')).toBe(404)
  now += 10
  expect(await statusOf('/a')).toBe(302)
  now += 10
  expect(await statusOf('/a')).toBe(410)
  expect(site.memory.state().misses).toBe(1)
})

test('a limited link redirects exactly as many people, whatever is cached', async () => {
  await site.addLink({ slug: 'a', max_clicks: 5 })
  // Cached as unused.
  expect(await statusOf('/a', { headers: { 'user-agent': CRAWLER } })).toBe(302)
  const statuses = await Promise.all(Array.from({ length: 30 }, () => statusOf('/a')))
  expect(statuses.filter((status) => status === 302)).toHaveLength(5)
  expect(statuses.filter((status) => status === 410)).toHaveLength(25)
  expect(await statusOf('/a', { headers: { 'user-agent': CRAWLER } })).toBe(410)
})

test('a limited link that another node used up is read again', async () => {
  const seq = await site.addLink({ slug: 'a', max_clicks: 5 })
  await statusOf('/a', { method: 'HEAD' })
  await site.storage.write(({ db }) =>
    db.updateTable('links').set({ uses: 5 }).where('seq', '=', seq).execute(),
  )
  // No message was received: the cache still has it as open.
  expect(await statusOf('/a', { method: 'HEAD' })).toBe(302)
  expect(await statusOf('/a')).toBe(410)
  expect(await statusOf('/a', { method: 'HEAD' })).toBe(410)
})

test('a password is required and accepted', async () => {
  await site.addLink({ slug: 'a', password_hash: 'hash of sesame' })
  expect(await statusOf('/a')).toBe(200)
  const body = (password: string) => ({
    method: 'POST',
    body: new URLSearchParams({ password }),
  })
  expect(await statusOf('/a', body('wrong'))).toBe(403)
  expect(await statusOf('/a', body('sesame'))).toBe(303)
})

test('all links are listed if they fit, else the most visited', async () => {
  const listed = async (most: number) => {
    const slugs: string[] = []
    for await (const page of listSlugs(site.storage, most)) {
      slugs.push(...page.map(({ slugKey }) => slugKey))
    }
    return slugs
  }
  for (const slug of ['a', 'b', 'c']) await site.addLink({ slug, aliases_typed: [`${slug}2`] })
  await site.addLink({ slug: 'd', expires_at: now + 20 })
  expect(await listed(7)).toEqual(['a', 'a2', 'b', 'b2', 'c', 'c2', 'd'])
  for (const slug of ['c', 'c', 'c', 'd', 'd', 'a']) expect(await statusOf(`/${slug}`)).toBe(302)
  await site.count()
  expect((await listed(2)).sort()).toEqual(['c', 'd'])
  await site.memory.fill(listSlugs(site.storage, 2))
  expect(site.memory.state().filled).toBe('part')
  await site.memory.fill(listSlugs(site.storage, 7))
  const { misses } = site.memory.state()
  expect(await statusOf('/b2')).toBe(302)
  now += 20
  expect(await statusOf('/d')).toBe(410)
  expect(site.memory.state()).toMatchObject({ misses, filled: 'all' })
})

test('while the database is down cached links redirect, others are 503', async () => {
  await site.addLink({ slug: 'a' })
  await site.addLink({ slug: 'b' })
  await site.addLink({ slug: 'limited', max_clicks: 5 })
  for (const slug of ['a', 'limited']) expect(await statusOf(`/${slug}`)).toBe(302)
  const { run } = site.storage.read
  const read = site.storage.read as { run: typeof run }
  read.run = () => Promise.reject(new StorageUnavailable('away'))
  expect(await statusOf('/b')).toBe(503)
  now += 3_600_000
  expect(await statusOf('/a')).toBe(302)
  const refused = await site.visit('/c')
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).not.toBe(null)
  expect(site.memory.state()).toMatchObject({ databaseDown: true, stale: 1 })
  read.run = run
  while (site.memory.state().databaseDown) await new Promise((turn) => setImmediate(turn))
  expect(await statusOf('/b')).toBe(302)
})
