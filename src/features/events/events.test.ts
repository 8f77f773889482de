import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { COMMAND_LINE } from '../audit/types.ts'
import { setBlocked } from '../blocks/testing/set-blocked.ts'
import { bigLink } from '../links/testing/big-link.ts'
import type { FeedEvent } from './types.ts'

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
  await its.storage.write((tx) => tx.db.updateTable('workspaces').set({ plan_id: 'big' }).execute())
})
afterEach(() => its.close())

const DAY_MS = 86_400_000

const read = (query = '', person = 'owner') => its.as(person, 'GET', `/events${query}`)
const latest = async () => (await read('?after=latest')).body.pagination.next_cursor as string
/** What happened since, as types with the most telling fields. */
async function since(after: string, person = 'owner'): Promise<FeedEvent[]> {
  return (await read(`?after=${after}&limit=100`, person)).body.data
}
const send = async (method: string, path: string, body?: object) => {
  const answer = await its.as('owner', method, path, body)
  expect(answer.status).toBeLessThan(300)
  return answer.body
}
const link = (fields: object = {}) =>
  send('POST', '/links', { destination_url: 'https://e.example/', ...fields })
const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [
  status,
  body.error.code,
]

describe('an event of a link', () => {
  test('has the object as the API returns it, without figures, and what it was before', async () => {
    const start = await latest()
    const made = await link({
      slug: 'one',
      title: 'first',
      tags: ['news'],
      password: 'secret words',
    })
    const changed = await send('PATCH', `/links/${made.id}`, { title: 'second', slug: 'two' })
    await send('DELETE', `/links/${made.id}`)
    await send('POST', `/links/${made.id}/restore`)
    const events = await since(start)
    expect(events.map(({ type }) => type)).toEqual([
      'link.created',
      'link.updated',
      'link.deleted',
      'link.restored',
    ])
    const [created, updated, deleted] = events
    const { clicks: _, last_clicked_at: __, warnings: ___, ...object } = made
    expect(created).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      at: new Date(its.clock.ms).toISOString(),
      actor: { type: 'user', id: 'usr_owner', name: 'owner' },
      previous: {},
    })
    expect(created?.object).toEqual(object)
    expect(updated?.previous).toEqual({ title: 'first', slug: 'one', aliases: [] })
    expect(updated?.object).toMatchObject({ short_url: changed.short_url, version: 2 })
    expect(deleted).toMatchObject({ previous: {}, object: { id: made.id, title: 'second' } })
    expect(JSON.stringify(events)).not.toMatch(/hash of|secret words|@example.com/)
  })

  test('shares a page with others up to 4 MiB, and the next page goes on after it', async () => {
    const { rules, variants } = bigLink()
    const { id } = await link({ rules })
    await send('PATCH', `/links/${id}`, { variants })
    const start = await latest()
    const titles = Array.from({ length: 60 }, (_, n) => `Title ${n}`)
    for (const title of titles) await send('PATCH', `/links/${id}`, { title })
    for (const types of ['', '&types=link.updated']) {
      const found: unknown[] = []
      const pages: number[] = []
      let after = start
      for (let hasMore = true; hasMore; ) {
        const { status, body } = await read(`?after=${after}&limit=100${types}`)
        expect(status).toBe(200)
        expect(JSON.stringify(body).length).toBeLessThan(4.5 * 1_048_576)
        found.push(...(body.data as FeedEvent[]).map(({ object }) => object.title))
        pages.push(body.data.length)
        hasMore = body.pagination.has_more
        after = body.pagination.next_cursor
      }
      expect(found).toEqual(titles)
      expect(pages.filter((length) => length > 0)).toHaveLength(2)
    }
  })

  test('tells of a block and of its end', async () => {
    const { id } = await link()
    const start = await latest()
    const deps = { storage: its.storage, clock: its.clock, domains: its.domains }
    await setBlocked(deps, id, true)
    await setBlocked(deps, id, false)
    expect(await since(start)).toMatchObject([
      {
        type: 'link.blocked',
        object: { status: 'blocked', block: { reason: 'spam' } },
        previous: { block: null },
      },
      { type: 'link.updated', object: { block: null }, previous: { block: { reason: 'spam' } } },
    ])
  })

  test('of many at once is one each, numbered without a gap', async () => {
    const start = await latest()
    const operations = [
      ...Array.from({ length: 5 }, (_, i) => ({
        op: 'create',
        link: { destination_url: 'https://e.example/', external_id: `e${i}` },
      })),
      { op: 'create', link: { destination_url: 'nonsense' } },
      { op: 'update', external_id: 'e1', link: { title: 'x' } },
      { op: 'delete', external_id: 'e2' },
    ]
    await send('POST', '/links/bulk', { operations })
    const events = await since(start)
    expect(events.map(({ type }) => type)).toEqual([
      ...Array(5).fill('link.created'),
      'link.updated',
      'link.deleted',
    ])
    const first = events[0]?.sequence ?? 0
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => first + i))
  })
})

