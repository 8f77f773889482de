import { expect, test } from 'bun:test'
import { authSearch, ownPage } from './search.ts'

test('the next page is one of ours', () => {
  expect(ownPage('/links?search=a&tag=b')).toBe('/links?search=a&tag=b')
  for (const next of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example',
    'javascript:alert(1)',
    'links',
    '',
  ]) {
    expect(ownPage(next)).toBeUndefined()
  }
})

test('a URL keeps its parameters', () => {
  expect(authSearch({ error: ['a', 'b'], next: '//x', other: 1 })).toEqual({ error: 'a' })
})
