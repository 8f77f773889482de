import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { UNLIMITED } from '../../model/plans/types.ts'
import { createUseOnce } from '../../redirect/uses.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { createRenderer } from '../links/index.ts'
import { createPlans } from '../plans/service.ts'
import { createTimedEvents } from './timed.ts'
import type { FeedEvent } from './types.ts'
import { createUsageEvents } from './usage.ts'

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
  await its.storage.write((tx) => tx.db.updateTable('workspaces').set({ plan_id: 'big' }).execute())
})
afterEach(() => its.close())

const MINUTE_MS = 60_000
const timedOn = () => {
  const render = createRenderer(its.domains, { covering: () => null })
  return createTimedEvents({ storage: its.storage, clock: its.clock, render })
}
const at = (ms: number) => new Date(ms).toISOString()
const link = async (fields: object) => {
  const answer = await its.as('owner', 'POST', '/links', {
    destination_url: 'https://e.example/',
    ...fields,
  })
  expect(answer.status).toBe(201)
  return answer.body
}
const events = async (types: string): Promise<FeedEvent[]> =>
  (await its.as('owner', 'GET', `/events?types=${types}&limit=100`)).body.data

describe('what time does to links', () => {
  test('is an event within a minute, once, on several nodes', async () => {
    const [one, other] = [timedOn(), timedOn()]
    await one.run()
    const start = its.clock.ms + MINUTE_MS
    const end = start + MINUTE_MS
    const made = await link({ title: 'a', starts_at: at(start), expires_at: at(end) })
    await link({ title: 'past', expires_at: at(its.clock.ms - 1) })
    // More than one step, all at the same moment.
    for (let i = 0; i < 250; i += 50) {
      const operations = Array.from({ length: 50 }, () => ({
        op: 'create',
        link: { destination_url: 'https://e.example/', expires_at: at(end) },
      }))
      await its.as('owner', 'POST', '/links/bulk', { operations })
    }
    its.clock.ms = start + MINUTE_MS / 2
    await Promise.all([one.run(), other.run()])
    expect(await events('link.started,link.expired')).toMatchObject([
      {
        type: 'link.started',
        at: at(start),
        actor: { type: 'system', id: null },
        object: { id: made.id, status: 'active' },
        previous: {},
      },
    ])
    its.clock.ms = end + MINUTE_MS / 2
    await Promise.all([one.run(), other.run(), one.run()])
    await one.run()
    const all = (await its.entries()).filter(({ action }) => action === 'link.expired')
    expect(all).toHaveLength(251)
    expect(new Set(all.map(({ target_id }) => target_id)).size).toBe(251)
    const [first] = await events('link.expired')
    expect(first).toMatchObject({ at: at(end), object: { id: made.id, status: 'expired' } })
  })

  test('is none for a moment that was moved or whose link is gone', async () => {
    const timed = timedOn()
    await timed.run()
    const end = its.clock.ms + MINUTE_MS
    const [moved, gone] = [await link({ expires_at: at(end) }), await link({ expires_at: at(end) })]
    await its.as('owner', 'PATCH', `/links/${moved.id}`, { expires_at: at(end + MINUTE_MS) })
    await its.as('owner', 'DELETE', `/links/${gone.id}`)
    its.clock.ms = end + MINUTE_MS / 2
    await timed.run()
    expect(await events('link.expired')).toEqual([])
    its.clock.ms += MINUTE_MS
    await timed.run()
    expect((await events('link.expired')).map(({ object }) => object.id)).toEqual([moved.id])
    // Restoring to a version isn't disturbed by entries without one.
    const restored = await its.as('owner', 'POST', `/links/${moved.id}/restore`, { version: 1 })
    expect(restored.body.expires_at).toBe(at(end))
  })
})

test('the last permitted click is an event, once', async () => {
  const timed = timedOn()
  const made = await link({ max_clicks: 2 })
  const row = await its.storage.read.db
    .selectFrom('links')
    .select('seq')
    .where('id', '=', made.id)
    .executeTakeFirstOrThrow()
  const useOnce = createUseOnce(its.storage)
  await useOnce(row.seq, its.clock.ms)
  await timed.run()
  expect(await events('link.exhausted')).toEqual([])
  await useOnce(row.seq, its.clock.ms)
  await useOnce(row.seq, its.clock.ms)
  await Promise.all([timed.run(), timedOn().run()])
  expect(await events('link.exhausted')).toMatchObject([
    { object: { id: made.id, status: 'exhausted' } },
  ])
})

test('80 and 100 % of what a plan permits are an event each, again after falling below', async () => {
  const price = { amount: 0, currency: 'EUR', interval: 'month' } as const
  const plans = createPlans([
    { id: 'big', price, limits: { ...UNLIMITED, links: 5 }, features: [], default: true },
  ])
  const usage = () =>
    createUsageEvents({
      storage: its.storage,
      clock: its.clock,
      plans,
      clicksThisMonth: async () => 0,
      ownDomains: { count: async () => 0 },
    })
  const run = () => Promise.all([usage().run(), usage().run()])
  const reached = async () =>
    (await events('usage.threshold')).map(({ object }) => [object.threshold, object.used])
  for (let i = 0; i < 3; i++) await link({})
  await run()
  expect(await reached()).toEqual([])
  const { id } = await link({})
  await run()
  expect(await reached()).toEqual([[80, 4]])
  const last = await link({})
  await run()
  await run()
  expect(await reached()).toEqual([
    [80, 4],
    [100, 5],
  ])
  for (const gone of [id, last.id]) await its.as('owner', 'DELETE', `/links/${gone}`)
  await run()
  await link({})
  await run()
  expect(await reached()).toEqual([
    [80, 4],
    [100, 5],
    [80, 4],
  ])
})