test('other objects have events, without a gap between entries that are none', async () => {
  const start = await latest()
  const tag = await send('POST', '/tags', { name: 'a', color: 'blue' })
  const other = await send('POST', '/tags', { name: 'c' })
  await send('PATCH', `/tags/${tag.id}`, { name: 'b' })
  await send('PATCH', `/tags/${tag.id}`, { color: 'red' })
  await send('POST', `/tags/${tag.id}/merge`, { into: other.id })
  await send('DELETE', `/tags/${other.id}`)
  await send('POST', '/utm-templates', { name: 'no event', source: 'mail' })
  const folder = await send('POST', '/folders', { name: 'f' })
  await send('PATCH', `/folders/${folder.id}`, { name: 'g' })
  await send('DELETE', `/folders/${folder.id}?move_to=none`)
  const domain = await send('POST', '/domains', { host: 'go.acme.example' })
  its.dns.set(domain.verification.name, [domain.verification.value])
  await send('POST', `/domains/${domain.id}/verify`)
  await send('PATCH', `/domains/${domain.id}`, { root_url: 'https://acme.example/' })
  await send('DELETE', `/domains/${domain.id}`)
  const key = await send('POST', '/keys', { name: 'k', scopes: ['links:read'] })
  await send('PATCH', `/keys/${key.id}`, { name: 'l' })
  const successor = await send('POST', `/keys/${key.id}/rotate`)
  await send('DELETE', `/keys/${successor.id}`)
  await send('PATCH', '/members/usr_viewer', { role: 'member' })
  await send('DELETE', '/members/usr_viewer')
  const events = await since(start)
  expect(events.map(({ type }) => type)).toEqual([
    ...['tag.created', 'tag.created', 'tag.renamed', 'tag.updated', 'tag.deleted', 'tag.deleted'],
    ...['folder.created', 'folder.updated', 'folder.deleted'],
    ...['domain.created', 'domain.verified', 'domain.updated', 'domain.deleted'],
    ...['key.created', 'key.updated', 'key.rotated', 'key.revoked'],
    ...['member.updated', 'member.removed'],
  ])
  const first = events[0]?.sequence ?? 0
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => first + i))
  const byType = Object.fromEntries(events.map((event) => [event.type, event]))
  expect(byType['tag.renamed']).toMatchObject({ object: { name: 'b' }, previous: { name: 'a' } })
  expect(events[4]?.object).toMatchObject({ id: tag.id, merged_into: other.id })
  expect(byType['folder.deleted']?.object).toMatchObject({ id: folder.id, moved_to: null })
  expect(byType['key.rotated']?.object).toMatchObject({
    id: key.id,
    status: 'rotating',
    created_by: { type: 'user', id: 'usr_owner', name: 'owner' },
    successor: { id: successor.id },
  })
  expect(byType['member.removed']).toMatchObject({
    object: { user_id: 'usr_viewer', role: 'member', name: 'viewer' },
    previous: {},
  })
  const text = JSON.stringify(events)
  expect(text).not.toContain('@example.com')
  expect(text).not.toContain(key.key)
})

