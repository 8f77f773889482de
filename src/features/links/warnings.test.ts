import { expect, test } from 'bun:test'
import type { Rule } from '../../redirect/rules/index.ts'
import { LINK_EXAMPLE, type Link } from './schemas.ts'
import { withWarnings } from './warnings.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const warned = (fields: Partial<Link>) =>
  withWarnings({ ...(LINK_EXAMPLE as unknown as Link), ...fields }, NOW, {
    locale: 'en',
  }).warnings?.map(({ field, code }) => `${field}: ${code}`)
const rule = (id: string, when: Rule['when']): Rule => ({ id, when, then: { answer: 'gone' } })
const variants = [1, 9_999].map((weight, i) => ({
  id: `v${i}`,
  weight,
  destination_url: `https://${i}.example/`,
}))

test('a plausible link has none', () => {
  expect(warned({})).toBeUndefined()
})

test('report all probable mistakes, with their path', () => {
  const split: Rule = { id: 'c', when: { country: ['US'] }, then: { variants } }
  expect(
    warned({
      expires_at: '2025-12-31T23:59:59.000Z',
      rules: [rule('a', { country: ['DE'] }), rule('b', { country: ['DE'], os: ['iOS'] }), split],
      variants,
    }),
  ).toEqual([
    'expires_at: EXPIRES_IN_PAST',
    'rules[1]: SHADOWED_RULE',
    'variants[0].weight: NEGLIGIBLE_WEIGHT',
    'rules[2].then.variants[0].weight: NEGLIGIBLE_WEIGHT',
  ])
})

const url = (path: string) => `https://a.example/${path}`
test.each([
  ['a zero-width space', 'a\u200bb'],
  ['one that is percent-encoded', 'a%E2%80%8Bb'],
  ['one at the end', 'a\u200b'],
  ['a byte order mark', 'a\ufeffb'],
  ['a word joiner', '?q=a\u2060b'],
  ['a soft hyphen', '#a\u00adb'],
  ['a mark of direction', 'a\u200eb'],
  ['an override of direction', 'a\u202eb'],
  ['a joiner between Latin letters', 'a\u200db'],
])('%s in a destination', (_, path) => {
  const split = (destination_url: string) => [
    { ...(variants[1] as never as object), destination_url },
  ]
  expect(
    warned({
      destination_url: url(path),
      fallback_url: url(path),
      rules: [
        { id: 'a', when: { country: ['DE'] }, then: { destination_url: url(path) } },
        { id: 'b', when: { country: ['AT'] }, then: { variants: split(url(path)) as never } },
      ],
      variants: split(url(path)) as never,
      social: { title: null, description: null, image_url: url(path) },
    }),
  ).toEqual(
    [
      'destination_url',
      'fallback_url',
      'social.image_url',
      'variants[0].destination_url',
      'rules[0].then.destination_url',
      'rules[1].then.variants[0].destination_url',
    ].map((field) => `${field}: INVISIBLE_CHARACTERS`),
  )
})

test.each([
  'نامه\u200cای',
  '%D9%86%D8%A7%D9%85%D9%87%E2%80%8C%D8%A7%DB%8C',
  'क्\u200dष',
  '👨\u200d👩\u200d👧',
  '❤\ufe0f',
  '%FF%E2%80',
  'ü?ü#ü',
])('none in %s', (path) => {
  expect(warned({ destination_url: url(path) })).toBeUndefined()
})
