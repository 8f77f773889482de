import { describe, expect, test } from 'bun:test'
import {
  addDays,
  type Comparison,
  comparedPeriod,
  dayIn,
  daysOf,
  INTERVALS,
  intervalFor,
  intervalsFor,
  isDay,
  periodOf,
  type Range,
} from './range.ts'

const EVENING = new Date('2026-03-28T23:30:00Z')

describe('ranges', () => {
  test('today is the day of the time zone', () => {
    expect(dayIn('UTC', EVENING)).toBe('2026-03-28')
    expect(dayIn('Europe/Berlin', EVENING)).toBe('2026-03-29')
    expect(periodOf({ range: 'today' }, 'Pacific/Kiritimati', EVENING)).toEqual({
      from: '2026-03-29',
      to: '2026-03-30',
    })
  })

  test('a range has as many days as its name says, including today', () => {
    for (const [range, days] of [
      ['7d', 7],
      ['30d', 30],
      ['90d', 90],
    ] as const) {
      const period = periodOf({ range }, 'UTC', EVENING)
      expect(daysOf(period)).toBe(days)
      expect(period.to).toBe('2026-03-29')
    }
  })

  test('a custom range includes both dates', () => {
    const asked = { range: 'custom', from: '2026-02-01', to: '2026-02-28' } as const
    expect(periodOf(asked, 'UTC', EVENING)).toEqual({ from: '2026-02-01', to: '2026-03-01' })
    const turned = { ...asked, from: asked.to, to: asked.from }
    expect(periodOf(turned, 'UTC', EVENING)).toEqual(periodOf(asked, 'UTC', EVENING))
  })

  test('invalid values mean 30 days', () => {
    const usual = periodOf({ range: '30d' }, 'UTC', EVENING)
    for (const [from, to] of [
      ['2026-02-30', '2026-03-01'],
      ['<script>', undefined],
    ]) {
      expect(periodOf({ range: 'custom', from, to }, 'UTC', EVENING)).toEqual(usual)
    }
  })

  test('the compared period has as many days', () => {
    const period = { from: '2024-02-29', to: '2024-03-07' }
    const compared = (...asked: [Comparison, string?]) => comparedPeriod(period, asked[0], asked[1])
    expect(compared('period')).toEqual({ from: '2024-02-22', to: '2024-02-29' })
    expect(compared('year')).toEqual({ from: '2023-02-28', to: '2023-03-07' })
    expect(compared('custom', '2020-01-01')).toEqual({ from: '2020-01-01', to: '2020-01-08' })
    expect(compared('custom', 'nonsense')).toEqual(compared('period'))
    expect(compared('none')).toBeNull()
  })

  test('yesterday, twelve months, and all time since the first possible click', () => {
    const of = (range: Range, since?: string) => periodOf({ range, since }, 'UTC', EVENING)
    expect(of('yesterday')).toEqual({ from: '2026-03-27', to: '2026-03-28' })
    expect(of('12m')).toEqual({ from: '2025-03-29', to: '2026-03-29' })
    expect(of('all', '2021-05-04T23:00:00Z')).toEqual({ from: '2021-05-04', to: '2026-03-29' })
    expect(of('all')).toEqual(of('30d'))
  })

  test('there is always an interval, including the default', () => {
    for (let days = 1; days < 3_000; days++) {
      const period = { from: '2020-01-01', to: addDays('2020-01-01', days) }
      expect(intervalsFor(period)).toContain(intervalFor(period))
      for (const interval of INTERVALS) expect(INTERVALS).toContain(interval)
    }
  })

  test('days are days of the calendar', () => {
    expect(isDay('2024-02-29')).toBe(true)
    for (const wrong of ['2026-02-29', '2026-13-01', '26-01-01', '', undefined]) {
      expect(isDay(wrong)).toBe(false)
    }
  })
})
