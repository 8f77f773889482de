import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { covers, shadowedRules } from './shadow.ts'
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
])('%s', (_, before, after, isCovered) => {
  expect(shadowedRules([rule(before), rule(after)])).toEqual(isCovered ? [[1, 0]] : [])
})

test('no visitor fits a covered rule alone', () => {
  let covered = 0
  fc.assert(
    fc.property(when, when, visitor, (first, second, described) => {
      // Random pairs hardly ever cover each other; with more conditions the second does.
      const narrower = { ...second, ...first }
      if (!covers(first, narrower)) return
      covered++
      if (fits(narrower, described)) expect(fits(first, described)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
  expect(covered).toBeGreaterThan(500)
})
