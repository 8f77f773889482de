import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { shadowedRules } from './shadow.ts'
import { fits } from './testing/naive.ts'
import { visitor, when } from './testing/world.ts'
import type { When } from './types.ts'

const rule = (conditions: When) => ({
  id: 'x',
  when: conditions,
  then: { answer: 'gone' as const },
})

test.each<[string, When, When, boolean]>([
  ['everything', {}, { country: ['DE'] }, true],
  ['the same', { country: ['DE'] }, { country: ['DE'] }, true],
  ['more values', { country: ['DE', 'AT'] }, { country: ['AT'] }, true],
  ['fewer conditions', { country: ['DE'] }, { country: ['DE'], os: ['iOS'] }, true],
  ['a wider language', { language: ['de'] }, { language: ['de-AT'] }, true],
  [
    'an older version',
    { os: [{ name: 'iOS', min: '9' }] },
    { os: [{ name: 'iOS', min: '17' }] },
    true,
  ],
  ['a newer version', { os: [{ name: 'iOS', min: '17' }] }, { os: ['iOS'] }, false],
  ['fewer excluded', { not_country: ['DE'] }, { not_country: ['DE', 'AT'] }, true],
  ['more excluded', { not_country: ['DE', 'AT'] }, { not_country: ['DE'] }, false],
  ['other values', { country: ['DE'] }, { country: ['DE', 'AT'] }, false],
  ['one more condition', { country: ['DE'], os: ['iOS'] }, { country: ['DE'] }, false],
  ['one agent of a list', { agent: ['bot', 'preview'] }, { agent: 'bot' }, true],
  ['another than what is excluded', { not_country: ['DE'] }, { country: ['FR'] }, true],
  ['what is excluded too', { not_country: ['DE'] }, { country: ['FR', 'DE'] }, false],
  [
    'a version of what is excluded',
    { not_os: [{ name: 'iOS', min: '17' }] },
    { os: ['iOS'] },
    false,
  ],
  ['any value of a parameter', { query: { a: ['*'] } }, { query: { a: ['1'], b: [] } }, true],
  ['no value of a parameter', { query: { a: ['*'] } }, { query: { a: [] } }, false],
  ['one more parameter', { query: { a: ['*'], b: [] } }, { query: { a: ['1'] } }, false],
  [
    'all below a host',
    { referrer_host: ['*.a.example'] },
    { referrer_host: ['b.a.example'] },
    true,
  ],
  [
    'a host with www',
    { referrer_host: ['*.a.example'] },
    { referrer_host: ['www.a.example'] },
    false,
  ],
  ['a wider network', { network: ['10.0.0.0/8'] }, { network: ['10.1.0.0/16'] }, true],
  ['a network of the other kind', { network: ['0.0.0.0/0'] }, { network: ['::/0'] }, false],
  ['a network elsewhere', { not_network: ['10.0.0.0/8'] }, { network: ['11.0.0.0/8'] }, true],
  [
    'longer hours and more days',
    { time: { timezone: 'UTC', days: ['sat', 'sun'], hours: [['22:00', '06:00']] } },
    { time: { timezone: 'UTC', days: ['sun'], hours: [['23:00', '05:00']] } },
    true,
  ],
  [
    'hours after midnight of the next day',
    { time: { timezone: 'UTC', days: ['sat', 'sun'], hours: [['22:00', '06:00']] } },
    { time: { timezone: 'UTC', days: ['sun'], hours: [['00:00', '05:00']] } },
    false,
  ],
  [
    'hours after midnight of any day',
    { time: { timezone: 'UTC', hours: [['22:00', '06:00']] } },
    { time: { timezone: 'UTC', days: ['sun'], hours: [['00:00', '05:00']] } },
    true,
  ],
  [
    'a whole day, but not its night',
    { time: { timezone: 'UTC', days: ['sun'] } },
    { time: { timezone: 'UTC', days: ['sun'], hours: [['22:00', '06:00']] } },
    false,
  ],
  [
    'the night of a date',
    { time: { timezone: 'UTC', until: '2026-01-01' } },
    { time: { timezone: 'UTC', until: '2026-01-01', hours: [['22:00', '06:00']] } },
    false,
  ],
  ['Norwegian', { language: ['no'] }, { language: ['nn-NO', 'nb'] }, true],
  ['Bokmål', { language: ['nb'] }, { language: ['no'] }, false],
  [
    'hours of another zone',
    { time: { timezone: 'UTC', hours: [['09:00', '17:00']] } },
    { time: { timezone: 'Europe/Berlin', hours: [['10:00', '11:00']] } },
    false,
  ],
  [
    'a longer time',
    { time: { timezone: 'UTC', from: '2026-01-01' } },
    { time: { timezone: 'UTC', from: '2026-02-01', until: '2026-03-01' } },
    true,
  ],
])('%s', (_, before, after, isCovered) => {
  expect(shadowedRules([rule(before), rule(after)])).toEqual(isCovered ? [[1, 0]] : [])
})

test('no visitor matches only a covered rule', () => {
  let covered = 0
  fc.assert(
    fc.property(when, when, visitor, (first, second, described) => {
      // Random pairs rarely cover each other; with more conditions the second does.
      for (const narrower of [second, { ...second, ...first }]) {
        if (shadowedRules([rule(first), rule(narrower)]).length === 0) continue
        covered++
        if (fits(narrower, described)) expect(fits(first, described)).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
  expect(covered).toBeGreaterThan(500)
})
