import { expect, test } from 'bun:test'
import { createFormats } from './format.ts'

test('short numbers are grouped as other numbers are', () => {
  for (const [locale, text] of [
    ['ja', '1,594'],
    ['de', '1.594'],
    ['en', '1.6K'],
  ] as const) {
    expect(createFormats(locale).compact(1594)).toBe(text)
  }
})

test('sentences are joined by what the language puts between them', () => {
  expect(createFormats('en-GB').sentences(['One.', 'Two.'])).toBe('One. Two.')
  expect(createFormats('ja-JP').sentences(['一。', '二。'])).toBe('一。二。')
})
