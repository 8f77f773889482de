import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCALES } from '../lib/i18n/index.ts'
import { createBlockList } from '../model/blocks/list.ts'
import type { Storage } from '../platform/storage/index.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { CRAWLER, openSite, type Site } from './testing/site.ts'
import type { VisitorReport } from './types.ts'

let dir: string
let site: Site
let storage: Pick<Storage, 'read' | 'write'>
let list: ReturnType<typeof createBlockList>
let reports: VisitorReport[]
let allowed: boolean

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-blocked-'))
  reports = []
  allowed = true
  await copyMigrated(dir)
  site = await openSite(dir, {
    blocks: {
      covers: (...args) => list.covers(...args),
      hasTarget: (url) => list.hasTarget(url),
    },
    async report(report) {
      if (allowed) reports.push(report)
      return { allowed, retryAfterSeconds: 61 }
    },
  })
  storage = site.storage
  list = createBlockList({ storage, domains: { noOf: () => 0 }, hosts: ['listed.example'] })
})
afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

async function block(kind: 'host' | 'destination_host' | 'workspace' | 'link', value: string) {
  await storage.write(async ({ db }) => {
    await db
      .insertInto('blocks')
      .values({
        id: `blk_${value}`,
        kind,
        value,
        reason: 'x',
        link_id: null,
        workspace_no: 1,
        created_by: 'x',
        created_at: 0,
      })
      .execute()
    await db.insertInto('instance').values({ name: 'blocks', value: '1' }).execute()
  })
  await list.refresh()
}

const JSON_CLIENT = { headers: { accept: 'application/json' } }

async function expectBlocked(path: string): Promise<void> {
  for (const method of ['GET', 'HEAD']) {
    const response = await site.visit(path, { method })
    expect([path, method, response.status]).toEqual([path, method, 410])
    expect(response.headers.get('location')).toBeNull()
  }
  expect(await (await site.visit(path, JSON_CLIENT)).json()).toMatchObject({
    error: { code: 'LINK_BLOCKED' },
  })
}

test('a link whose destination is on a blocked host doesn’t redirect, whatever its settings', async () => {
  const target_url = 'https://www.evil.example:8443/x'
  await site.addLink({ slug: 'a', target_url })
  await site.addLink({
    slug: 'b',
    target_url,
    max_clicks: 3,
    fallback_url: 'https://fine.example/',
  })
  await site.addLink({ slug: 'c', target_url, password_hash: 'x' })
  await site.addLink({ slug: 'd', target_url: 'https://a.listed.example/' })
  await site.addLink({ slug: 'e', target_url: 'https://notevil.example/' })
  expect((await site.visit('/a')).status).toBe(302)
  await block('destination_host', 'evil.example')
  for (const slug of ['a', 'b', 'c', 'd']) {
    await expectBlocked(`/${slug}`)
    await expectBlocked(`/${slug}+`)
  }
  expect((await site.visit('/e')).status).toBe(302)
})

test('a fallback on a blocked host is not followed', async () => {
  const fallback_url = 'https://evil.example/'
  await site.addLink({ slug: 'a', enabled: 0, fallback_url })
  expect((await site.visit('/a')).headers.get('location')).toBe(fallback_url)
  await block('destination_host', 'evil.example')
  await expectBlocked('/a')
})

test.each(['host', 'workspace'] as const)(
  'a blocked %s stops its links, and no address that was never there',
  async (kind) => {
    await site.addLink({ slug: 'a' })
    await block(kind, 'x')
    await expectBlocked('/a')
    expect((await site.visit('/none')).status).toBe(404)
  },
)

test('a blocked address shows a warning, also without a link', async () => {
  const values = { domain_no: 0, workspace_no: 1, link_seq: null, target_url: null, special: 0 }
  await storage.write(({ db }) =>
    db
      .insertInto('slugs')
      .values({
        slug_key: 'gone',
        slug: 'gone',
        redirect_status: 302,
        block_id: 'blk_1',
        ...values,
      })
      .execute(),
  )
  await expectBlocked('/gone')
  await expectBlocked('/gone+')
})