describe('reading', () => {
  test('goes on where it ended, also at the end, and by type', async () => {
    const start = await latest()
    for (let i = 0; i < 5; i++) await link({ title: `n${i}` })
    await send('POST', '/tags', { name: 'a' })
    const titles: unknown[] = []
    let after = start
    for (let more = true; more; ) {
      const { data, pagination } = (await read(`?after=${after}&limit=2`)).body
      expect(data.length).toBeLessThanOrEqual(2)
      titles.push(...data.map(({ object }: FeedEvent) => object.title ?? object.name))
      after = pagination.next_cursor
      more = pagination.has_more
    }
    expect(titles).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'a'])
    expect((await read(`?after=${after}`)).body).toEqual({
      data: [],
      pagination: { limit: 25, has_more: false, next_cursor: after },
    })
    const tags = (await read(`?after=${start}&types=tag.created,folder.created&limit=1`)).body
    expect(tags.data.map(({ type }: FeedEvent) => type)).toEqual(['tag.created'])
    const rest = await read(`?after=${tags.pagination.next_cursor}&types=tag.created`)
    expect(rest.body.data).toEqual([])
    const last = (await since(start)).at(-1)?.id as string
    expect(await since(last)).toEqual([])
  })

  test('begins with the oldest', async () => {
    const { data } = (await read()).body
    expect([data[0].sequence, data[0].type]).toEqual([1, 'member.added'])
  })

  test('refuses unknown types, malformed ids and those of other feeds', async () => {
    const after = await latest()
    expect(codeOf(await read('?types=link.created,link.changed'))).toEqual([
      422,
      'VALIDATION_FAILED',
    ])
    expect(codeOf(await read('?types='))).toEqual([422, 'VALIDATION_FAILED'])
    expect(codeOf(await read('?limit=101'))).toEqual([422, 'VALIDATION_FAILED'])
    const broken = `${after.slice(0, -1)}${after.endsWith('0') ? '1' : '0'}`
    for (const id of [broken, 'evt_1', '', 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8']) {
      expect(codeOf(await read(`?after=${id}`))).toEqual([400, 'BAD_REQUEST'])
    }
    const theirs = await its.storage.write(async (tx) => {
      const workspace = await its.administration.workspaces.create(
        tx,
        { name: 'Other' },
        COMMAND_LINE,
      )
      return workspace
    })
    const other = await its.events.idOf({ workspace: theirs }, 0)
    expect(codeOf(await read(`?after=${other}`))).toEqual([409, 'EVENTS_OTHER_FEED'])
    // Of this feed, but never given: the database was set back.
    const future = await its.events.idOf({ workspace: its.workspace }, 1_000)
    expect(codeOf(await read(`?after=${future}`))).toEqual([409, 'EVENTS_OTHER_FEED'])
  })

  test('needs its scope', async () => {
    const keyOf = (scope: 'events:read' | 'links:read') =>
      its.storage.write((tx) => {
        const input = { name: 'k', scopes: [scope], expiresAt: null }
        return its.keys.create(tx, its.workspace.no, input, COMMAND_LINE)
      })
    const [reader, other] = [await keyOf('events:read'), await keyOf('links:read')]
    expect((await its.withKey(reader.key, 'GET', '/events')).status).toBe(200)
    expect(codeOf(await its.withKey(other.key, 'GET', '/events'))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
    ])
    expect(codeOf(await read('', 'member'))).toEqual([403, 'FORBIDDEN'])
  })
})

