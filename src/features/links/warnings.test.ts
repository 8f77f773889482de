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
  ...{ id: `v${i}`, weight, destination_url: `https://${i}.example/` },
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
