import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createEventStream, type StreamEvent } from '../../http/event-stream.ts'
import { click } from '../testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from '../testing/statistics.ts'
import { type ClickPosition, StatisticsUnavailable } from '../types.ts'
import { type FollowedClick, followClicks } from './follow.ts'
import { STREAMS_PER_WORKSPACE } from './streams.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')

let its: TestStatistics
let first: number
let second: number

beforeAll(async () => {
  its = await createTestStatistics()
  its.clock.ms = NOW
  first = await its.link(1, { tags: ['News'] })
  second = await its.link(2)
})
afterAll(() => its.close())
afterEach(() => its.statistics.endStreams())

/** Reads events of a stream, as a browser's EventSource would. */
class Reader {
  lastId = ''
  #reader: {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(): Promise<void>
  }
  #text = ''
  constructor(readonly answer: Response) {
    this.#reader = (answer.body as ReadableStream<Uint8Array>).getReader() as never
  }
  /** The next block, comments included; null: the stream has ended. */
  async block(): Promise<string | null> {
    while (!this.#text.includes('\n\n')) {
      const { done, value } = await this.#reader.read()
      if (done) return null
      this.#text += new TextDecoder().decode(value)
    }
    const end = this.#text.indexOf('\n\n')
    const block = this.#text.slice(0, end)
    this.#text = this.#text.slice(end + 2)
    return block
  }
  /** The data of the next event. */
  async next(): Promise<{ id: string; link_id: string } | null> {
    for (;;) {
      const block = await this.block()
      if (block === null) return null
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      this.lastId = field('id') ?? this.lastId
      const data = field('data')
      if (data !== undefined) return JSON.parse(data) as { id: string; link_id: string }
    }
  }
  cancel = () => this.#reader.cancel()
}

async function open(query = '', headers: Record<string, string> = {}): Promise<Reader> {
  return new Reader(await its.send('GET', `/api/v1/clicks/stream${query}`, { headers }))
}

let tick = 0
function visit(linkSeq = first, fields: object = {}): string {
  const time = NOW + ++tick
  its.clock.ms = time
  its.reports.add(click({ linkSeq, time, ...fields }))
  return `${time}-0`
}

describe('the stream', () => {
  test('sends clicks as they arrive, and no earlier ones', async () => {
    its.reports.add(click({ linkSeq: first, time: NOW - 5 }))
    const reader = await open()
    expect(reader.answer.headers.get('content-type')).toBe('text/event-stream')
    expect(reader.answer.headers.get('cache-control')).toBe('no-store')
    const id = visit()
    expect(await reader.next()).toMatchObject({ id, link_id: linkId(1), kind: 'human' })
    expect(reader.lastId).toBe(id)
    await reader.cancel()
  })
  test('resumes after the last event, without loss or repeat', async () => {
    const reader = await open()
    const one = visit()
    expect((await reader.next())?.id).toBe(one)
    const { lastId } = reader
    await reader.cancel()
    const [two, three] = [visit(), visit()]
    const byHeader = await open('', { 'Last-Event-ID': lastId })
    expect([(await byHeader.next())?.id, (await byHeader.next())?.id]).toEqual([two, three])
    const byQuery = await open(`?last_event_id=${lastId}`)
    expect((await byQuery.next())?.id).toBe(two)
  })
  test('resumes from its start if nothing was sent before the interruption', async () => {
    const reader = await open()
    const block = await reader.block()
    const id = /^id: (.*)$/m.exec(block ?? '')?.[1] ?? ''
    expect(block).toContain('retry: ')
    await reader.cancel()
    const meanwhile = visit()
    const again = await open('', { 'Last-Event-ID': id })
    const seen: (string | undefined)[] = []
    while (!seen.includes(meanwhile)) seen.push((await again.next())?.id)
    expect(new Set(seen).size).toBe(seen.length)
  })
  test.each([
    ['link', `?link_id=${linkId(2)}`],
    ['tag', '?tag=news'],
    ['bots', '?bots=only'],
    ['country', '?country=fr'],
    ['country, excluded', '?not_country='],
  ])('keeps to its filters: %s', async (_, query) => {
    const reader = await open(query, { 'Last-Event-ID': `${NOW + tick}-0` })
    const skipped = visit(query.includes('tag') ? second : first)
    const kind = query.includes('bots') ? 'bot' : 'human'
    const fields = { kind, country: 'FR' } as const
    const meant = visit(query.includes('link_id=l') ? second : first, fields)
    expect((await reader.next())?.id).toBe(meant)
    expect(skipped).not.toBe(meant)
  })
  test('an invalid id is refused', async () => {
    const refusal = async (query: string, headers: Record<string, string>) => {
      const answer = await its.send('GET', `/api/v1/clicks/stream${query}`, { headers })
      const { error } = (await answer.json()) as { error: { details: object[] } }
      return [answer.status, error.details[0]]
    }
    expect(await refusal('?last_event_id=x', {})).toMatchObject([400, { code: 'INVALID_CURSOR' }])
    expect(await refusal('', { 'Last-Event-ID': 'x' })).toMatchObject([
      400,
      { field: 'Last-Event-ID', code: 'INVALID_HEADER' },
    ])
  })
  test('has no bots by default', async () => {
    const [reader, everyone] = [await open(), await open('?bots=include')]
    const bot = visit(first, { kind: 'bot' })
    const human = visit()
    expect((await reader.next())?.id).toBe(human)
    expect((await everyone.next())?.id).toBe(bot)
  })
  test('stops querying when the reader disconnects and when the server stops', async () => {
    its.reports.signals.length = 0
    const areOpen = () => its.reports.signals.map(({ aborted }) => !aborted)
    const readers = [await open(), await open()]
    visit()
    for (const reader of readers) await reader.next()
    await readers[0]?.cancel()
    expect(areOpen()).toEqual([false, true])
    const over = readers[1]?.next()
    its.statistics.endStreams()
    expect(await over).toBeNull()
    expect(areOpen()).toEqual([false, false])
  })
  test('is limited in number per workspace', async () => {
    const readers: Reader[] = []
    for (let i = 0; i < STREAMS_PER_WORKSPACE; i++) readers.push(await open())
    const refused = await its.send('GET', '/api/v1/clicks/stream')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    const other = await its.send('GET', '/api/v1/clicks/stream', {
      headers: { Authorization: 'Bearer stranger' },
    })
    expect(other.status).toBe(200)
    await readers[0]?.cancel()
    expect((await open()).answer.status).toBe(200)
  })
  test('ends when the statistics become unavailable', async () => {
    const reader = await open()
    await reader.block()
    its.reports.failure = new StatisticsUnavailable('gone')
    expect(await reader.next()).toBeNull()
    its.reports.failure = null
  })
})

