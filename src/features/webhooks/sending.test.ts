import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac, createPublicKey, verify } from 'node:crypto'
import { eventually } from '../../../test/harness/eventually.ts'
import { AppError } from '../../lib/errors/index.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { COMMAND_LINE } from '../audit/types.ts'
import type { FeedEvent } from '../events/types.ts'
import type { Attempt, Delivery, Webhook } from './schemas.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A request that the receiver got. */
interface Received {
  path: string
  headers: Headers
  body: string
  event: FeedEvent
}

let its: TestDashboard
let got: Received[]
let answer: (received: Received) => Response | Promise<Response>
let receiver: ReturnType<typeof Bun.serve>
const url = (path = '/hook') => `http://127.0.0.1:${receiver.port}${path}`

beforeEach(async () => {
  its = await createTestDashboard()
  await its.storage.write((tx) => tx.db.updateTable('workspaces').set({ plan_id: 'big' }).execute())
  got = []
  answer = () => new Response('ok')
  receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text()
      const received = {
        path: new URL(request.url).pathname,
        headers: request.headers,
        body,
        event: JSON.parse(body) as FeedEvent,
      }
      got.push(received)
      return answer(received)
    },
  })
  await its.hooks.webhookSender.start()
})
afterEach(async () => {
  await receiver.stop(true)
  await its.hooks.webhookSender.stop()
  await its.jobs.stop()
  await its.close()
})

const as = async (method: string, path: string, body?: object) => {
  const { status, body: answered } = await its.as('owner', method, path, body)
  expect([path, status < 300 ? 'done' : JSON.stringify(answered)]).toEqual([path, 'done'])
  return answered
}
const create = (fields: object = {}): Promise<Webhook & { secret: string }> =>
  as('POST', '/webhooks', { url: url(), ...fields })
const link = (fields: object = {}) =>
  as('POST', '/links', { destination_url: 'https://e.example/', ...fields })
const deliveries = async ({ id }: { id: string }, query = ''): Promise<Delivery[]> =>
  (await as('GET', `/webhooks/${id}/deliveries${query}`)).data
const current = ({ id }: { id: string }): Promise<Webhook> => as('GET', `/webhooks/${id}`)
/** Waits until expectations are met. */
async function until(check: () => unknown): Promise<void> {
  let failure: unknown
  const isMet = async () => {
    try {
      await check()
      return true
    } catch (error) {
      failure = error
      return undefined
    }
  }
  await eventually('expectations', isMet).catch(() => {
    throw failure
  })
}
const arrived = (count: number) => until(() => expect(got.length).toBeGreaterThanOrEqual(count))
/** Lets time pass, and has what is due sent. */
function pass(ms: number): void {
  its.clock.ms += ms
  its.hooks.webhookSender.wake()
}
/** The only delivery, once it has had so many attempts. */
async function attempted(webhook: { id: string }, count: number): Promise<Delivery> {
  const found: Delivery[] = []
  await until(async () => {
    found.push(...(await deliveries(webhook)))
    expect(found.at(-1)?.attempts.length).toBe(count)
  })
  return found.at(-1) as Delivery
}

