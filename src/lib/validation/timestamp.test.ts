import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

test('timestamps of RFC 3339 are parsed to the millisecond', () => {
  for (const [text, expected] of [
    ['2026-05-01T00:00:00Z', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01t00:00:00z', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01T00:00:00.1Z', '2026-05-01T00:00:00.100Z'],
    ['2026-05-01T00:00:00.123456789Z', '2026-05-01T00:00:00.123Z'],
    ['2026-05-01T02:00:00+02:00', '2026-05-01T00:00:00.000Z'],
    ['2026-04-30T18:30:00-05:30', '2026-05-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00-00:00', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ] as const) {
    expect(formatTimestamp(parseTimestamp(text) as number)).toBe(expected)
  }
})

test('everything else is refused', () => {
  for (const text of [
    '',
    '2026-05-01',
    '2026-05-01T00:00:00',
    '2026-05-01 00:00:00Z',
    '2026-05-01T00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T23:59:60Z',
    '2026-05-01T00:00:00.Z',
    '2026-05-01T00:00:00+24:00',
    '2026-05-01T00:00:00+0200',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+012026-05-01T00:00:00Z',
    '1777593600',
    '2026-05-01T00:00:00Z\n',
    '٢٠٢٦-05-01T00:00:00Z',
  ]) {
    expect([text, parseTimestamp(text)]).toMatchObject([text, { code: 'INVALID_TIMESTAMP' }])
  }
})

test('formatted timestamps are parsed to the same value', () => {
  const years = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') }
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
      expect(parseTimestamp(formatTimestamp(date.getTime()))).toBe(date.getTime())
    }),
  )
})
