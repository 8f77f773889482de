import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { INTERVALS } from './intervals.ts'
import type * as report from './report.ts'
import { click } from './testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'
import { type ClickKind, DIMENSIONS, StatisticsUnavailable } from './types.ts'

type Stats = Awaited<ReturnType<typeof report.stats>>
type TopList = Awaited<ReturnType<typeof report.top>>

const at = (text: string) => Date.parse(text)

let its: TestStatistics
let first: number
let second: number
let foreign: number

beforeAll(async () => {
  its = await createTestStatistics()
  its.clock.ms = at('2026-06-15T12:00:00Z')
  first = await its.link(1, { title: 'First', tags: ['News', 'both'] })
  second = await its.link(2, { slug: 'zwei', domainNo: 1, tags: ['both'] })
  foreign = await its.link(3, { workspaceNo: 2, tags: ['both'] })
  its.reports.add(
    click({ linkSeq: first, time: at('2026-06-15T10:00:00Z'), visitor: 1n, country: 'DE' }),
    click({ linkSeq: first, time: at('2026-06-15T10:30:00Z'), visitor: 1n, country: 'DE' }),
    click({ linkSeq: first, time: at('2026-06-14T23:30:00Z'), visitor: 2n, browser: 'Firefox' }),
    click({ linkSeq: first, time: at('2026-06-14T12:00:00Z'), kind: 'bot', reason: 'crawler' }),
    click({ linkSeq: second, time: at('2026-06-13T12:00:00Z'), domainNo: 1, trigger: 'qr' }),
    click({ linkSeq: second, time: at('2026-05-01T12:00:00Z'), domainNo: 1, country: 'FR' }),
    click({ linkSeq: foreign, time: at('2026-06-15T10:00:00Z'), visitor: 1n }),
  )
})
afterAll(() => its.close())

const stats = (path: string) => its.get<Stats>(path)
const top = (path: string) => its.get<TopList>(path)

describe('totals and series', () => {
  test('cover the last 30 days by default, today last, by day and without bots', async () => {
    const data = await stats('/stats')
    expect(data).toMatchObject({
      from: '2026-05-17T00:00:00.000Z',
      to: '2026-06-15T12:00:00.000Z',
      interval: 'day',
      timezone: 'UTC',
      totals: { clicks: 4, unique: 2, bots: 1 },
    })
    expect(data.series).toHaveLength(30)
    expect(data.series.slice(-3)).toEqual([
      { start: '2026-06-13T00:00:00.000Z', clicks: 1, unique: 0, bots: 0 },
      { start: '2026-06-14T00:00:00.000Z', clicks: 1, unique: 1, bots: 1 },
      { start: '2026-06-15T00:00:00.000Z', clicks: 2, unique: 1, bots: 0 },
    ])
    expect(Object.keys(data)).toEqual([
      ...['from', 'to', 'interval', 'timezone', 'totals', 'imported_clicks', 'series'],
    ])
  })
  test('of one link', async () => {
    const data = await stats(`/links/${linkId(2)}/stats?from=2026-05-01`)
    expect(data.totals).toEqual({ clicks: 2, unique: 0, bots: 0 })
    expect(data.series[0]).toEqual({
      start: '2026-05-01T00:00:00.000Z',
      clicks: 1,
      unique: 0,
      bots: 0,
    })
  })
  test('with dates: midnights of the zone, the last day included', async () => {
    const data = await stats('/stats?from=2026-06-14&to=2026-06-15&timezone=europe/berlin')
    expect([data.from, data.to, data.timezone]).toEqual([
      '2026-06-13T22:00:00.000Z',
      '2026-06-15T22:00:00.000Z',
      'Europe/Berlin',
    ])
    expect(data.series.map(({ start, clicks }) => [start, clicks]).slice(0, 1)).toEqual([
      ['2026-06-13T22:00:00.000Z', 0],
    ])
    const days = await stats(
      '/stats?from=2026-06-14&to=2026-06-15&timezone=Europe/Berlin&interval=day',
    )
    expect(days.series).toEqual([
      { start: '2026-06-13T22:00:00.000Z', clicks: 0, unique: 0, bots: 1 },
      // Half past eleven in UTC is already tomorrow in Berlin.
      { start: '2026-06-14T22:00:00.000Z', clicks: 3, unique: 2, bots: 0 },
    ])
  })
  test('with times: the end is not included; the first bucket begins before it', async () => {
    const data = await stats(
      '/stats?from=2026-06-15T10:00:00.001Z&to=2026-06-15T10:30:00Z&interval=hour',
    )
    expect(data.series).toEqual([
      { start: '2026-06-15T10:00:00.000Z', clicks: 0, unique: 0, bots: 0 },
    ])
  })
  test('an offset whose plus was decoded to a space is accepted', async () => {
    const data = await stats('/stats?from=2026-06-15T12:00:00+02:00')
    expect(data.from).toBe('2026-06-15T10:00:00.000Z')
  })
  test('an end without a start means the 30 days before it', async () => {
    const { from, to } = await stats('/stats?to=2026-03-31&timezone=Asia/Kathmandu')
    expect([from, to]).toEqual(['2026-03-01T18:15:00.000Z', '2026-03-31T18:15:00.000Z'])
  })
  test('years without clicks are not queried', async () => {
    its.reports.asked.length = 0
    const data = await stats('/stats?from=1900-01-01&interval=month&timezone=Europe/Amsterdam')
    expect(data.series).toHaveLength(126 * 12 + 6)
    expect(data.totals.clicks).toBe(5)
    const asked = its.reports.asked.find(({ question }) => question === 'series')
    expect(asked?.selection.from).toBeGreaterThan(at('2024-11-30T00:00:00Z'))
    const before = await stats('/stats?from=1900-01-01&to=1900-01-31')
    expect(before.series).toHaveLength(31)
  })
})

