import { expect, test } from 'bun:test'
import { createFormats } from './format.ts'
import { createI18n } from './index.tsx'

test('items of a list keep their own direction in a right-to-left language', () => {
  const items = ['2026-sale', 'عرض']
  for (const item of items) {
    expect(createFormats('ar').list(items)).toContain(`\u2068${item}\u2069`)
    expect(createFormats('ar').either(items)).toContain(`\u2068${item}\u2069`)
    expect(createFormats('en').list(items)).not.toContain('\u2068')
  }
})

test('texts of our own with isolated parts have the direction of the language', () => {
  const { format, t } = createI18n('ar', { 'common.labelled': '{label}: {value}' } as never)
  // Without words outside the parts, the first letter inside must not decide.
  const values = format.either(['pro', 'free'].map((one) => `\u2068«${one}»\u2069`))
  const labelled = t('common.labelled', { label: 'plan', value: values })
  expect(labelled).toContain('\u2068plan\u2069')
  expect(labelled).toContain(`\u2067${values}\u2069`)
  expect(format.list([labelled])).toBe(`\u2067${labelled}\u2069`)
})

test('a time is not broken before its last word', () => {
  for (const locale of ['ar', 'hi', 'en-US', 'uk']) {
    const { time, date } = createFormats(locale)
    for (const text of [time('2026-11-29T14:00Z'), date('2026-11-29T14:00Z')]) {
      expect(text).not.toMatch(/ [\p{L}.]{1,4}$/u)
    }
  }
})
