import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readEvents } from '../../lib/base/server-events.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { COMMAND_LINE } from '../audit/types.ts'
import { createEventStreams, STREAMS_PER_WORKSPACE } from './streams.ts'
import type { FeedEvent } from './types.ts'

let its: TestDashboard
let key: { id: string; key: string }
beforeEach(async () => {
  its = await createTestDashboard()
  await its.storage.write((tx) => tx.db.updateTable('workspaces').set({ plan_id: 'big' }).execute())
  key = await its.storage.write((tx) => {
    const input = { name: 'k', scopes: ['events:read' as const], expiresAt: null }
    return its.keys.create(tx, its.workspace.no, input, COMMAND_LINE)
  })
})
afterEach(async () => {
  its.eventStreams.endAll()
  await its.close()
})

/** Opens a stream with the key. */
async function open(query = '', headers: Record<string, string> = {}) {
  const answer = await its.stream(key.key, `/events/stream${query}`, headers)
  expect(answer.status).toBe(200)
  const events = readEvents(answer.body as ReadableStream<Uint8Array<ArrayBuffer>>)
  return {
    answer,
    /** The next events. */
    async take(count: number): Promise<FeedEvent[]> {
      const taken: FeedEvent[] = []
      while (taken.length < count) {
        const { value, done } = await events.next()
        if (done) break
        const event = JSON.parse(value.data) as FeedEvent
        expect(value.id).toBe(event.id)
        taken.push(event)
      }
      return taken
    },
    close: () => events.return(undefined),
  }
}
const titles = (events: readonly FeedEvent[]) => events.map(({ object }) => object.title)
const link = (title: string) =>
  its.as('owner', 'POST', '/links', { destination_url: 'https://e.example/', title })

describe('the stream of events', () => {
  test('sends what there is and then what comes, in order, each once', async () => {
    await link('a')
    await link('b')
    const stream = await open('?types=link.created')
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream')
    expect(titles(await stream.take(2))).toEqual(['a', 'b'])
    const next = stream.take(3)
    await link('c')
    await Promise.all([link('d'), link('e')])
    expect(titles(await next).toSorted()).toEqual(['c', 'd', 'e'])
    await stream.close()
  })

  test('resumes after the last event, without loss or repeat', async () => {
    await link('a')
    const first = await open('?types=link.created')
    const [{ id } = { id: '' }] = await first.take(1)
    await first.close()
    await link('b')
    const byHeader = await open('?types=link.created&after=latest', { 'Last-Event-ID': id })
    expect(titles(await byHeader.take(1))).toEqual(['b'])
    const byParameter = await open(`?types=link.created&after=${id}`)
    expect(titles(await byParameter.take(1))).toEqual(['b'])
    await Promise.all([byHeader.close(), byParameter.close()])
  })

  test('sees commits of other processes, of which no signal tells', async () => {
    const { read } = its.storage
    const streams = createEventStreams({
      storage: its.storage,
      events: its.events,
      eventSignal: { listen() {} },
    })
    const caller = { kind: 'api_key', keyId: 'key', scopes: new Set(), workspace: its.workspace }
    const position = await its.events.positionOf({ workspace: its.workspace }, 'latest')
    const body = await streams.open(caller as never, { position }, async () => true)
    const events = readEvents(body as ReadableStream<Uint8Array<ArrayBuffer>>)
    const next = events.next()
    // It waits already when the link is made.
    await read.db.selectFrom('workspaces').select('no').execute()
    await link('later')
    expect(titles([JSON.parse((await next).value?.data ?? '{}')])).toEqual(['later'])
    streams.endAll()
  })

  test('moves its position with heartbeats, past events that it does not send', async () => {
    const streams = createEventStreams({
      storage: its.storage,
      events: its.events,
      eventSignal: its.eventSignal,
      heartbeatMs: 20,
    })
    const caller = { kind: 'api_key', keyId: 'key', scopes: new Set(), workspace: its.workspace }
    const position = await its.events.positionOf({ workspace: its.workspace }, 'latest')
    const body = await streams.open(
      caller as never,
      { position, types: ['tag.created'] },
      async () => true,
    )
    const reader = body.getReader()
    await link('not sent')
    const now = await its.events.positionOf({ workspace: its.workspace }, 'latest')
    const id = await its.events.idOf({ workspace: its.workspace }, now)
    let text = ''
    while (!text.includes(`:\nid: ${id}\n\n`)) {
      text += new TextDecoder().decode((await reader.read()).value)
    }
    expect(text).not.toContain('data:')
    streams.endAll()
  })

  test('ends when its key is revoked', async () => {
    const stream = await open('?after=latest')
    await its.storage.write((tx) =>
      its.keys.revoke(tx, key.id, { workspaceNo: its.workspace.no }, COMMAND_LINE),
    )
    await link('unseen')
    const seen = await stream.take(10)
    expect(seen.length).toBeLessThan(10)
  })

  test('refuses what the list refuses, and more streams than a workspace may have', async () => {
    const refused = async (query: string, headers = {}) =>
      (await its.stream(key.key, `/events/stream${query}`, headers)).status
    expect(await refused('?types=nothing')).toBe(422)
    expect(await refused('?after=evt_1')).toBe(400)
    expect(await refused('', { 'Last-Event-ID': 'evt_1' })).toBe(400)
    const streams = await Promise.all(
      Array.from({ length: STREAMS_PER_WORKSPACE }, () => open('?after=latest')),
    )
    expect(await refused('')).toBe(429)
    await Promise.all(streams.map((stream) => stream.close()))
  })
})