describe('filters', () => {
  const total = async (query: string) => (await stats(`/stats?from=2026-05-01&${query}`)).totals
  test.each([
    ['country=DE', 2],
    ['country=de&country=fr', 3],
    ['not_country=DE', 3],
    ['not_country=de', 3],
    ['country=', 2],
    ['not_country=', 3],
    ['country=DE&browser=Firefox', 0],
    ['browser=firefox', 1],
    ['trigger=qr', 1],
    ['domain=go.example', 2],
    ['not_domain=GO.example', 3],
    [`link_id=${linkId(2)}`, 2],
    [`not_link_id=${linkId(2)}`, 3],
    ['tag=both', 5],
    ['tag=BOTH&tag=news', 3],
    ['tag=none', 0],
    ['hour=23', 1],
    ['hour=1&timezone=Europe/Berlin', 1],
    ['weekday=1', 2],
    ['weekday=7&weekday=6', 2],
    ['bots=include', 6],
    ['bots=only', 1],
    ['kind=bot', 1],
    ['kind=BOT', 1],
    ['not_kind=human', 1],
    ['trigger=QR', 1],
    ['domain=GO.Example', 2],
    ['language=DE-at', 0],
    ['region=de-be', 0],
    ['device=Mobile', 0],
    ['referrer=WWW.News.Example', 0],
    ['kind=bot&bots=exclude', 0],
    ['referrer=', 5],
  ])('%s', async (query, clicks) => {
    expect(await total(query)).toMatchObject({ clicks })
  })
  test('bots can be requested in several ways', async () => {
    for (const mode of ['exclude', 'include', 'only']) {
      expect((await total(`bots=${mode}`)).bots).toBe(1)
    }
  })
})