test('events expire after 90 days, while their entries stay', async () => {
  await link({ title: 'old' })
  const old = await latest()
  await link({ title: 'older than the next' })
  its.clock.ms += DAY_MS
  await link({ title: 'new' })
  its.clock.ms += 89 * DAY_MS + 1
  const entriesKept = async () => (await its.entries()).map(({ object: _, ...entry }) => entry)
  const entries = await entriesKept()
  await its.events.purge()
  expect((await read()).body.data.map(({ object }: FeedEvent) => object.title)).toEqual(['new'])
  const refused = await read(`?after=${old}`)
  expect(codeOf(refused)).toEqual([410, 'EVENTS_EXPIRED'])
  const oldest = (await read()).body.data[0].id
  expect(refused.body.error.oldest).toBe(oldest)
  expect(await entriesKept()).toEqual(entries)
  its.clock.ms += 90 * DAY_MS
  await its.events.purge()
  await its.events.purge()
  expect((await read(`?after=${old}`)).body.error.oldest).toBeNull()
  expect((await read(`?after=${oldest}`)).status).toBe(200)
  expect((await read()).body.data).toEqual([])
})

test('the position before a time leaves out all events but those of the last minute', async () => {
  const reader = { workspace: its.workspace }
  const made: { id: string; at: number }[] = []
  for (let i = 0; i < 12; i++) {
    await link()
    made.push({ id: await latest(), at: its.clock.ms })
    its.clock.ms += 30_000
  }
  const idBefore = async (time: number) =>
    its.events.idOf(reader, await its.events.positionBefore(reader, time, its.storage.read))
  const first = await idBefore(0)
  for (const [i, { at }] of made.entries()) {
    expect(await idBefore(at)).toBe(made[i - 3]?.id ?? first)
  }
  expect(await idBefore(its.clock.ms + DAY_MS)).toBe(await latest())
})

test('readers who don’t see a folder get no event of what is in it', async () => {
  const seen = await link({ title: 'seen' })
  const moved = await link({ title: 'moved' })
  const start = await latest()
  const folder = await send('POST', '/folders', { name: 'f', access: 'members', members: [] })
  const hidden = await link({ title: 'hidden', folder_id: folder.id, tags: ['hidden tag'] })
  await send('PATCH', `/links/${hidden.id}`, { title: 'still' })
  await send('PATCH', `/links/${moved.id}`, { folder_id: folder.id })
  await send('PATCH', `/links/${moved.id}`, { title: 'inside' })
  await send('PATCH', `/links/${seen.id}`, { title: 'changed' })
  await send('DELETE', `/links/${hidden.id}`)
  const all = await since(start)
  expect(all).toHaveLength(7)
  const made = await its.storage.write(async (tx) => {
    const input = { name: 'k', scopes: ['events:read' as const], expiresAt: null }
    const actor = { type: 'user' as const, id: 'usr_member', name: 'member', requestId: null }
    return its.keys.create(tx, its.workspace.no, input, actor)
  })
  const answer = await its.withKey(made.key, 'GET', `/events?after=${start}&limit=100`)
  const types = answer.body.data.map(({ type, object }: FeedEvent) => [type, object.title])
  expect(types).toEqual([
    ['link.updated', 'changed'],
    ['key.created', undefined],
  ])
  // Moved back, the time in the folder stays hidden.
  await send('PATCH', `/links/${moved.id}`, { folder_id: null })
  const later = await its.withKey(made.key, 'GET', `/events?after=${start}&limit=100`)
  expect(later.body.data).toHaveLength(2)
})

test('a new feed has other ids', async () => {
  const id = await latest()
  await its.storage.write((tx) =>
    tx.db.updateTable('instance').set({ value: 'restored' }).where('name', '=', 'feed').execute(),
  )
  const { createEventService } = await import('./service.ts')
  const again = createEventService({ storage: its.storage, clock: its.clock })
  await expect(again.positionOf({ workspace: its.workspace }, id)).rejects.toMatchObject({
    code: 'EVENTS_OTHER_FEED',
  })
})