describe('an event', () => {
  test('is sent as it is in the feed, with both signatures', async () => {
    const webhook = await create({ types: ['link.created'] })
    await link({ title: 'first' })
    await arrived(1)
    const [{ headers, body, event }] = got as [Received]
    const feed = await as('GET', '/events?types=link.created')
    expect(event).toEqual(feed.data[0])
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('webhook-id')).toBe(event.id)
    expect(headers.get('webhook-timestamp')).toBe(String(its.clock.ms / 1000))
    const signed = `${event.id}.${headers.get('webhook-timestamp')}.${body}`
    const secret = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')
    const v1 = createHmac('sha256', secret).update(signed).digest('base64')
    const [first, second, ...others] = (headers.get('webhook-signature') ?? '').split(' ')
    expect(first).toBe(`v1,${v1}`)
    expect(others).toEqual([])
    const raw = Buffer.from(webhook.public_key.slice('whpk_'.length), 'base64')
    const key = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }
    const publicKey = createPublicKey({ key, format: 'jwk' })
    const signature = Buffer.from(second?.slice('v1a,'.length) ?? '', 'base64')
    expect(verify(null, Buffer.from(signed), publicKey, signature)).toBe(true)

    const delivery = await attempted(webhook, 1)
    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^dlv_[0-9a-z]{26}$/),
      event_id: event.id,
      type: 'link.created',
      status: 'succeeded',
      next_attempt_at: null,
      attempts: [{ status: 200, response: 'ok', error: null }],
      event,
    })
    expect(await deliveries(webhook, '?status=failed')).toEqual([])
    expect(await deliveries(webhook, '?status=succeeded')).toHaveLength(1)
  })

  test('is sent only to webhooks of its type, and of its link', async () => {
    const { id: folder } = await as('POST', '/folders', { name: 'f' })
    await create({ url: url('/deleted'), types: ['link.deleted'] })
    await create({ url: url('/folder'), filter: { folders: [folder] } })
    await create({ url: url('/domain'), filter: { domains: ['go.example'] } })
    await as('POST', '/tags', { name: 'spring' })
    await create({ url: url('/tag'), filter: { tags: ['Spring'] } })
    await create({ url: url('/all') })
    const titles = (path: string) =>
      got.filter((one) => one.path === path).map(({ event }) => event.object.title ?? event.type)
    await link({ title: 'none' })
    await link({ title: 'inside', folder_id: folder })
    await link({ title: 'other', domain: 'go.example' })
    await link({ title: 'tagged', tags: ['spring'] })
    await until(() => expect(titles('/all').sort()).toEqual(['inside', 'none', 'other', 'tagged']))
    await until(() =>
      expect(['/deleted', '/folder', '/domain', '/tag'].map(titles)).toEqual([
        [],
        ['inside'],
        ['other'],
        ['tagged'],
      ]),
    )
  })

  test('is sent once the webhook exists, to the URL that it has then', async () => {
    await link({ title: 'before' })
    const webhook = await create({ types: ['link.created'] })
    await link({ title: 'one' })
    await arrived(1)
    await as('PATCH', `/webhooks/${webhook.id}`, { url: url('/moved') })
    await link({ title: 'two' })
    await arrived(2)
    expect(got.map(({ path, event }) => [path, event.object.title])).toEqual([
      ['/hook', 'one'],
      ['/moved', 'two'],
    ])
  })

  test('of a disabled time isn’t sent, unless it is replayed', async () => {
    const webhook = await create({ types: ['link.created'] })
    const start = (await as('GET', '/events?after=latest')).pagination.next_cursor
    await as('PATCH', `/webhooks/${webhook.id}`, { enabled: false })
    await link({ title: 'meanwhile' })
    await as('PATCH', `/webhooks/${webhook.id}`, { enabled: true })
    await link({ title: 'after' })
    await arrived(1)
    expect(got.map(({ event }) => event.object.title)).toEqual(['after'])
    its.jobs.start()
    await as('POST', `/webhooks/${webhook.id}/replay`, { after: start })
    await arrived(3)
    expect(got.slice(1).map(({ event }) => event.object.title)).toEqual(['meanwhile', 'after'])
  })

  test('is signed by the old secret too for a day after a rotation', async () => {
    const webhook = await create({ types: ['link.created'] })
    const { secret } = await as('POST', `/webhooks/${webhook.id}/rotate-secret`)
    const isBy = (text: string, { headers, body }: Received) => {
      const key = Buffer.from(text.slice('whsec_'.length), 'base64')
      const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
      const v1 = createHmac('sha256', key).update(signed).digest('base64')
      return (headers.get('webhook-signature') ?? '').split(' ').includes(`v1,${v1}`)
    }
    await link()
    await arrived(1)
    expect([webhook.secret, secret].map((one) => isBy(one, got[0] as Received))).toEqual([
      true,
      true,
    ])
    pass(DAY)
    await link()
    await arrived(2)
    expect([webhook.secret, secret].map((one) => isBy(one, got[1] as Received))).toEqual([
      false,
      true,
    ])
  })
})

