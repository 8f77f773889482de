import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createEventStream, type StreamEvent } from './event-stream.ts'
import { STREAMS_PER_WORKSPACE } from './live.ts'
import { click } from './testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'
import { StatisticsUnavailable } from './types.ts'

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
  /** What comes next, comments included; null: the stream is over. */
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
  async next(): Promise<{ id: string; link: string } | null> {
    for (;;) {
      const block = await this.block()
      if (block === null) return null
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      this.lastId = field('id') ?? this.lastId
      const data = field('data')
      if (data !== undefined) return JSON.parse(data) as { id: string; link: string }
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
  test('gives clicks as they come, and none from before', async () => {
    its.reports.add(click({ linkSeq: first, time: NOW - 5 }))
    const reader = await open()
    expect(reader.answer.headers.get('content-type')).toBe('text/event-stream')
    expect(reader.answer.headers.get('cache-control')).toBe('no-store')
    const id = visit()
    expect(await reader.next()).toMatchObject({ id, link: linkId(1), kind: 'person' })
    expect(reader.lastId).toBe(id)
    await reader.cancel()
  })
  test('resumes behind the last event, without loss or repeat', async () => {
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
  test('resumes from where it began, when nothing came before the break', async () => {
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
    ['link', `?link=${linkId(2)}`],
    ['tag', '?-link=&tag=news'],
    ['bots', '?bots=only'],
    ['country', '?country=fr'],
  ])('keeps to its filters: %s', async (_, query) => {
    const reader = await open(query.replace('-link=&', ''), { 'Last-Event-ID': `${NOW + tick}-0` })
    const skipped = visit(query.includes('tag') ? second : first)
    const fields = { kind: 'bot', country: 'FR' } as const
    const meant = visit(query.includes('link=l') ? second : first, fields)
    expect((await reader.next())?.id).toBe(meant)
    expect(skipped).not.toBe(meant)
  })
  test('an id that is none is refused', async () => {
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
  test('lets its source go when the reader does, and when we stop', async () => {
    const readers = [await open(), await open()]
    for (const reader of readers) await reader.block()
    visit()
    for (const reader of readers) await reader.next()
    expect(its.reports.watchers).toBe(2)
    await readers[0]?.cancel()
    await Bun.sleep(0)
    expect(its.reports.watchers).toBe(1)
    const over = readers[1]?.next()
    its.statistics.endStreams()
    expect(await over).toBeNull()
    await Bun.sleep(0)
    expect(its.reports.watchers).toBe(0)
  })
  test('is one of only so many of a workspace', async () => {
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
  test('ends when its source breaks off', async () => {
    const { live } = its.reports
    its.reports.live = async function* () {
      await Bun.sleep(1)
      yield* []
      throw new StatisticsUnavailable('gone')
    }
    const reader = await open()
    expect(await reader.next()).toBeNull()
    its.reports.live = live
  })
})

describe('an event stream', () => {
  async function* silence(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  const base = { startId: '1-0', ended: () => {}, permitted: async () => true }

  test('says that it lives', async () => {
    const { body, end } = createEventStream({ ...base, events: silence, heartbeatMs: 5 })
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
    expect(await reader.block()).toBeNull()
  })
  test('goes on while nobody can say whether it is permitted', async () => {
    const { body, end } = createEventStream({
      ...base,
      events: silence,
      checkMs: 2,
      heartbeatMs: 20,
      permitted: async () => {
        throw new Error('storage away')
      },
    })
    const reader = new Reader(new Response(body))
    await reader.block()
    expect(await reader.block()).toBe(':')
    end()
  })
  test('lets a reader go who takes nothing, and asks its source for no more than one event', async () => {
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
