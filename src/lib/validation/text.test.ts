import { expect, test } from 'bun:test'
import { canonicalHost } from './host.ts'
import { compose, foldCase } from './text.ts'

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