describe('top values', () => {
  test('of a dimension, null for what is unknown, and the others', async () => {
    expect(await top('/stats/country?from=2026-05-01&limit=2')).toEqual({
      data: [
        { value: 'DE', clicks: 2, unique: 1, bots: 0 },
        { value: null, clicks: 2, unique: 1, bots: 1 },
      ],
      other: { clicks: 1, bots: 0 },
    })
  })
  test('leaves out values without clicks of the requested kind', async () => {
    expect((await top('/stats/kind')).data.map(({ value }) => value)).toEqual(['human'])
    expect((await top('/stats/kind?bots=only')).data.map(({ value }) => value)).toEqual(['bot'])
  })
  test('hours and weekdays are decimal text, of the zone', async () => {
    const { data } = await top('/stats/hour?timezone=Asia/Kathmandu')
    expect(data.map(({ value }) => value)).toEqual(['5', '15', '16', '17'])
  })
  test('domains are hosts', async () => {
    const { data } = await top('/stats/domain')
    expect(data.map(({ value }) => value)).toEqual(['s.example', 'go.example'])
  })
  test('links are ids with names, also recently deleted ones', async () => {
    const gone = await its.link(4, { slug: 'gone', title: 'Gone' })
    const lost = await its.link(5)
    its.reports.add(
      click({ linkSeq: gone, time: at('2026-01-10T10:00:00Z') }),
      click({ linkSeq: lost, time: at('2026-01-10T10:00:00Z') }),
      click({ linkSeq: first, time: at('2026-01-10T10:00:00Z') }),
      click({ linkSeq: first, time: at('2026-01-10T11:00:00Z') }),
    )
    await its.removeLink(4)
    await its.storage.write(({ db }) =>
      db.deleteFrom('links').where('id', '=', linkId(5)).execute(),
    )
    expect(await top('/stats/link?from=2026-01-10&to=2026-01-10')).toEqual({
      data: [
        {
          value: linkId(1),
          short_url: 'https://s.example/l1',
          title: 'First',
          clicks: 2,
          unique: 0,
          bots: 0,
        },
        {
          value: linkId(4),
          short_url: 'https://s.example/gone',
          title: 'Gone',
          clicks: 1,
          unique: 0,
          bots: 0,
        },
      ],
      other: { clicks: 1, bots: 0 },
    })
    expect(await its.refusal(`/links/${linkId(4)}/stats`)).toEqual(['404 LINK_NOT_FOUND'])
    const filtered = await stats(`/stats?from=2026-01-10&to=2026-01-10&link_id=${linkId(4)}`)
    expect(filtered.totals.clicks).toBe(1)
  })
  test('every dimension has a list', async () => {
    for (const dimension of DIMENSIONS) {
      const { data, other } = await top(`/stats/${dimension}?limit=1000`)
      const sum = data.reduce((all, { clicks }) => all + clicks, 0)
      expect([dimension, sum + other.clicks]).toEqual([dimension, 4])
    }
  })
  test('an unknown dimension is not found', async () => {
    expect(await its.refusal('/stats/visitor')).toEqual(['404 NOT_FOUND'])
    expect(await its.refusal(`/links/${linkId(1)}/stats/link`)).toEqual(['404 NOT_FOUND'])
  })
})

