import { describe, expect, test } from 'bun:test'
import type { CommandError } from './context.ts'
import { parseDuration, parseMoment, shortTime } from './times.ts'

const NOW = Date.UTC(2030, 0, 31, 9)

const statusOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return (error as CommandError).status
  }
  return 0
}

describe('parseDuration', () => {
  test('knows seconds to weeks', () => {
    const seconds = {
      '30s': 30,
      '15m': 900,
      '24h': 86_400,
      '90d': 7_776_000,
      '2w': 1_209_600,
      '0h': 0,
    }
    for (const [text, expected] of Object.entries(seconds)) {
      expect(parseDuration('--overlap', text)).toBe(expected * 1_000)
    }
  })

  test('refuses everything else as a usage error', () => {
    for (const text of [
      '',
      '24',
      'h',
      '-1h',
      '1.5h',
      '1 h',
      '1y',
      '1h30m',
      '2030-01-31T09:00:00Z',
    ]) {
      expect(statusOf(() => parseDuration('--overlap', text))).toBe(2)
    }
  })
})

describe('parseMoment', () => {
  test('accepts a duration from now, or an RFC 3339 time', () => {
    expect(parseMoment('--expires', '90d', NOW)).toBe(NOW + 90 * 86_400_000)
    for (const text of [
      '2030-01-31T09:00:00Z',
      '2030-01-31t09:00:00.000z',
      '2030-01-31T10:30:00+01:30',
      '2030-01-31T08:59:59-00:00',
    ]) {
      expect(Math.abs(parseMoment('--expires', text, 0) - NOW)).toBeLessThanOrEqual(1_000)
    }
  })

  test('refuses days and hours that do not exist, and other time formats', () => {
    for (const text of [
      '2030-02-30T09:00:00Z',
      '2030-13-01T09:00:00Z',
      '2030-01-31T25:00:00Z',
      '2030-01-31T09:00:00',
      '2030-01-31 09:00:00Z',
      '2030-01-31',
      '1900000000',
      'tomorrow',
    ]) {
      expect(statusOf(() => parseMoment('--expires', text, NOW))).toBe(2)
    }
  })
})

test('parseMoment refuses past times', () => {
  for (const text of ['0d', '2030-01-31T09:00:00Z', '2020-01-01T00:00:00Z']) {
    expect(statusOf(() => parseMoment('--expires', text, NOW))).toBe(2)
  }
})

test('shortTime is in UTC, to the minute', () => {
  expect(shortTime('2030-01-31T09:00:59.999Z')).toBe('2030-01-31 09:00')
  expect(shortTime(null)).toBe('-')
})
