import { expect, test } from 'bun:test'
import { createFormats } from './format.ts'

test('items of a list keep their own direction in a right-to-left language', () => {
  const items = ['2026-sale', 'عرض']
  for (const item of items) {
    expect(createFormats('ar').list(items)).toContain(`\u2068${item}\u2069`)
    expect(createFormats('ar').either(items)).toContain(`\u2068${item}\u2069`)
    expect(createFormats('en').list(items)).not.toContain('\u2068')
  }
})