describe('a failed attempt', () => {
  test('is followed by others, each after a longer pause with jitter, ten in all', async () => {
    answer = () => new Response('x'.repeat(5_000), { status: 500 })
    const webhook = await create({ types: ['link.created'] })
    await link()
    const pauses = [5_000, 5 * MINUTE, 30 * MINUTE]
    pauses.push(...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR))
    for (const [i, pause] of pauses.entries()) {
      const { next_attempt_at, status, attempts } = await attempted(webhook, i + 1)
      const waits = Date.parse(next_attempt_at ?? '') - its.clock.ms
      expect(status).toBe('pending')
      expect(waits).toBeGreaterThanOrEqual(pause)
      expect(waits).toBeLessThanOrEqual(pause * 1.1 + 1)
      expect(attempts.at(-1)?.response).toBe('x'.repeat(1_024))
      if (i === 0) expect((await current(webhook)).status).toBe('failing')
      pass(waits)
    }
    const last = await attempted(webhook, 10)
    expect([last.status, last.next_attempt_at]).toEqual(['failed', null])
    expect(new Set(got.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
  })

  test('is followed when the receiver says so, a day later at most', async () => {
    let wanted = '3600'
    answer = () => new Response('', { status: 429, headers: { 'Retry-After': wanted } })
    const webhook = await create({ types: ['link.created'] })
    await link()
    const waits = async (count: number) =>
      Date.parse((await attempted(webhook, count)).next_attempt_at ?? '') - its.clock.ms
    expect(await waits(1)).toBe(HOUR)
    wanted = new Date(its.clock.ms + 3 * HOUR).toUTCString()
    pass(HOUR)
    expect(await waits(2)).toBe(2 * HOUR)
    wanted = '99999999'
    pass(2 * HOUR)
    expect(await waits(3)).toBe(DAY)
  })

  test.each([
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 307), 307],
    ['an error', () => new Response('no', { status: 404 }), 404],
  ])('is %s', async (_, response, status) => {
    answer = response
    const webhook = await create({ types: ['link.created'] })
    await link()
    const { attempts } = await attempted(webhook, 1)
    expect(attempts).toMatchObject([{ status, error: null }])
    expect(got).toHaveLength(1)
  })

  test('without a response has a reason', async () => {
    const webhook = await create({ types: ['link.created'] })
    await receiver.stop(true)
    await link()
    const { attempts } = await attempted(webhook, 1)
    expect(attempts).toMatchObject([{ status: null, response: null, error: 'connection_failed' }])
  })

  test('isn’t made to a private address, whatever the name led to before', async () => {
    const webhook = await create({ types: ['link.created'] })
    const moved = { url: 'http://10.0.0.1/' }
    await its.storage.write((tx) => tx.db.updateTable('webhooks').set(moved).execute())
    await link()
    const { attempts } = await attempted(webhook, 1)
    expect(attempts).toMatchObject([{ status: null, error: 'url_not_allowed' }])
  })

  test('ends the failure when the next one succeeds', async () => {
    answer = () => new Response('', { status: 503 })
    const webhook = await create({ types: ['link.created'] })
    await link()
    await attempted(webhook, 1)
    expect(await current(webhook)).toMatchObject({
      status: 'failing',
      failing_since: new Date(its.clock.ms).toISOString(),
    })
    answer = () => new Response('')
    pass(6_000)
    await attempted(webhook, 2)
    await until(async () =>
      expect(await current(webhook)).toMatchObject({ status: 'ok', failing_since: null }),
    )
  })
})

