import { expect, test } from 'bun:test'
import { rules, variants } from '@src/redirect/rules/testing/world.ts'
import fc from 'fast-check'
import { createI18n } from '../../../i18n/index.tsx'
import common from '../../../i18n/messages/en/common.json'
import links from '../../../i18n/messages/en/links.json'
import texts from '../../../i18n/messages/en/rules.json'
import statistics from '../../../i18n/messages/en/statistics.json'
import jaCommon from '../../../i18n/messages/ja/common.json'
import jaTexts from '../../../i18n/messages/ja/rules.json'
import type { Messages } from '../../../i18n/messages.ts'
import { itemText, type Rule, thenText, whenText } from './text.ts'

const i18n = createI18n('en', {
  ...common,
  ...links,
  ...texts,
  ...statistics,
} as unknown as Messages)

test('conditions are described in one line', () => {
  const when = {
    not_country: ['DE', 'AT'],
    os: ['Android', { name: 'iOS', min: '17' }],
    query: { plan: ['pro'], ref: ['*'], old: [] },
    time: {
      timezone: 'America/New_York',
      from: '2026-03-28',
      until: '2026-03-29T04:30:00Z',
      days: ['mon' as const, 'sun' as const],
      hours: [['09:00', '17:30']],
    },
  }
  const text = whenText(when, i18n)
  for (const part of ['Germany', 'Austria', 'Android', 'iOS', '17', '“pro”', 'ref', 'old']) {
    expect(text).toContain(part)
  }
  // The day itself, and the time in the zone.
  for (const part of ['Mon', 'Sun', '09:00–17:30', '28', '29', '12:30', 'New York']) {
    expect(text).toContain(part)
  }
  expect(text).not.toContain('\n')
  const night = { timezone: 'UTC', hours: [['22:00', '06:00'] as [string, string]] }
  expect(whenText({ time: night }, i18n)).toContain('22:00–06:00 (+1)')
  expect(whenText({}, i18n)).toBe(texts['rules.always'])
  // While it is still being typed.
  expect(whenText({ query: { plan: null as never } }, i18n)).toContain('plan')
  expect(whenText({ country: [], os: [] }, i18n)).not.toBe('')
})

test('times and values use the commas and quotes of the language', () => {
  const messages = { ...jaCommon, ...links, ...jaTexts, ...statistics }
  const i18n = createI18n('ja', messages as unknown as Messages)
  const hours: [string, string][] = [['09:00', '17:30']]
  const time = { timezone: 'Asia/Tokyo', days: ['mon' as const], hours }
  const text = whenText({ query: { plan: ['pro'] }, time }, i18n)
  expect(text).toContain('：')
  expect(text).not.toContain(': ')
  expect(text).toContain('「pro」')
  expect(text).toContain('、09:00–17:30')
  const rule = { id: 'a', name: '社内', when: {}, then: { answer: 'gone' } }
  expect(itemText(rule, i18n)).toContain('：')
  const variant = { id: 'a', name: '新', destination_url: 'https://a.example/', weight: 3 }
  expect(itemText(variant, i18n)).toMatch(/（[^(]+）$/)
  expect(text).toMatch(/（.*Tokyo.*）$/)
})

test('an outcome names destinations and shares', () => {
  const split = [
    { id: 'a', name: 'Old', destination_url: 'https://a.example/', weight: 3 },
    { id: 'b', destination_url: 'https://b.example/', weight: 1 },
  ]
  const text = thenText({ variants: split }, i18n)
  for (const part of ['75%', 'Old', '25%', 'b.example']) expect(text).toContain(part)
  expect(thenText({ answer: 'gone' }, i18n)).toBe(texts['rules.answer.gone'])
})

test('a history shows every difference of two rules', () => {
  const bare = ({ id: _, ...rule }: Rule) =>
    JSON.stringify(rule, (key, value) => (key === 'id' ? undefined : value))
  fc.assert(
    fc.property(rules, variants, (list, split) => {
      const all = list as Rule[]
      for (const one of all) {
        for (const other of all) {
          if (itemText(one, i18n) === itemText(other, i18n)) expect(same(one)).toBe(same(other))
        }
      }
      for (const one of split) expect(itemText(one, i18n)).toContain(one.destination_url)
    }),
  )
  // The order of members and of alternatives is irrelevant; a list of one equals its item.
  function same(rule: Rule) {
    const { when } = rule
    const names = Object.keys(when).sort() as (keyof typeof when)[]
    const sorted = Object.fromEntries(names.map((name) => [name, [when[name]].flat()]))
    return bare({ ...rule, when: sorted as never }).toLowerCase()
  }
  const named = { id: 'a', name: 'Office', when: {}, then: { answer: 'gone' } }
  expect(itemText(named, i18n)).toContain('Office')
  expect(itemText('tag', i18n)).toBe('tag')
})