test('sums agree, for any question', async () => {
  const pick = <T>(...of: T[]) => fc.constantFrom(...of)
  const clicks = fc.array(
    fc.record({
      time: fc.integer({ min: at('2026-02-01T00:00Z'), max: at('2026-04-30T00:00Z') }),
      kind: pick<ClickKind>('human', 'bot', 'preview'),
      visitor: pick(null, 1n, 2n, 3n),
      country: pick(null, 'DE', 'FR'),
      os: pick(null, 'Android', 'iOS'),
    } as const),
    { maxLength: 40 },
  )
  const query = fc.record({
    interval: pick(...INTERVALS),
    timezone: pick('UTC', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Africa/Cairo'),
    bots: pick('exclude', 'include', 'only'),
    country: pick('', 'DE'),
  })
  const saved = its.reports.clicked.splice(0)
  await fc.assert(
    fc.asyncProperty(clicks, query, async (made, asked) => {
      its.reports.clicked.length = 0
      its.reports.add(...made.map((fields, n) => click({ ...fields, n, linkSeq: first })))
      const search = new URLSearchParams({ ...asked, from: '2026-02-10', to: '2026-04-20' })
      const { totals, series } = await stats(`/stats?${search}`)
      const sum = series.reduce((all, { clicks }) => all + clicks, 0)
      if (sum !== totals.clicks) throw new Error(`${sum} in buckets, ${totals.clicks} in all`)
      search.delete('interval')
      const { data, other } = await top(`/stats/os?limit=1&${search}`)
      const listed = data.reduce((all, { clicks }) => all + clicks, other.clicks)
      if (listed !== totals.clicks) throw new Error('a list lacks clicks')
    }),
    { numRuns: 60 },
  )
  its.reports.clicked.length = 0
  its.reports.add(...saved)
})

test.each([
  ['from=yesterday', 'from: INVALID_TIMESTAMP'],
  ['from=2026-02-30', 'from: INVALID_TIMESTAMP'],
  ['to=2026-06-15T10:00:00', 'to: INVALID_TIMESTAMP'],
  ['from=2026-06-15&to=2026-06-14', 'to: ENDS_BEFORE_START'],
  ['from=2026-07-01', 'from: ENDS_BEFORE_START'],
  ['timezone=Mars/Olympus', 'timezone: INVALID_TIMEZONE'],
  ['timezone=', 'timezone: INVALID_TIMEZONE'],
  ['interval=minute', 'interval: INVALID_VALUE'],
  ['interval=hour&from=2026-01-01', 'interval: TOO_MANY_INTERVALS'],
  ['from=0001-01-01', 'interval: TOO_MANY_INTERVALS'],
  ['bots=maybe', 'bots: INVALID_VALUE'],
  ['hour=24', 'hour: OUT_OF_RANGE'],
  ['hour=x', 'hour: INVALID_TYPE'],
  ['hour=', 'hour: INVALID_TYPE'],
  ['not_weekday=0', 'not_weekday: OUT_OF_RANGE'],
  ['kind=robot', 'kind: INVALID_VALUE'],
  ['kind=person', 'kind: INVALID_VALUE'],
  ['trigger=', 'trigger: INVALID_VALUE'],
  ['country=Germany', 'country: INVALID_VALUE'],
  ['country=QQ', 'country: INVALID_VALUE'],
  ['not_country=D', 'not_country: INVALID_VALUE'],
  ['region=Berlin', 'region: INVALID_VALUE'],
  ['language=German!', 'language: INVALID_VALUE'],
  ['device=toaster', 'device: INVALID_VALUE'],
  ['referrer=https://news.example/x', 'referrer: INVALID_VALUE'],
  ['domain=else where', 'domain: UNKNOWN_DOMAIN'],
  [`city=${'x'.repeat(1025)}`, 'city: TOO_LONG'],
  [`${'os=a&'.repeat(101)}`, 'os: TOO_MANY'],
  ['from=2026-06-01&from=2026-06-02', 'from: INVALID_TYPE'],
])('%s is refused', async (query, detail) => {
  expect(await its.refusal(`/stats?${query}`)).toEqual(['422 VALIDATION_FAILED', detail])
})

test('limits out of bounds are refused', async () => {
  for (const limit of ['0', '1001', '-1', '1001', '99999999999999999999']) {
    expect(await its.refusal(`/stats/os?limit=${limit}`)).toEqual([
      '422 VALIDATION_FAILED',
      'limit: OUT_OF_RANGE',
    ])
  }
})

test('all faults are reported together', async () => {
  expect(await its.refusal('/stats?from=x&timezone=x&hour=99&bots=x')).toEqual([
    '422 VALIDATION_FAILED',
    'from: INVALID_TIMESTAMP',
    'timezone: INVALID_TIMEZONE',
    'bots: INVALID_VALUE',
    'hour: OUT_OF_RANGE',
  ])
})

test('links of others are like missing ones', async () => {
  for (const path of ['stats', 'stats/country', 'clicks', 'clicks.csv']) {
    const theirs = await its.refusal(`/links/${linkId(3)}/${path}`)
    expect(theirs).toEqual(['404 LINK_NOT_FOUND'])
    expect(await its.refusal(`/links/${linkId(99)}/${path}`)).toEqual(theirs)
  }
  for (const filter of [`link_id=${linkId(3)}`, 'domain=elsewhere.example', 'folder_id=fld_none']) {
    expect((await stats(`/stats?bots=include&${filter}`)).totals.clicks).toBe(0)
  }
})

test('unavailable statistics are 503 with Retry-After', async () => {
  its.reports.failure = new StatisticsUnavailable('locked')
  const paths = ['/stats', '/stats/os', '/clicks', '/clicks.csv', '/clicks/stream']
  for (const path of [...paths, `/links/sparklines?ids=${linkId(1)}`]) {
    const answer = await its.send('GET', `/api/v1${path}`)
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5'])
    expect(await answer.text()).not.toContain('locked')
  }
  its.reports.failure = null
  expect((await its.send('GET', '/api/v1/stats')).status).toBe(200)
})

test('sparklines: 30 UTC days, today last', async () => {
  const ids = [linkId(1), linkId(3), linkId(2), linkId(98)].join(',')
  const data = await its.get<Record<string, number[]>>(`/links/sparklines?ids=${ids}`)
  expect(Object.keys(data).sort()).toEqual([linkId(1), linkId(2)])
  expect(data[linkId(1)]).toHaveLength(30)
  expect(data[linkId(1)]?.slice(-2)).toEqual([1, 2])
  expect(await its.refusal('/links/sparklines')).toEqual(['422 VALIDATION_FAILED', 'ids: REQUIRED'])
})
