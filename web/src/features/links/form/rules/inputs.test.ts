import { expect, test } from 'bun:test'
import { OS_NAMES } from '@src/clicks/enrich/names.ts'
import { countryOf, languageTag } from '@src/redirect/rules/values.ts'
import fc from 'fast-check'
import { COUNTRIES, languages, SYSTEMS } from './choices.ts'
import { momentFields, momentOf } from './moment.ts'

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu')

test('a time to the minute passes through its fields unchanged', () => {
  const minutes = fc.integer({ min: 0, max: 60 * 24 * 365 * 80 })
  fc.assert(
    fc.property(zone, minutes, (timezone, minute) => {
      const moment = new Date(minute * 60_000).toISOString()
      const there = momentOf(momentFields(moment, timezone), timezone) as string
      const lost = Math.abs(Date.parse(there) - Date.parse(moment))
      // An hour that occurs twice becomes one of both.
      expect([0, 3_600_000]).toContain(lost)
      expect(momentFields(there, timezone)).toEqual(momentFields(moment, timezone))
    }),
    { numRuns: 300 },
  )
  expect(momentFields('2026-03-28', 'Asia/Kathmandu')).toEqual({ day: '2026-03-28', time: '' })
  expect(momentOf({ day: '2026-03-28', time: '' }, 'UTC')).toBe('2026-03-28')
  expect(momentOf({ day: '', time: '09:00' }, 'UTC')).toBeUndefined()
})

test('a time is that of its zone, in summer and in winter', () => {
  const at = (day: string) => momentOf({ day, time: '09:30' }, 'Europe/Berlin')
  expect(at('2026-01-15')).toBe('2026-01-15T08:30:00.000Z')
  expect(at('2026-07-15')).toBe('2026-07-15T07:30:00.000Z')
  // An hour after the clock change there, hours before it in London.
  const night = momentOf({ day: '2026-03-08', time: '03:30' }, 'America/New_York')
  expect(night).toBe('2026-03-08T07:30:00.000Z')
  expect(momentFields('2026-07-15T00:15:00+05:45', 'UTC')).toEqual({
    day: '2026-07-14',
    time: '18:30',
  })
})

test('all choices are valid in the API', () => {
  const lower = (names: readonly string[]) =>
    [...new Set(names.map((name) => name.toLowerCase()))].sort()
  expect(lower(SYSTEMS)).toEqual(lower(OS_NAMES))
  for (const code of COUNTRIES) expect(countryOf(code)).toBe(code)
  for (const tag of languages()) expect(languageTag(tag)).toBe(tag)
  expect(languages()).toContain('de')
})
