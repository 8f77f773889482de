import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../platform/config/fault.ts'
import { DEFAULT_PLANS } from './defaults.ts'
import { parsePlans } from './file.ts'
import { loadPlans } from './load.ts'
import { createPlans } from './service.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-plans-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const team = { id: 'team', default: true, limits: { requests_per_minute: 120, links: 50 } }

async function paths(json: unknown): Promise<string[]> {
  const result = await parsePlans(typeof json === 'string' ? json : JSON.stringify(json))
  return 'faults' in result ? result.faults.map((fault) => fault.path) : []
}

describe('the default plans', () => {
  test('are valid as a file', async () => {
    expect(await paths({ plans: DEFAULT_PLANS })).toEqual([])
  })

  test('allow 60 requests a minute by default', () => {
    const { limits } = createPlans(DEFAULT_PLANS).default
    expect(limits.requests_per_minute).toBe(60)
    expect(limits.burst).toBe(60)
  })

  test('include one without any limit', () => {
    const unlimited = createPlans(DEFAULT_PLANS).find('unlimited')
    expect(Object.values(unlimited?.limits ?? { missing: 1 }).every((n) => n === null)).toBe(true)
  })
})

describe('a plans file', () => {
  test('replaces the plans; omitted limits are unlimited', async () => {
    const file = join(dir, 'plans.json')
    writeFileSync(
      file,
      JSON.stringify({ plans: [{ ...team, name: { en: 'Team', de: 'Gruppe' } }] }),
    )
    const plans = createPlans(await loadPlans(file))
    expect(plans.all.map((plan) => plan.id)).toEqual(['team'])
    expect(plans.default.limits).toMatchObject({ links: 50, burst: 120, api_keys: null })
    expect(plans.default.name).toEqual({ en: 'Team', de: 'Gruppe' })
    expect(plans.find('free')).toBeUndefined()
    expect(plans.of('gone')).toBe(plans.default)
  })

  test('has three addresses for each link, unless it says otherwise', async () => {
    const addressesOf = async (own: object) => {
      const plan = { ...team, limits: { ...team.limits, ...own } }
      const result = await parsePlans(JSON.stringify({ plans: [plan] }))
      return 'plans' in result && result.plans[0]?.limits.addresses
    }
    expect(await addressesOf({})).toBe(150)
    expect(await addressesOf({ addresses: 60 })).toBe(60)
    expect(await addressesOf({ addresses: null })).toBeNull()
    expect(await addressesOf({ links: null })).toBeNull()
  })

  test('may set how long clicks are kept, but no limits that aren’t enforced', async () => {
    const limits = (own: object) => ({ plans: [{ ...team, limits: { ...team.limits, ...own } }] })
    const kept = await parsePlans(JSON.stringify(limits({ analytics_retention_days: 90 })))
    expect('plans' in kept && kept.plans[0]?.limits.analytics_retention_days).toBe(90)
    expect(await paths(limits({ analytics_retention_days: 0 }))).toEqual([
      'plans[0].limits.analytics_retention_days',
    ])
    const counted = await parsePlans(JSON.stringify(limits({ clicks_per_month: 5_000 })))
    expect('plans' in counted && counted.plans[0]?.limits.clicks_per_month).toBe(5_000)
    expect(await paths(limits({ clicks_per_month: -1 }))).toEqual([
      'plans[0].limits.clicks_per_month',
    ])
    expect(await paths(limits({ domains: -1 }))).toEqual(['plans[0].limits.domains'])
  })

  test('in docs/configuration.md is valid', async () => {
    const docs = readFileSync(join(import.meta.dir, '../../../docs/configuration.md'), 'utf8')
    const example = /```json\n(.*?)```/s.exec(docs)?.[1] as string
    expect(await paths(example)).toEqual([])
  })

  test('that is missing or invalid stops the start, with its name in the message', async () => {
    const missing = join(dir, 'none.json')
    await expect(loadPlans(missing)).rejects.toThrow(ConfigError)
    await expect(loadPlans(missing)).rejects.toThrow('none.json')
    const wrong = join(dir, 'wrong.json')
    writeFileSync(wrong, '{"plans":[]}')
    await expect(loadPlans(wrong)).rejects.toThrow('wrong.json')
  })

  test.each([
    ['not JSON', '{', ['']],
    ['a list', [], ['']],
    ['no plans', {}, ['plans']],
    ['an empty list', { plans: [] }, ['plans']],
    ['an unknown member', { plans: [{ ...team, nme: 'x' }] }, ['plans[0]']],
    ['no id', { plans: [{ ...team, id: undefined }] }, ['plans[0].id']],
    ['a bad id', { plans: [{ ...team, id: 'Team One' }] }, ['plans[0].id']],
    ['no limits', { plans: [{ ...team, limits: undefined }] }, ['plans[0].limits']],
    ['an unknown limit', { plans: [{ ...team, limits: { link: 1 } }] }, ['plans[0].limits']],
    [
      'limits that are no numbers',
      { plans: [{ ...team, limits: { links: '5', api_keys: 0, requests_per_minute: 1.5 } }] },
      ['plans[0].limits.links', 'plans[0].limits.api_keys', 'plans[0].limits.requests_per_minute'],
    ],
    ['a burst alone', { plans: [{ ...team, limits: { burst: 5 } }] }, ['plans[0].limits.burst']],
    [
      'features that are no ids',
      { plans: [{ ...team, features: ['aliases', 'Our support', 3] }] },
      ['plans[0].features[1]', 'plans[0].features[2]'],
    ],
    ['features that are no list', { plans: [{ ...team, features: 'x' }] }, ['plans[0].features']],
    ['one id twice', { plans: [team, { ...team, default: false }] }, ['plans[1].id']],
    ['no default', { plans: [{ ...team, default: false }] }, ['plans']],
    ['two defaults', { plans: [team, { ...team, id: 'b' }] }, ['plans']],
    [
      'a bad price',
      { plans: [{ ...team, price: { amount: -1, currency: 'euro', interval: 'day' } }] },
      ['plans[0].price.amount', 'plans[0].price.currency', 'plans[0].price.interval'],
    ],
  ])('with %s is refused, every fault by its place', async (_, json, expected) => {
    expect((await paths(json)).sort()).toEqual([...expected].sort())
  })
})