describe('following clicks', () => {
  const selectionOf = (range: { from: number; to: number }) => ({
    workspaceNo: 1,
    linkSeq: null,
    linkSeqs: null,
    filters: [],
    bots: 'exclude' as const,
    offsets: [],
    ...range,
  })
  const stop = new AbortController()
  const follow = (after: ClickPosition, lateMs: number) =>
    followClicks(
      { reports: its.reports, clock: its.clock, after, selectionOf, lateMs, pauseMs: () => 2 },
      stop.signal,
    )
  async function ids(from: AsyncGenerator<FollowedClick | null>, count: number) {
    const found: string[] = []
    while (found.length < count) {
      const { value } = await from.next()
      if (value) found.push(`${value.click.time}-${value.click.n} ${value.position.time}`)
    }
    return found
  }

  test('sends a click that another node stores late, once, and resumes after the newest', async () => {
    const time = NOW + 1_000_000
    const following = follow({ time, n: 0 }, 50)
    const add = (at: number) => its.reports.add(click({ linkSeq: first, time: time + at }))
    add(30)
    expect(await ids(following, 1)).toEqual([`${time + 30}-0 ${time + 30}`])
    // From before the position that the stream began at: never sent.
    its.reports.add(click({ linkSeq: first, time: time - 1 }))
    add(20)
    expect(await ids(following, 1)).toEqual([`${time + 20}-0 ${time + 30}`])
    add(90)
    expect(await ids(following, 1)).toEqual([`${time + 90}-0 ${time + 90}`])
    // Later than clicks may be late, and not.
    add(35)
    add(60)
    expect(await ids(following, 1)).toEqual([`${time + 60}-0 ${time + 90}`])
    add(91)
    expect(await ids(following, 1)).toEqual([`${time + 91}-0 ${time + 91}`])
    await following.return(undefined)
  })
  test('sends every click once, for many in a millisecond or over years', async () => {
    const begin = NOW + 10_000_000
    const made = Array.from({ length: 2_500 }, (_, i) =>
      click({ linkSeq: first, time: begin + Math.floor(i / 1_100) * 400 * 86_400_000, n: i }),
    )
    its.clock.ms = begin + 1_200 * 86_400_000
    its.reports.add(...made.slice(0, 2_000))
    const following = follow({ time: 0, n: 0 }, 0)
    const before = its.reports.clicked.filter(
      ({ kind, time }) => kind === 'human' && time < begin,
    ).length
    await ids(following, before)
    const seen = await ids(following, 2_000)
    its.reports.add(...made.slice(2_000))
    seen.push(...(await ids(following, 500)))
    expect(seen).toEqual(made.map(({ time, n }) => `${time}-${n} ${time}`))
    await following.return(undefined)
  })
})

describe('an event stream', () => {
  async function* silence(signal: AbortSignal): AsyncGenerator<StreamEvent | null> {
    while (!signal.aborted) {
      yield null
      await Bun.sleep(5)
    }
  }
  const base = { startId: '1-0', ended: () => {}, permitted: async () => true }

  test('sends heartbeats', async () => {
    const { body, end } = createEventStream({ ...base, events: silence })
    const reader = new Reader(new Response(body))
    expect(await reader.block()).toContain('id: 1-0')
    expect(await reader.block()).toBe(':')
    expect(await reader.block()).toBe(':')
    end()
    expect(await reader.block()).toBeNull()
  })
  test('ends when it is no longer permitted', async () => {
    let allowed = true
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const { body } = createEventStream({
      ...base,
      events: silence,
      checkMs: 5,
      permitted: async () => allowed,
      ended: resolve,
    })
    const reader = new Reader(new Response(body))
    await reader.block()
    allowed = false
    await ended
    const left = [await reader.block(), await reader.block()]
    expect(left).toContain(null)
  })
  test('continues while the permission can’t be checked', async () => {
    const { body, end } = createEventStream({
      ...base,
      events: silence,
      checkMs: 2,
      permitted: async () => {
        throw new Error('storage away')
      },
    })
    const reader = new Reader(new Response(body))
    await reader.block()
    expect(await reader.block()).toBe(':')
    end()
  })
  test('drops a reader that stalls, and requests at most one event of its source', async () => {
    let given = 0
    async function* flood(): AsyncGenerator<StreamEvent> {
      for (;;) yield { id: '2-0', data: String(given++) }
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const { body } = createEventStream({
      ...base,
      events: flood,
      checkMs: 5,
      stallMs: 10,
      ended: resolve,
    })
    const reader = new Reader(new Response(body))
    await reader.block()
    await reader.block()
    await ended
    expect(given).toBeLessThanOrEqual(3)
  })
})
