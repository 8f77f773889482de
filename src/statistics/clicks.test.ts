import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ClickList } from './clicks.ts'
import { EXPORTS_PER_WORKSPACE } from './service.ts'
import { click } from './testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'
import { EXPORT_COLUMNS } from './types.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')

let its: TestStatistics
let first: number

beforeAll(async () => {
  its = await createTestStatistics()
  its.clock.ms = NOW
  first = await its.link(1)
  const second = await its.link(2)
  const foreign = await its.link(3, { workspaceNo: 2 })
  for (let i = 0; i < 10; i++) {
    its.reports.add(
      click({ linkSeq: first, time: NOW - 1_000 * (i + 1), visitor: BigInt(i), country: 'DE' }),
    )
  }
  its.reports.add(
    click({ linkSeq: second, time: NOW - 1_000, n: 1, kind: 'preview', reason: 'unfurler' }),
    click({ linkSeq: foreign, time: NOW - 1_000, n: 2 }),
  )
})
afterAll(() => its.close())

const list = (path: string) => its.get<ClickList>(path)

describe('single clicks', () => {
  test('newest first, with all fields except the visitor', async () => {
    const { data, pagination } = await list('/clicks?limit=2&bots=include')
    expect(data.map(({ id, link_id, kind, reason }) => [id, link_id, kind, reason])).toEqual([
      [`${NOW - 1_000}-1`, linkId(2), 'preview', 'unfurler'],
      [`${NOW - 1_000}-0`, linkId(1), 'human', null],
    ])
    expect(data[0]?.clicked_at).toBe('2026-06-15T11:59:59.000Z')
    expect(Object.keys(data[0] ?? {})).toEqual([...EXPORT_COLUMNS])
    expect(pagination).toMatchObject({ limit: 2, has_more: true })
  })
  test('are paginated without duplicates while new ones arrive', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`
      const page: ClickList = await list(`/links/${linkId(1)}/clicks?limit=3${query}`)
      seen.push(...page.data.map(({ id }) => id))
      expect(page.pagination.has_more).toBe(page.pagination.next_cursor !== null)
      cursor = page.pagination.next_cursor
      its.reports.add(click({ linkSeq: first, time: NOW + seen.length }))
    }
    expect(seen).toEqual(Array.from({ length: 10 }, (_, i) => `${NOW - 1_000 * (i + 1)}-0`))
    its.reports.clicked.splice(12)
  })
  test('cursors are only valid for their own filters', async () => {
    const { pagination } = await list('/clicks?limit=1&country=DE')
    const cursor = pagination.next_cursor
    expect(await its.refusal(`/clicks?cursor=${cursor}`)).toEqual([
      '400 BAD_REQUEST',
      'cursor: INVALID_CURSOR',
    ])
    expect(await its.refusal(`/links/${linkId(1)}/clicks?country=DE&cursor=${cursor}`)).toEqual([
      '400 BAD_REQUEST',
      'cursor: INVALID_CURSOR',
    ])
    expect((await list(`/clicks?limit=5&country=DE&cursor=${cursor}`)).data).toHaveLength(5)
  })
  test('a Link header has the next page', async () => {
    const answer = await its.send('GET', '/api/v1/clicks?limit=1&bots=exclude')
    const next = /<http:\/\/localhost:3000(\/api\/v1\/clicks\?[^>]+)>; rel="next"/.exec(
      answer.headers.get('link') ?? '',
    )?.[1]
    const second = (await (await its.send('GET', next ?? '')).json()) as ClickList
    expect(second.data[0]?.id).toBe(`${NOW - 2_000}-0`)
  })
  test.each([
    ['', 10],
    ['bots=include', 11],
    ['kind=preview', 1],
    ['bots=only', 1],
    ['to=2026-06-14', 0],
    ['from=2026-06-15T11:59:55Z', 5],
    ['country=DE&bots=include', 10],
  ])('with %s', async (query, length) => {
    expect((await list(`/clicks?${query}`)).data).toHaveLength(length)
  })
  test.each(['limit=0', 'limit=101', 'limit=a'])('%s is refused', async (query) => {
    const [code] = await its.refusal(`/clicks?${query}`)
    expect(code).toBe('422 VALIDATION_FAILED')
  })
})

describe('exports', () => {
  test.each([
    ['csv', 'text/csv; charset=utf-8; header=present'],
    ['ndjson', 'application/x-ndjson'],
    ['parquet', 'application/vnd.apache.parquet'],
  ])('as %s', async (format, contentType) => {
    const answer = await its.send('GET', `/api/v1/links/${linkId(1)}/clicks.${format}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(contentType)
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="clicks-${linkId(1)}.${format}"`,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.has('x-request-id')).toBe(true)
    expect((await answer.text()).trim().split('\n')).toHaveLength(10)
  })
  test('of the workspace, without bots unless requested', async () => {
    const lines = async (query: string) =>
      (await (await its.send('GET', `/api/v1/clicks.csv${query}`)).text()).trim().split('\n')
    expect(await lines('')).toHaveLength(10)
    expect(await lines('?bots=include')).toHaveLength(11)
    expect(await lines('?from=2026-06-15T11:59:58Z')).toHaveLength(2)
  })
  test('as CSV with values as they are', async () => {
    const text = async (query: string) =>
      (await its.send('GET', `/api/v1/clicks.csv${query}`)).text()
    expect(await text('?raw=true')).toStartWith('csv raw ')
    expect(await text('?raw=false')).toStartWith('csv 1')
    expect(await its.refusal('/clicks.csv?raw=yes')).toEqual([
      '422 VALIDATION_FAILED',
      'raw: INVALID_VALUE',
    ])
  })
  test('HEAD starts none', async () => {
    const before = its.reports.asked.length
    const answer = await its.send('HEAD', '/api/v1/clicks.ndjson')
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/x-ndjson',
      '',
    ])
    expect(answer.headers.has('content-length')).toBe(false)
    expect(its.reports.asked.length).toBe(before)
    const missing = await its.send('HEAD', `/api/v1/links/${linkId(99)}/clicks.csv`)
    expect(missing.status).toBe(404)
  })
  test('are limited in number; a finished or cancelled one frees a place', async () => {
    const open = () => its.send('GET', '/api/v1/clicks.csv')
    const running = await Promise.all(Array.from({ length: EXPORTS_PER_WORKSPACE }, open))
    expect(running.map(({ status }) => status)).toEqual(running.map(() => 200))
    const refused = await open()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    await running[0]?.body?.cancel()
    const next = await open()
    expect(next.status).toBe(200)
    for (const answer of [...running.slice(1), next]) await answer.text()
    expect((await open()).status).toBe(200)
  })
  test('a failure cuts the response off', async () => {
    const { export: whole } = its.reports
    its.reports.export = async () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('id\n'))
        },
        pull() {
          throw new Error('gone')
        },
      })
    const answer = await its.send('GET', '/api/v1/clicks.csv')
    await expect(answer.text()).rejects.toThrow()
    its.reports.export = whole
  })
})
