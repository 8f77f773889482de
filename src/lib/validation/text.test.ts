import { expect, test } from 'bun:test'
import { canonicalHost } from './host.ts'
import { compose, foldCase, foldForSearch } from './text.ts'

test('texts are composed, but not those that would take quadratic time', () => {
  expect(compose('Cafe\u0301')).toBe('Café')
  // More than any language has: two orders of the marks stay two texts.
  const marks = '\u0301\u0316'
  expect(compose(`a${marks.repeat(15)}`)).not.toBe(`a${marks.repeat(15)}`)
  expect(compose(`a${marks.repeat(16)}`)).toBe(`a${marks.repeat(16)}`)
  // Takes minutes otherwise.
  const long = `a${marks.repeat(200_000)}`
  expect(foldCase(long)).toBe(foldCase(long.toUpperCase()))
  expect(canonicalHost(`${long}.example`)).toBe(`${long}.example`)
})

test('the letters i with and without a dot fold alike, in either case', () => {
  const names = ['istanbul', 'İstanbul', 'ISTANBUL', 'ıstanbul', 'i\u0307stanbul', 'I\u0307STANBUL']
  for (const fold of [foldCase, foldForSearch]) {
    expect(new Set(names.map(fold))).toEqual(new Set(['istanbul']))
    // Also below another mark, and in any order of the two.
    expect(new Set(['ị', 'Ị\u0307', 'i\u0307\u0323', 'İ\u0323'].map(fold))).toEqual(new Set(['ị']))
    // A dot belongs to other letters.
    expect(fold('Ċ')).toBe('ċ')
    for (const name of names) expect(fold(fold(name))).toBe(fold(name))
  }
})

test('folds what Unicode folds', () => {
  const pairs = [
    ['ſ', 's'],
    ['\u212a', 'k'],
    ['ẞ', 'ss'],
    ['ﬀ', 'ff'],
    ['ΟΔΟΣ', 'οδος'],
    ['ÅNGSTRÖM', 'a\u030angstro\u0308m'],
  ] as const
  for (const [one, other] of pairs) expect(foldCase(one)).toBe(foldCase(other))
})
