import { describe, expect, test } from 'bun:test'
import { whenSchema } from './condition-schemas.ts'
import { conditionsOf } from './conditions.ts'
import type { When } from './types.ts'
import { Visitor } from './visitor.ts'

/** Whether the conditions hold, after the validation of a write. */
function fits(when: unknown, facts: { language?: string; now?: string; userAgent?: string }) {
  const visitor = new Visitor({
    now: Date.parse(facts.now ?? '2026-01-01T12:00:00Z'),
    userAgent: facts.userAgent ?? '',
    how: 0,
    language: facts.language ?? '',
    search: '',
    referrer: '',
    address: '192.0.2.1',
    placeOf: () => ({ country: null, region: null }),
    hash: () => '',
  })
  return conditionsOf(whenSchema.parse(when) as When).every(({ holds }) => holds(visitor))
}

describe('languages', () => {
  test.each([
    ['no', 'nb-NO,nb;q=0.9,en;q=0.5'],
    ['no', 'nn-NO'],
    ['no', 'no'],
    ['nb', 'no-NO'],
    ['nb-NO', 'no-NO'],
    ['no-NO', 'nb-NO'],
    ['nn', 'nn-NO'],
    ['nor', 'nb'],
    ['ro', 'mo'],
    ['mo', 'ro-RO'],
    ['mo', 'mo-MD'],
    ['he', 'iw-IL'],
    ['iw', 'he'],
    ['id', 'in_ID'],
    ['in', 'id-ID'],
    ['yi', 'ji'],
    ['ji', 'yi'],
    ['en_US', 'en-US'],
    ['en-US', 'en_US'],
    ['en', 'en_US.UTF-8'],
    ['EN_us', 'en_us'],
    ['zh_Hant', 'zh_TW'],
    ['zh-Hant', 'zh-HK'],
    ['sr-Latn', 'sr_Latn_RS'],
  ])('%s fits a visitor with %s', (language, header) => {
    expect(fits({ language: [language] }, { language: header })).toBe(true)
    expect(fits({ not_language: [language] }, { language: header })).toBe(false)
  })

  test.each([
    ['nn', 'nb-NO'],
    ['nn', 'no'],
    ['nb', 'nn-NO'],
    ['da', 'no'],
    ['en-GB', 'en_US'],
    ['zh-Hans', 'zh_TW'],
    ['in', 'it'],
  ])('%s doesn’t fit a visitor with %s', (language, header) => {
    expect(fits({ language: [language] }, { language: header })).toBe(false)
  })

  test.each(['en_', '_', 'e', 'english', 'en US', 'de--AT', '*'])('%j is none', (language) => {
    expect(whenSchema.safeParse({ language: [language] }).success).toBe(false)
  })
})

describe('hours over midnight belong to the day that they began', () => {
  // The 2nd of January 2026 was a Friday.
  const night = { timezone: 'Europe/Berlin', hours: [['22:00', '06:00']] }
  test.each([
    ['2026-01-02T21:59:59+01:00', false],
    ['2026-01-02T22:00:00+01:00', true],
    ['2026-01-03T05:59:59+01:00', true],
    ['2026-01-03T06:00:00+01:00', false],
    ['2026-01-03T22:00:00+01:00', false],
    ['2026-01-02T02:00:00+01:00', false],
  ])('friday night at %s', (now, isIn) => {
    expect(fits({ time: { ...night, days: ['fri'] } }, { now })).toBe(isIn)
    expect(fits({ not_time: { ...night, days: ['fri'] } }, { now })).toBe(!isIn)
  })

  test.each([
    ['2026-01-02T02:00:00+01:00', false],
    ['2026-01-02T23:00:00+01:00', true],
    ['2026-01-04T05:00:00+01:00', true],
    ['2026-01-04T22:30:00+01:00', false],
  ])('the nights from the 2nd until the 3rd at %s', (now, isIn) => {
    expect(fits({ time: { ...night, from: '2026-01-02', until: '2026-01-03' } }, { now })).toBe(
      isIn,
    )
  })

  test('a week’s last night reaches into the next', () => {
    const time = { ...night, days: ['sun'] }
    expect(fits({ time }, { now: '2026-01-05T01:00:00+01:00' })).toBe(true)
    expect(fits({ time }, { now: '2026-01-04T01:00:00+01:00' })).toBe(false)
  })

  test('timestamps end within the night', () => {
    const time = { ...night, until: '2026-01-03T01:00:00+01:00' }
    expect(fits({ time }, { now: '2026-01-03T00:59:59+01:00' })).toBe(true)
    expect(fits({ time }, { now: '2026-01-03T01:00:00+01:00' })).toBe(false)
  })
})

test.each([
  '[FBAN/FBIOS;FBAV/443.0.0.23.229;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.1.2;FBID/phone]',
  'Instagram 312.1.0.34.111 (iPhone14,5; iOS 17_4; en_US; en; scale=3.00; 1170x2532; 541635890)',
])('an app’s browser on a phone: %s', (userAgent) => {
  const when = { os: [{ name: 'iOS', min: '17' }], device: ['mobile'], agent: 'human' }
  expect(fits(when, { userAgent })).toBe(true)
})