test('below a blocked prefix nothing of its workspace redirects', async () => {
  await site.addLink({ slug: 'promo', match_prefix: 1 })
  await site.addLink({ slug: 'promo/exact' })
  await site.addLink({ slug: 'promo/long', match_prefix: 1 })
  await site.addLink({ slug: 'promo-2' })
  const paths = ['/promo', '/promo/any', '/promo/exact', '/promo/exact+', '/promo/long/x']
  for (const path of paths) expect((await site.visit(path)).status).not.toBe(410)
  await storage.write(async ({ db }) => {
    const set = { block_id: 'blk_1', special: 2 }
    await db.updateTable('slugs').set(set).where('slug_key', '=', 'promo').execute()
  })
  await block('link', '1')
  for (const path of paths) await expectBlocked(path)
  expect((await site.visit('/promo-2')).status).toBe(302)
})

test('the preview hides the destination of a link with a limit or a password', async () => {
  const target_url = 'https://secret.example/'
  await site.addLink({ slug: 'limited', target_url, max_clicks: 1 })
  await site.addLink({ slug: 'locked', target_url, password_hash: 'x' })
  for (const headers of [{}, { 'user-agent': CRAWLER }, { 'sec-purpose': 'prefetch' }]) {
    for (const path of ['/limited+', '/locked+']) {
      const response = await site.visit(path, { headers })
      expect(response.status).toBe(200)
      expect(await response.text()).not.toContain('secret.example')
    }
  }
  const json = await site.visit('/limited+', JSON_CLIENT)
  expect(await json.json()).toEqual({ destination_url: null })
  // Previews don't use it up.
  expect((await site.visit('/limited')).headers.get('location')).toBe(target_url)
})

const report = (path: string, text: string, init: RequestInit = {}) =>
  site.visit(path, { method: 'POST', body: new URLSearchParams({ report: text }), ...init })

test('visitors of the preview can report a link, in their language', async () => {
  await site.addLink({ slug: 'Bad' })
  await site.addLink({ slug: 'locked', password_hash: 'x' })
  await site.addLink({ slug: 'limited', max_clicks: 1 })
  const titles = new Set<string>()
  for (const locale of LOCALES) {
    const html = await (await site.visit(`/bad+?lang=${locale}`)).text()
    expect(html).toContain('<form method="post">')
    expect(html).not.toContain('<script')
    titles.add(/<summary>([^<]+)/.exec(html)?.[1] as string)
  }
  expect(titles.size).toBe(LOCALES.length)
  for (const path of ['/bad+', '/locked+', '/limited+']) {
    expect((await report(path, '  Phishing  ')).status).toBe(200)
  }
  const from = '203.0.113.7'
  expect(reports).toEqual(
    ['bad', 'locked', 'limited'].map((slugKey) => ({
      domainNo: 0,
      slugKey,
      text: 'Phishing',
      from,
    })),
  )
  expect(await (await report('/bad+', 'x', JSON_CLIENT)).json()).toEqual({
    reported: true,
  })
})

test('a report is refused when it is empty, too long or above the limit, or about no link', async () => {
  await site.addLink({ slug: 'a' })
  await site.addLink({ slug: 'later', starts_at: Date.now() + 60_000 })
  expect((await report('/a+', ' ')).status).toBe(422)
  expect((await report('/none+', 'x')).status).toBe(404)
  expect((await report('/later+', 'x')).status).toBe(404)
  expect((await report('/a', 'x')).status).toBe(405)
  expect((await report('/a+', 'x'.repeat(100_000))).status).toBe(422)
  await report('/a+', '€'.repeat(1_500))
  expect(reports.map(({ text }) => text.length)).toEqual([1_000])
  allowed = false
  const refused = await report('/a+', 'x')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '61'])
  expect(reports.length).toBe(1)
})
