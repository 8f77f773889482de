import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalZone, zoned } from '../lib/validation/zone.ts'
import {
  BUCKETS_MAX,
  bucketStarts,
  defaultInterval,
  INTERVALS,
  type Interval,
  zoneOffsets,
} from './intervals.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const ms = (text: string) => Date.parse(text)

function starts(from: string, to: string, interval: Interval, zone: string): string[] {
  const found = bucketStarts({ from: ms(from), to: ms(to) }, interval, zone)
  return (found ?? []).map((start) => zoned(start, zone).toString({ timeZoneName: 'never' }))
}

describe('days', () => {
  test('of 23 and 25 hours where the clocks change', () => {
    expect(starts('2026-03-28T23:00Z', '2026-03-30T22:00Z', 'day', 'Europe/Berlin')).toEqual([
      '2026-03-29T00:00:00+01:00',
      '2026-03-30T00:00:00+02:00',
    ])
    expect(starts('2026-10-24T22:00Z', '2026-10-26T23:00Z', 'day', 'Europe/Berlin')).toEqual([
      '2026-10-25T00:00:00+02:00',
      '2026-10-26T00:00:00+01:00',
    ])
  })
  test.each([
    ['Asia/Kolkata', '2026-01-01T00:00:00+05:30'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00+05:45'],
    ['Pacific/Chatham', '2026-01-01T00:00:00+13:45'],
    ['America/St_Johns', '2026-01-01T00:00:00-03:30'],
    ['Australia/Eucla', '2026-01-01T00:00:00+08:45'],
  ])('of zones of half and quarter hours: %s', (zone, midnight) => {
    expect(starts(midnight, '2026-01-02T18:00Z', 'day', zone)[0]).toBe(midnight)
  })
  test('whose midnight does not exist begin at the first moment after it', () => {
    expect(starts('2018-11-04T12:00Z', '2018-11-05T03:00Z', 'day', 'America/Sao_Paulo')).toEqual([
      '2018-11-04T01:00:00-02:00',
      '2018-11-05T00:00:00-02:00',
    ])
    expect(starts('2024-04-26T12:00Z', '2024-04-26T13:00Z', 'day', 'Africa/Cairo')).toEqual([
      '2024-04-26T01:00:00+03:00',
    ])
    expect(starts('2026-03-29T12:00Z', '2026-03-29T13:00Z', 'day', 'Asia/Beirut')).toEqual([
      '2026-03-29T01:00:00+03:00',
    ])
  })
  test('whose midnight comes twice begin at the first one', () => {
    expect(starts('2026-10-31T12:00Z', '2026-11-02T12:00Z', 'day', 'America/Havana')).toEqual([
      '2026-10-31T00:00:00-04:00',
      '2026-11-01T00:00:00-04:00',
      '2026-11-02T00:00:00-05:00',
    ])
    // From within the second hour of 1 November's 0 o'clock.
    expect(starts('2026-11-01T05:30Z', '2026-11-01T06:00Z', 'day', 'America/Havana')).toEqual([
      '2026-11-01T00:00:00-04:00',
    ])
  })
  test('that a zone skipped have no bucket', () => {
    expect(starts('2011-12-29T10:00Z', '2012-01-01T10:00Z', 'day', 'Pacific/Apia')).toEqual([
      '2011-12-29T00:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
      '2012-01-01T00:00:00+14:00',
    ])
  })
  test('go on where clocks went back over midnight', () => {
    expect(starts('2010-11-06T12:00Z', '2010-11-08T12:00Z', 'day', 'America/St_Johns')).toEqual([
      '2010-11-06T00:00:00-02:30',
      '2010-11-07T00:00:00-02:30',
      '2010-11-08T00:00:00-03:30',
    ])
  })
})

describe('hours', () => {
  test('that come twice are two buckets, those that are skipped none', () => {
    expect(starts('2026-10-24T23:00Z', '2026-10-25T03:00Z', 'hour', 'Europe/Berlin')).toEqual([
      '2026-10-25T01:00:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ])
    expect(starts('2026-03-29T00:00Z', '2026-03-29T02:00Z', 'hour', 'Europe/Berlin')).toEqual([
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
    ])
  })
  test('that come or go by half are longer or shorter', () => {
    expect(starts('2026-04-04T14:00Z', '2026-04-04T16:30Z', 'hour', 'Australia/Lord_Howe')).toEqual(
      ['2026-04-05T01:00:00+11:00', '2026-04-05T02:00:00+10:30'],
    )
    expect(starts('2026-10-03T14:30Z', '2026-10-03T17:00Z', 'hour', 'Australia/Lord_Howe')).toEqual(
      ['2026-10-04T01:00:00+10:30', '2026-10-04T02:30:00+11:00', '2026-10-04T03:00:00+11:00'],
    )
  })
  test('begin before `from`, also across a change', () => {
    expect(starts('2026-04-04T15:15Z', '2026-04-04T15:20Z', 'hour', 'Australia/Lord_Howe')).toEqual(
      ['2026-04-05T01:00:00+11:00'],
    )
    expect(starts('2026-01-01T00:00Z', '2026-01-01T00:15Z', 'hour', 'Asia/Kathmandu')).toEqual([
      '2026-01-01T05:00:00+05:45',
    ])
  })
})

test('weeks begin on Mondays, months on the first, at every end of a month', () => {
  expect(starts('2026-01-01T00:00Z', '2026-01-20T00:00Z', 'week', 'UTC')).toEqual([
    '2025-12-29T00:00:00+00:00',
    '2026-01-05T00:00:00+00:00',
    '2026-01-12T00:00:00+00:00',
    '2026-01-19T00:00:00+00:00',
  ])
  expect(starts('2024-01-31T10:00Z', '2024-05-01T00:00Z', 'month', 'UTC')).toEqual([
    '2024-01-01T00:00:00+00:00',
    '2024-02-01T00:00:00+00:00',
    '2024-03-01T00:00:00+00:00',
    '2024-04-01T00:00:00+00:00',
  ])
})

test('too many buckets are none', () => {
  const from = ms('2020-01-01T00:00Z')
  const range = (buckets: number) => ({ from, to: from + buckets * HOUR })
  expect(bucketStarts(range(BUCKETS_MAX), 'hour', 'UTC')).toHaveLength(BUCKETS_MAX)
  expect(bucketStarts(range(BUCKETS_MAX + 1), 'hour', 'UTC')).toBeNull()
  const all = { from: ms('0000-01-01T00:00Z'), to: ms('9999-12-31T00:00Z') }
  for (const interval of INTERVALS) expect(bucketStarts(all, interval, 'Asia/Gaza')).toBeNull()
})

test('the default interval makes a few dozen buckets', () => {
  const at = (days: number) => defaultInterval(0, days * DAY)
  expect([1, 2, 7, 30, 92, 365, 366, 1000].map(at)).toEqual([
    'hour',
    'hour',
    'day',
    'day',
    'day',
    'week',
    'week',
    'month',
  ])
})

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** Whether a bucket may begin there, by the clocks alone. */
function isStart(start: number, interval: Interval, zone: string): boolean {
  const at = zoned(start, zone)
  const before = zoned(start - 1, zone)
  if (interval === 'hour') {
    const isWhole = at.minute === 0 && at.second === 0 && at.millisecond === 0
    return isWhole || at.hour !== before.hour
  }
  // The first moment of its date.
  if (at.startOfDay().epochMilliseconds !== start) return false
  if (interval === 'week') return at.dayOfWeek === 1 || before.weekOfYear !== at.weekOfYear
  return interval === 'day' || at.day === 1
}

test('buckets cover a range without gap or overlap and begin where the clocks say', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...INTERVALS),
      fc.integer({ min: ms('2005-01-01T00:00Z'), max: ms('2037-01-01T00:00Z') }),
      fc.integer({ min: 1, max: 90 * DAY }),
      (zone, interval, from, length) => {
        const to = from + length
        const found = bucketStarts({ from, to }, interval, zone) as number[]
        const [first, second = to] = found as [number, number?]
        if (first > from || second <= from) throw new Error('from is not in the first bucket')
        if ((found.at(-1) as number) >= to) throw new Error('a bucket begins after the range')
        for (const [i, start] of found.entries()) {
          if (i > 0 && start <= (found[i - 1] as number)) throw new Error('not ascending')
          if (!isStart(start, interval, zone)) throw new Error(`${start} is no start`)
        }
        // None is missing: no quarter of an hour within a bucket could begin another one.
        if (interval === 'hour' && length < 5 * DAY) {
          const known = new Set(found)
          for (let t = Math.ceil(from / 900_000) * 900_000; t < to; t += 900_000) {
            if (isStart(t, 'hour', zone) && !known.has(t)) throw new Error(`${t} is missing`)
          }
        }
        if (interval !== 'hour') {
          const step = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } }[interval]
          for (const [i, start] of found.slice(1).entries()) {
            const date = zoned(found[i] as number, zone)
              .toPlainDate()
              .add(step)
            const next = date.toZonedDateTime(zone).epochMilliseconds
            // The bucket in which clocks go back over midnight may begin on the day before.
            if (next !== start && i > 0) throw new Error(`${next} is missing`)
          }
        }
        if (interval === 'day') {
          const dates = new Set(found.map((start) => zoned(start, zone).toPlainDate().toString()))
          if (dates.size !== found.length) throw new Error('a day has two buckets')
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('since 2025 every zone changes at a quarter of an hour, to a quarter of an hour', () => {
  const from = ms('2025-01-01T00:00Z')
  for (const zone of ZONES) {
    for (const { from: at, offsetMs } of zoneOffsets(zone, from, ms('2037-01-01T00:00Z'))) {
      expect([zone, at % 900_000, Math.abs(offsetMs % 900_000)]).toEqual([zone, 0, 0])
    }
  }
})

test('names of zones', () => {
  expect(canonicalZone('europe/berlin')).toBe('Europe/Berlin')
  expect(canonicalZone('utc')).toBe('UTC')
  expect(canonicalZone('Etc/GMT+5')).toBe('Etc/GMT+5')
  for (const wrong of ['', 'Mars/Olympus', '+01:00', 'Z', '../etc', 'Europe/Berlin ']) {
    expect([wrong, canonicalZone(wrong)]).toEqual([wrong, undefined])
  }
})

test('the offsets of a zone within a range', () => {
  expect(zoneOffsets('Europe/Berlin', ms('2026-01-01T00:00Z'), ms('2027-01-01T00:00Z'))).toEqual([
    { from: ms('2026-01-01T00:00Z'), offsetMs: HOUR },
    { from: ms('2026-03-29T01:00Z'), offsetMs: 2 * HOUR },
    { from: ms('2026-10-25T01:00Z'), offsetMs: HOUR },
  ])
  expect(zoneOffsets('UTC', 5, 10)).toEqual([{ from: 5, offsetMs: 0 }])
})
