import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Locale } from '../../lib/i18n/index.ts'
import { createBlockList } from '../../model/blocks/list.ts'
import { copyMigrated } from '../../platform/storage/testing/database.ts'
import { naiveChoice } from '../../redirect/rules/testing/naive.ts'
import {
  type DescribedVisitor,
  PLACES,
  rules,
  variants,
  visitor,
} from '../../redirect/rules/testing/world.ts'
import { openSite, type Site } from '../../redirect/testing/site.ts'
import { ExplainLinkSchema, type Explanation } from './schemas.ts'
import { createExplainService, type ExplainDeps } from './service.ts'
import { type Finding, messageOf } from './words.ts'

let dir: string
let site: Site
let explain: ReturnType<typeof createExplainService>
let now = Date.parse('2026-03-28T12:00:00Z')
const clock = { now: () => now } as ExplainDeps['clock']
const hash = ({ address }: { address: string }) => `hash of ${address}`
const plan: { limits: { clicks_per_month: number | null } } = { limits: { clicks_per_month: null } }
const caller = (no: number) => ({ workspace: { no, plan } }) as never
const OWN = 'https://own.example/'
const FALLBACK = 'https://fallback.example/'
const recorded: unknown[] = []

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-explain-'))
  recorded.length = 0
  await copyMigrated(dir)
  const shared = {
    clock,
    placeOf: (network: string) => PLACES[network] ?? { country: null, region: null },
    recorder: {
      add: (...click: unknown[]) => void recorded.push(click),
      commit() {},
      hash,
      isPerson: () => true,
    } as ExplainDeps['recorder'],
  }
  site = await openSite(dir, shared)
  const { storage } = site
  const ids = createIds(clock, systemRandom)
  explain = createExplainService({
    ...shared,
    storage,
    random: systemRandom,
    requestId: () => ids.next('req'),
    baseUrl: 'http://sho.rt',
    excluded: { covers: (_, address) => address === '198.51.100.7' },
    domainOf: () => 0,
    domains: { knownTo: (_, host) => (host === 'sho.rt' ? 0 : undefined) },
    clientAddress: () => '',
    blocks: createBlockList({ storage, domains: { noOf: () => undefined }, hosts: [] }),
    links: {
      async get({ workspace }: { workspace: { no: number } }, id: string) {
        if (workspace.no !== 1 || !id.startsWith('lnk_')) throw new AppError('LINK_NOT_FOUND')
        return { id, short_url: 'https://sho.rt/a', rules: [], variants: [] }
      },
    } as never,
  })
})
afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const stored = (list: readonly unknown[]) => (list.length === 0 ? null : JSON.stringify(list))

function described({ agent, language, parameters, referrer, address, now: at }: DescribedVisitor) {
  const query = String(new URLSearchParams(parameters))
  const given = { user_agent: agent.text, language: language[0], referrer, ip: address, query, at }
  const headers = { 'user-agent': agent.text, 'accept-language': language[0], referer: referrer }
  return { given, headers, path: query === '' ? '' : `?${query}` }
}

test('500 links and visitors: explain, a naive model and the redirect agree', async () => {
  const table = fc.sample(fc.tuple(rules, fc.option(variants, { nil: [] }), visitor), 500)
  const outcomes = new Set<string>()
  for (const [n, [list, split, who]] of table.entries()) {
    const slug = `l${n}`
    await site.addLink({
      slug,
      target_url: OWN,
      fallback_url: FALLBACK,
      rules: stored(list),
      variants: stored(split),
      max_clicks: n % 7 === 0 ? 1 : null,
    })
    const { given, headers, path } = described(who)
    now = who.now
    const explained = await explain.byUrl(caller(1), `https://sho.rt/${slug}`, given, 'en')
    expect(recorded).toEqual([])
    const visited = await site.visit(`/${slug}${path}`, { headers }, who.address)
    const [click] = recorded.splice(0) as [unknown[]?]
    const naive = naiveChoice(list, split, OWN, who)
    expect([explained.status, explained.location]).toEqual([
      visited.status,
      visited.headers.get('location'),
    ])
    expect(explained.rule).toBe(naive.rule)
    expect(explained.outcome).toBe(naive.answer === null ? 'redirect' : 'answer')
    if (naive.answer === null) {
      expect(naive.variants).toContainEqual({
        id: explained.variant,
        url: explained.location as string,
      })
      const chosen = click?.[4] as { rule: string | null; variant: string | null }
      expect([chosen.rule, chosen.variant]).toEqual([explained.rule, explained.variant])
    } else {
      const expected = { fallback: FALLBACK, not_found: null, gone: null }[naive.answer as 'gone']
      expect(explained.location).toBe(expected)
      expect(click).toBeUndefined()
    }
    for (const { check, message } of explained.steps) expect(message).not.toBe(check)
    outcomes.add(`${explained.outcome} ${explained.status} ${explained.variant !== null}`)
  }
  // All outcomes occur.
  expect(outcomes.size).toBe(5)
})

