import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { openSite, type Site } from './testing/site.ts'
import { createVisitLimit } from './visitor-limits.ts'

const hash = await Bun.password.hash('x', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

let dir: string
let site: Site
const clock = { ms: 1_790_000_000_000, now: () => clock.ms }

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-visits-'))
  await copyMigrated(dir)
  site = await openSite(dir, { clock, visitLimit: createVisitLimit(3) })
})

afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const A = '2001:db8:0:1::a'
const statusOf = async (path: string, peer = A, init: RequestInit = {}) =>
  (await site.visit(path, init, peer)).status

test('one address can visit a link a limited number of times per minute, across its slugs', async () => {
  const seq = await site.addLink({ slug: 'a', aliases_typed: ['b'] })
  await site.addLink({ slug: 'c' })
  expect([await statusOf('/a'), await statusOf('/b'), await statusOf('/a')]).toEqual([
    302, 302, 302,
  ])
  expect([await statusOf('/a'), await statusOf('/b', '2001:db8:0:1::b')]).toEqual([429, 429])
  expect([await statusOf('/c'), await statusOf('/a', '2001:db8:0:2::a')]).toEqual([302, 302])
  clock.ms += 20_000
  expect([await statusOf('/a'), await statusOf('/a')]).toEqual([302, 429])
  await site.count()
  expect((await site.countersOf(seq))?.total).toBe(5)
  expect(site.redirect.counts.limited).toBe(3)
})

test('the refusal says when to retry, in the visitor’s language or as JSON', async () => {
  await site.addLink({ slug: 'a' })
  for (let i = 0; i < 3; i++) await site.visit('/a')
  const page = await site.visit('/a', { headers: { 'accept-language': 'de' } })
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '20'])
  expect(page.headers.get('content-language')).toBe('de')
  expect(page.headers.get('location')).toBeNull()
  const json = await site.visit('/a', { headers: { accept: 'application/json' } })
  expect([json.status, json.headers.get('retry-after')]).toEqual([429, '20'])
  expect(((await json.json()) as { error: { code: string } }).error.code).toBe('RATE_LIMITED')
})

test('a visit over several turns counts once', async () => {
  const body = () => new URLSearchParams({ password: 'x' })
  await site.addLink({ slug: 'p', password_hash: hash, max_clicks: 10 })
  for (const expected of [303, 303, 303, 429]) {
    expect(await statusOf('/p', A, { method: 'POST', body: body() })).toBe(expected)
  }
})