describe('a webhook is disabled', () => {
  const isDisabled = (webhook: Webhook, reason: string) =>
    until(async () =>
      expect(await current(webhook)).toMatchObject({
        enabled: false,
        status: 'disabled',
        disabled_reason: reason,
      }),
    )

  test('when it answers 410, with an event and a mail', async () => {
    answer = () => new Response('', { status: 410 })
    const webhook = await create({ types: ['link.created'] })
    await link()
    await isDisabled(webhook, 'gone')
    const { data } = await as('GET', '/events?types=webhook.disabled')
    expect(data).toMatchObject([
      {
        type: 'webhook.disabled',
        actor: { type: 'system' },
        object: { id: webhook.id, status: 'disabled', disabled_reason: 'gone' },
        previous: { enabled: true },
      },
    ])
    expect(JSON.stringify(data)).not.toContain('/hook')
    await until(() =>
      expect(its.notices).toMatchObject([
        { kind: 'webhook_disabled', to: 'owner@example.com', params: { workspace: 'Acme' } },
      ]),
    )
  })

  test('after five days without a success', async () => {
    answer = () => new Response('', { status: 500 })
    const webhook = await create({ types: ['link.created'] })
    await link()
    await attempted(webhook, 1)
    its.clock.ms += 5 * DAY - 1
    await link()
    await until(() => expect(got).toHaveLength(3))
    expect((await current(webhook)).status).toBe('failing')
    its.clock.ms += DAY
    its.hooks.webhookSender.wake()
    await isDisabled(webhook, 'failing')
  })

  test('when who made it loses access, and works again for who enables it', async () => {
    const { no } = its.workspace
    const made = await its.as('admin', 'POST', '/webhooks', { url: url(), types: ['link.created'] })
    await link({ title: 'one' })
    await arrived(1)
    const { members } = its.administration
    await its.storage.write((tx) =>
      tx.db
        .deleteFrom('members')
        .where('workspace_no', '=', no)
        .where('user_id', '=', 'usr_admin')
        .execute(),
    )
    expect((await members.list(no)).length).toBe(3)
    await link({ title: 'two' })
    await isDisabled(made.body, 'not_permitted')
    await as('PATCH', `/webhooks/${made.body.id}`, { enabled: true })
    await link({ title: 'three' })
    await arrived(2)
    expect(got.map(({ event }) => event.object.title)).toEqual(['one', 'three'])
    expect((await current(made.body)).created_by.id).toBe('usr_owner')
  })
})

test('a webhook of a restricted key sends only what that key sees, also after its rotation', async () => {
  await as('POST', '/tags', { name: 'a' })
  const input = { name: 'k', scopes: ['webhooks:write' as const], expiresAt: null }
  const restrictions = { tags: ['a'] }
  const { no } = its.workspace
  const made = await its.storage.write((tx) =>
    its.keys.create(tx, no, { ...input, restrictions }, COMMAND_LINE),
  )
  await its.withKey(made.key, 'POST', '/webhooks', { url: url() })
  const other = await link({ title: 'hidden' })
  await link({ title: 'one', tags: ['a'] })
  await as('PATCH', `/links/${other.id}`, { title: 'hidden still' })
  await arrived(1)
  const rotation = { workspaceNo: no, overlapMs: 0 }
  await its.storage.write((tx) => its.keys.rotate(tx, made.id, rotation, COMMAND_LINE))
  its.clock.ms += 1_000
  await link({ title: 'two', tags: ['a'] })
  await arrived(2)
  expect(got.map(({ event }) => event.object.title)).toEqual(['one', 'two'])
})

test('a test sends a sample of each type, once, and changes no state', async () => {
  answer = () => new Response('', { status: 500 })
  const webhook = await create({ types: ['link.created', 'tag.renamed', 'clicks.recorded'] })
  const made = await as('POST', `/webhooks/${webhook.id}/test`)
  expect(made.data.map(({ type }: Delivery) => type)).toEqual([
    'link.created',
    'tag.renamed',
    'clicks.recorded',
  ])
  await arrived(3)
  await until(async () =>
    expect((await deliveries(webhook)).map(({ status }) => status)).toEqual(
      Array(3).fill('failed'),
    ),
  )
  expect((await current(webhook)).status).toBe('ok')
  expect(got.map(({ event }) => event.type).sort()).toEqual([
    'clicks.recorded',
    'link.created',
    'tag.renamed',
  ])
  expect(new Set(got.map(({ headers }) => headers.get('webhook-id'))).size).toBe(3)
})

