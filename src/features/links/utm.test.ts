import { expect, test } from 'bun:test'
import {
  array,
  assert,
  constantFrom,
  option,
  property,
  record,
  string,
  tuple,
  webUrl,
} from 'fast-check'
import { UTM_FIELDS, type Utm, utmOf, withUtm } from './utm.ts'

test('parameters are read, replaced in place, appended and removed', () => {
  const address = 'https://e.example/a?b=1&utm_source=x%20y&c&utm_term=&#utm_medium=no'
  expect(utmOf(address)).toEqual({
    source: 'x y',
    medium: null,
    campaign: null,
    term: '',
    content: null,
  })
  for (const [utm, expected] of [
    [{ source: 'z&=' }, 'https://e.example/a?b=1&utm_source=z%26%3D&c&utm_term=&#utm_medium=no'],
    [{ source: 'x y' }, address],
    [{ source: null }, 'https://e.example/a?b=1&c&utm_term=&#utm_medium=no'],
    [
      { content: 'ä' },
      'https://e.example/a?b=1&utm_source=x%20y&c&utm_term=&utm_content=%C3%A4#utm_medium=no',
    ],
    [{ medium: null }, address],
  ] as const) {
    expect(withUtm(address, utm)).toBe(expected)
  }
  expect(withUtm('https://e.example', { source: 'a' })).toBe('https://e.example?utm_source=a')
  expect(withUtm('https://e.example/?', { source: 'a' })).toBe('https://e.example/?utm_source=a')
  expect(withUtm('https://e.example/?utm_source=a#x', { source: null })).toBe(
    'https://e.example/#x',
  )
  // An unchanged value keeps its encoding.
  const plus = 'https://e.example/?utm_source=a+b&x=%zz'
  expect(withUtm(plus, { source: 'a b' })).toBe(plus)
  const twice = 'https://e.example/?utm%5Fsource=a&b&utm_source=c'
  expect(withUtm(twice, { source: 'd' })).toBe('https://e.example/?utm%5Fsource=d&b')
})

/** URLs with parameters of all kinds, including malformed and UTM ones. */
const parameter = tuple(
  constantFrom('', 'a', 'utm_source', 'utm_medium', 'utm%5Fterm', 'UTM_SOURCE', 'utm_sourcex', '%'),
  constantFrom('', '=', '=1', '=%zz', '=a+b', '=a%20b', '=%C3%A4', '=x=y', '=ä'),
).map((parts) => parts.join(''))
const address = tuple(
  webUrl({ withQueryParameters: false, withFragments: false }),
  option(
    array(parameter, { maxLength: 6 }).map((all) => `?${all.join('&')}`),
    { nil: '' },
  ),
  constantFrom('', '#', '#a?utm_source=x&b', '#/utm_term=1'),
).map((parts) => parts.join(''))
const value = option(string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()))
const change = record(
  Object.fromEntries(UTM_FIELDS.map((field) => [field, value])) as Record<
    (typeof UTM_FIELDS)[number],
    typeof value
  >,
  { requiredKeys: [] },
)

/** A URL without its UTM parameters of these names, in parts. */
function others(text: string, fields: readonly string[]) {
  const [, before, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? []
  const isOther = (part: string) => {
    const [name = ''] = [...new URLSearchParams(part.split('=', 1)[0]).keys()]
    return !fields.some((field) => name === `utm_${field}`) && part !== ''
  }
  return { before, rest: (query ?? '').split('&').filter(isOther), fragment }
}

test('set values are read back, and nothing else changes', () => {
  assert(
    property(address, change, (text, utm) => {
      const changed = withUtm(text, utm as Partial<Utm>)
      expect(utmOf(changed)).toEqual({ ...utmOf(text), ...utm } as Utm)
      const fields = Object.keys(utm)
      expect(others(changed, fields)).toEqual(others(text, fields))
      // Setting the same values again changes nothing, nor does setting existing ones.
      expect(withUtm(changed, utm as Partial<Utm>)).toBe(changed)
      expect(withUtm(text, {})).toBe(text)
    }),
    { numRuns: 3_000 },
  )
})

test('writing back the read values doesn’t change the URL', () => {
  assert(
    property(address, (text) => {
      const once = withUtm(text, utmOf(text))
      expect(utmOf(once)).toEqual(utmOf(text))
      // Except that duplicates are removed.
      expect(withUtm(once, utmOf(once))).toBe(once)
    }),
  )
})