test('passwords, dates and limits are explained in their step', async () => {
  await site.addLink({ slug: 'a', password_hash: await Bun.password.hash('p'), target_url: OWN })
  const asked = await explain.byId(caller(1), 'lnk_x', {}, 'en')
  expect(asked).toMatchObject({ outcome: 'page', status: 200, location: null })
  expect(asked.steps.at(-1)).toMatchObject({ check: 'password', passed: false })
  expect(await explain.byId(caller(1), 'lnk_x', { password: 'p' }, 'en')).toMatchObject({
    outcome: 'redirect',
    status: 303,
    location: OWN,
  })
  await site.addLink({ slug: 'old', expires_at: now })
  const old = await explain.byUrl(caller(1), 'https://sho.rt/old', {}, 'en')
  expect(old).toMatchObject({ outcome: 'page', status: 410 })
  expect(failed(old)).toEqual(['expires_at', 'fallback_url'])
  const before = await explain.byUrl(caller(1), 'https://sho.rt/old', { at: now - 1 }, 'en')
  expect(before.outcome).toBe('redirect')
})

const failed = ({ steps }: Explanation) =>
  steps.filter(({ passed }) => !passed).map(({ check }) => check)
const stepsOf = async (slug: string, given: Parameters<typeof explain.byUrl>[2] = {}, no = 1) =>
  (await explain.byUrl(caller(no), `https://sho.rt/${slug}`, given, 'en')).steps

test('null in a description is as if absent', () => {
  const names = ['at', 'user_agent', 'country', 'region', 'language', 'query', 'path', 'ip']
  const visitor = Object.fromEntries(names.map((name) => [name, null]))
  expect(ExplainLinkSchema.parse({ visitor })).toEqual({ visitor: {} })
  expect(ExplainLinkSchema.parse({ visitor: null })).toEqual({ visitor: null })
})

test('forwarded parameters and counting are explained', async () => {
  await site.addLink({ slug: 'a', target_url: OWN, tracking: 'count', forward_query: 1 })
  const steps = await stepsOf('a', { query: 'x=1', ip: '198.51.100.7' })
  expect(steps.map(({ check, passed, actual }) => [check, passed, actual])).toEqual([
    ...[
      ['domain', true, 'sho.rt'],
      ['slug', true, undefined],
      ['block', true, undefined],
    ],
    ...[
      ['enabled', true, undefined],
      ['destination_url', true, OWN],
      ['forward_query', true, 'x=1'],
    ],
    ...[
      ['tracking', true, 'count'],
      ['excluded_networks', false, '198.51.100.7'],
    ],
  ])
  await site.addLink({ slug: 'b', target_url: OWN, fallback_url: FALLBACK, enabled: 0 })
  expect((await stepsOf('b')).slice(-2)).toMatchObject([
    { check: 'enabled', passed: false },
    { check: 'fallback_url', passed: true, actual: FALLBACK },
  ])
  expect(await stepsOf('none')).toMatchObject([{ check: 'domain' }, { check: 'slug' }])
  const shown = (await stepsOf('a+', { query: 'x=1' })).at(-1)
  expect(shown).toMatchObject({ check: 'destination_url', actual: OWN })
  plan.limits.clicks_per_month = 0
  expect((await stepsOf('a')).at(-1)).toMatchObject({ check: 'clicks_per_month', passed: false })
  plan.limits.clicks_per_month = null
})

test('rules and variants are named, with readable values', () => {
  const rules = [
    { id: 'r', name: 'Nearby', when: {}, then: { answer: 'gone' } },
    { id: 's', when: {}, then: { variants: [{ id: 'v', name: 'New', weight: 1 }] } },
  ]
  const said = (check: string, more: Partial<Finding> = {}, locale: Locale = 'en') =>
    messageOf(locale, { check, passed: true, ...more }, { rules, variants: [] } as never)
  expect(said('rules[0]')).toContain('1 (Nearby)')
  const drawn = {
    expected: [
      { id: 'v', weight: 1 },
      { id: 'w', weight: 3 },
    ],
    actual: 'v',
  }
  expect(said('rules[1].then.variants', drawn)).toMatch(/New.*25%/)
  const where = { expected: ['DE', 'AT'], actual: 'FR' }
  expect(said('rules[0].when.country', where, 'de')).toMatch(/Frankreich.*Deutschland.*Österreich/)
  const times = { timezone: 'Europe/Berlin', days: ['mon'], hours: [['09:00', '17:30']] }
  const at = '2026-03-28T13:00:00+01:00[Europe/Berlin]'
  expect(said('rules[0].when.not_time', { expected: times, actual: at })).toMatch(
    /Sat.*1:00.*Mon, 09:00–17:30 \(Europe\/Berlin\)/,
  )
  const query = { expected: { a: ['1', '2'], b: [] }, actual: { a: ['3'], b: [] } }
  expect(said('rules[0].when.query', query)).toMatch(/a=3, no b.*a=1\|2, no b/)
  const os = { expected: [{ name: 'iOS', min: '17' }, 'Android'], actual: null }
  expect(said('rules[0].when.os', os)).toMatch(/iOS 17\+ or Android/)
})

test('links of other workspaces are like those that don’t exist', async () => {
  await site.addLink({ slug: 'a' })
  const foreign = await explain.byUrl(caller(2), 'https://sho.rt/a', {}, 'en')
  expect(foreign).toEqual(await explain.byUrl(caller(2), 'https://sho.rt/none', {}, 'en'))
  expect(foreign).toMatchObject({ outcome: 'page', status: 404, link_id: null })
  const byId = explain.byId(caller(2), 'lnk_x', {}, 'en')
  await expect(byId).rejects.toMatchObject({ code: 'LINK_NOT_FOUND' })
})