test('a delivery is sent again, with the same id', async () => {
  const webhook = await create({ types: ['link.created'] })
  await link()
  const { id, event_id } = await attempted(webhook, 1)
  const again = await as('POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`)
  expect(again).toMatchObject({ id, status: 'pending' })
  const done = await attempted(webhook, 2)
  expect(done).toMatchObject({ status: 'succeeded', event_id })
  expect(got[1]?.headers.get('webhook-id')).toBe(event_id)
  const missing = await its.as('owner', 'POST', `/webhooks/${webhook.id}/deliveries/dlv_x/replay`)
  expect([missing.status, missing.body.error.code]).toEqual([404, 'DELIVERY_NOT_FOUND'])
})

test('events are sent again from a time on, to the millisecond', async () => {
  const webhook = await create({ types: ['link.created'], enabled: false })
  const times: number[] = []
  for (const title of ['a', 'b', 'c', 'd']) {
    await link({ title })
    times.push(its.clock.ms)
    its.clock.ms += 40_000
  }
  await as('PATCH', `/webhooks/${webhook.id}`, { enabled: true })
  its.jobs.start()
  const replayed = async (after: string) => {
    got = []
    const job = await as('POST', `/webhooks/${webhook.id}/replay`, { after })
    await until(async () => {
      const { status, result } = await as('GET', `/jobs/${job.id}`)
      expect(status).toBe('succeeded')
      expect(got.length).toBeGreaterThanOrEqual(result.deliveries)
    })
    return got.map(({ event }) => event.object.title).sort()
  }
  const [, , c = 0, d = 0] = times
  expect(await replayed(new Date(c).toISOString())).toEqual(['c', 'd'])
  expect(await replayed(new Date(c + 1).toISOString())).toEqual(['d'])
  const local = new Date(c + 2 * HOUR).toISOString().replace('Z', '+02:00')
  expect(await replayed(local)).toEqual(['c', 'd'])
  expect(await replayed(new Date(d + 1).toISOString())).toEqual([])
  expect(await replayed(new Date(c).toISOString().slice(0, 10))).toEqual(['a', 'b', 'c', 'd'])

  const refused = async (after: string) => {
    const { status, body } = await its.as('owner', 'POST', `/webhooks/${webhook.id}/replay`, {
      after,
    })
    return [status, body.error.code, body.error.details?.[0]?.code]
  }
  for (const wrong of ['yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '1780000000']) {
    expect(await refused(wrong)).toEqual([400, 'BAD_REQUEST', 'INVALID_CURSOR'])
  }
  its.clock.ms += 90 * DAY - 60_000
  await its.events.purge()
  expect(await refused(new Date(times[1] ?? 0).toISOString())).toEqual([
    ...[410, 'EVENTS_EXPIRED', undefined],
  ])
  expect(await replayed(new Date(d).toISOString())).toEqual(['d'])
})

test('at most five requests are in flight, and a slow receiver delays no other', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let open = 0
  let most = 0
  answer = async ({ path }) => {
    if (path === '/fast') return new Response('')
    most = Math.max(most, ++open)
    await released
    open--
    return new Response('')
  }
  await create({ url: url('/slow'), types: ['link.created'] })
  await create({ url: url('/fast'), types: ['link.created'] })
  for (let i = 0; i < 30; i++) await link()
  const count = (path: string) => got.filter((one) => one.path === path).length
  await until(() => expect([count('/fast'), count('/slow')]).toEqual([30, 5]))
  release()
  await until(() => expect(count('/slow')).toBe(30))
  expect(most).toBe(5)
})

test('old deliveries, and those of deleted webhooks, are deleted', async () => {
  const kept = await create({ types: ['link.created'] })
  const deleted = await create({ types: ['link.created'] })
  await link()
  await arrived(2)
  await attempted(kept, 1)
  await attempted(deleted, 1)
  const count = async () =>
    (await its.storage.read.db.selectFrom('webhook_deliveries').select('webhook_id').execute()).map(
      ({ webhook_id }) => webhook_id,
    )
  await as('DELETE', `/webhooks/${deleted.id}`)
  await its.hooks.webhookSender.purge()
  expect(await count()).toEqual([kept.id])
  const rows = await its.storage.read.db.selectFrom('webhooks').select('id').execute()
  expect(rows).toEqual([{ id: kept.id }])
  its.clock.ms += 30 * DAY + 1
  await its.hooks.webhookSender.purge()
  expect(await count()).toEqual([])
})

/** The node that sends dies before its requests have ended. */
async function dieWhileSending(): Promise<void> {
  await its.hooks.webhookSender.stop()
  await its.storage.write((tx) =>
    tx.db
      .updateTable('webhooks')
      .set({ lease_owner: 'dead', lease_until: its.clock.ms + 15_000, next_at: null })
      .execute(),
  )
}

test('a node that died is followed by another, which sends what was under way again', async () => {
  const webhook = await create({ types: ['link.created'] })
  await dieWhileSending()
  await link()
  const { createWebhookSender } = await import('./sender.ts')
  const next = createWebhookSender({ ...its.hookDeps, nodeId: 'other' })
  await next.start()
  await next.purge()
  expect(next.served()).toBe(0)
  its.clock.ms += 15_001
  await arrived(1)
  const done: Attempt[] = (await attempted(webhook, 1)).attempts
  expect(done).toMatchObject([{ status: 200 }])
  await next.stop()
})

test('many events of one workspace at once are looked for together', async () => {
  const { createWebhookSender } = await import('./sender.ts')
  const { db } = its.storage.read
  let looks = 0
  const selectFrom = (...tables: Parameters<typeof db.selectFrom>) => {
    looks++
    return db.selectFrom(...tables)
  }
  const counted = new Proxy(db, {
    get: (target, name) => (name === 'selectFrom' ? selectFrom : Reflect.get(target, name)),
  })
  const listeners: ((workspaceNo: number) => void)[] = []
  const sender = createWebhookSender({
    ...its.hookDeps,
    storage: { ...its.storage, read: { ...its.storage.read, db: counted } },
    eventSignal: { listen: (listener) => void listeners.push(listener) },
    nodeId: 'other',
  })
  await sender.start()
  for (let round = 1; round <= 2; round++) {
    const before = looks
    for (let event = 0; event < 100; event++) for (const listener of listeners) listener(1)
    await eventually('a look', () => looks > before || undefined)
  }
  // One each, and now and then one because of the time.
  expect(looks).toBeLessThan(20)
  await sender.stop()
})

test('events of an hour without the receiver arrive, though the node that sent them died', async () => {
  let isAway = true
  const accepted = new Set<string>()
  answer = ({ event }) => {
    if (isAway) return new Response('', { status: 503 })
    accepted.add(event.id)
    return new Response('')
  }
  const webhook = await create({ types: ['link.created'] })
  const made: string[] = []
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute++) {
      made.push((await link()).id)
      pass(MINUTE)
    }
  }
  await minutes(30)
  await until(async () => expect((await deliveries(webhook)).length).toBeGreaterThan(0))
  await dieWhileSending()
  await minutes(30)
  const { createWebhookSender } = await import('./sender.ts')
  const next = createWebhookSender({ ...its.hookDeps, nodeId: 'other' })
  await next.start()
  isAway = false
  await eventually('all events', () => {
    its.clock.ms += MINUTE
    next.wake()
    return accepted.size === made.length ? true : undefined
  })
  const feed = await as('GET', '/events?types=link.created&limit=100')
  expect(feed.data.map(({ object }: FeedEvent) => object.id)).toEqual(made)
  expect(feed.data.every(({ id }: FeedEvent) => accepted.has(id))).toBe(true)
  await next.stop()
})

