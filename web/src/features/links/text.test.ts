import { expect, test } from 'bun:test'
import { halves, readable, tagsThatFit } from './text.ts'

test('an address is read without what every address has', () => {
  expect(readable('https://www.example.com/')).toBe('example.com')
  expect(readable('https://example.com/a/')).toBe('example.com/a/')
})

test('two halves are the whole', () => {
  for (const text of [
    '',
    'short',
    'https://example.com/a/long/address',
    '日本語の長い長い長い長い住所です',
  ]) {
    expect(halves(text).join('')).toBe(text)
  }
})

test('a second tag is shown where both are seen whole', () => {
  expect(tagsThatFit([])).toBe(0)
  expect(tagsThatFit(['one'])).toBe(1)
  expect(tagsThatFit(['docs', 'print'])).toBe(2)
  expect(tagsThatFit(['Produktvorstellung', 'summer'])).toBe(1)
  expect(tagsThatFit(['キャンペーン', 'docs'])).toBe(1)
  // How many more there are takes room too.
  expect(tagsThatFit(['autumn', 'partner'])).toBe(2)
  expect(tagsThatFit(['autumn', 'partner', 'social'])).toBe(1)
})
