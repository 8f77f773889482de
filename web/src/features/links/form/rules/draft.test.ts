import { expect, test } from 'bun:test'
import { rules, variants } from '@src/redirect/rules/testing/world.ts'
import fc from 'fast-check'
import type { Rule, Variant } from '../../rules/text.ts'
import { emptyDraft } from '../draft.ts'
import {
  newRule,
  newVariant,
  ruleDrafts,
  ruleInputs,
  variantDrafts,
  variantInputs,
  withoutIds,
} from './draft.ts'
import { keyed, messagesWithin } from './marks.ts'

test('the API’s values pass through the form unchanged', () => {
  fc.assert(
    fc.property(rules, variants, (list, split) => {
      expect(ruleInputs(ruleDrafts(list as Rule[]))).toEqual(list as never)
      expect(variantInputs(variantDrafts(split as Variant[]))).toEqual(split as never)
    }),
    { numRuns: 500 },
  )
})

test('a copy is the same except for ids, which are unique in the form', () => {
  fc.assert(
    fc.property(rules, (list) => {
      const drafts = ruleDrafts(list as Rule[])
      const copies = withoutIds(drafts)
      const bare = list.map(({ id: _, then, ...rule }) => ({
        ...rule,
        then: then.variants
          ? { variants: then.variants.map(({ id: __, ...variant }) => variant) }
          : then,
      }))
      expect(ruleInputs(copies)).toEqual(bare as never)
      const keys = [...drafts, ...copies].map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
    }),
    { numRuns: 100 },
  )
})

test('empty values are left for the API to report', () => {
  const empty = { ...newVariant(), weight: ' ' }
  expect(variantInputs([empty])).toEqual([{}] as never)
  const rule = newRule('', { query: [{ name: 'a', how: 'values', values: [] }] })
  expect(ruleInputs([rule])).toEqual([{ when: { query: { a: null } }, then: {} }] as never)
})

test('a duplicate parameter has the values of both', () => {
  const query = [
    { name: 'a', how: 'values' as const, values: ['1, 2'] },
    { name: 'a', how: 'values' as const, values: ['3'] },
  ]
  expect(ruleInputs([newRule('', { query })])[0]?.when).toEqual({ query: { a: ['1, 2', '3'] } })
})

test('messages are kept by keys and values, so that they move along', () => {
  const rule = {
    ...newRule('', { country: ['DE', 'XX'], query: [{ name: 'a', how: 'any', values: [] }] }),
    key: 'r',
  }
  rule.then.variants = [{ ...newVariant(), key: 'v' }]
  const draft = { ...emptyDraft('a'), rules: [newRule(), rule], tags: ['x'] }
  const places = {
    'rules[1].when.country[1]': 'rules[r].when.country["XX"]',
    'rules[1].when.query.a[0]': 'rules[r].when.query.a[0]',
    'rules[1].then.variants[0].weight': 'rules[r].then.variants[v].weight',
    'rules[9].then': 'rules[9].then',
    'tags[0]': 'tags["x"]',
    slug: 'slug',
  }
  for (const [field, place] of Object.entries(places)) expect(keyed(field, draft)).toBe(place)
  const marks = { 'rules[r].when.country["XX"]': 'a', 'rules[r]x': 'b', 'rules[r].then': 'a' }
  expect(messagesWithin(marks, 'rules[r]')).toEqual(['a'])
  expect(messagesWithin(marks, 'rules[r].when.coun')).toEqual([])
})