describe('clicks', () => {
  const click = (n: number) => ({ id: `1-${n}`, clicked_at: 'then' })
  /** Clicks of the workspace, by their number. */
  let clicked: number[]
  beforeEach(() => {
    clicked = []
    its.clicks.read = async (_, { after, upTo, limit }) => {
      const from = after.time === 0 ? after.n : 0
      const found = clicked.filter((n) => n > from && (upTo === undefined || n <= upTo.n))
      const some = found.slice(0, limit)
      return { clicks: some.map(click), end: { time: 0, n: some.at(-1) ?? from } }
    }
  })
  const numbersIn = ({ event }: Received) =>
    (event.object.clicks as { id: string }[]).map(({ id }) => Number(id.slice(2)))

  test('are sent up to a thousand at a time, each once, again after a failure', async () => {
    const webhook = await create({ types: ['clicks.recorded'] })
    await until(async () => {
      const rows = its.storage.read.db.selectFrom('webhooks').select('clicks_position')
      expect((await rows.execute())[0]?.clicks_position).toBe(`${its.clock.ms} 0`)
    })
    answer = () => new Response('', { status: got.length === 1 ? 500 : 200 })
    clicked = Array.from({ length: 1_500 }, (_, i) => i + 1)
    await arrived(1)
    await until(() => {
      pass(1_000)
      expect(got.length).toBe(3)
    })
    const [first, ...others] = got as [Received, Received, Received]
    expect(first.event).toMatchObject({ type: 'clicks.recorded', actor: { type: 'system' } })
    expect(first.headers.get('webhook-id')).toBe(first.event.id)
    const again = others.find(({ event }) => event.id === first.event.id)
    expect(again?.body).toBe(first.body)
    const rest = others.find((one) => one !== again) as Received
    expect([numbersIn(first).length, numbersIn(rest).length]).toEqual([1_000, 500])
    expect([...numbersIn(first), ...numbersIn(rest)]).toEqual(clicked)
    const shown = await deliveries(webhook)
    expect(shown.map(({ type, event }) => [type, event])).toEqual([
      ['clicks.recorded', null],
      ['clicks.recorded', null],
    ])
  })

  test('go on from the last one when other types are chosen too', async () => {
    const webhook = await create({ types: ['clicks.recorded'] })
    clicked = [1, 2, 3]
    await arrived(1)
    await as('PATCH', `/webhooks/${webhook.id}`, { types: ['clicks.recorded', 'link.created'] })
    clicked = [1, 2, 3, 4]
    await arrived(2)
    expect(got.map(numbersIn)).toEqual([[1, 2, 3], [4]])
  }, 60_000)

  test('aren’t read for webhooks without that type', async () => {
    let reads = 0
    its.clicks.read = async (_, { after }) => {
      reads++
      return { clicks: [], end: after }
    }
    await create({ types: ['link.created'] })
    await link()
    await arrived(1)
    expect(reads).toBe(0)
  })

  test('that can’t be read for a while delay no event, and are sent later', async () => {
    const webhook = await create({ types: ['clicks.recorded', 'link.created'] })
    const read = its.clicks.read
    await until(async () => {
      const rows = its.storage.read.db.selectFrom('webhooks').select('clicks_position')
      expect((await rows.execute())[0]?.clicks_position).toBe(`${its.clock.ms} 0`)
    })
    // Found, and then unreadable when they are to be sent.
    its.clicks.read = async (caller, asked) => {
      if (asked.upTo !== undefined) throw new AppError('SERVICE_UNAVAILABLE')
      return read(caller, asked)
    }
    clicked = [1, 2, 3]
    its.hooks.webhookSender.wake()
    await until(async () => expect(await deliveries(webhook)).toHaveLength(1))
    await link()
    await arrived(1)
    expect(got.map(({ event }) => event.type)).toEqual(['link.created'])
    its.clicks.read = read
    await until(() => {
      pass(6_000)
      expect(got.map(({ event }) => event.type)).toEqual(['link.created', 'clicks.recorded'])
    })
  }, 60_000)
})
