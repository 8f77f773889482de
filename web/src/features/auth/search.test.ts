import { expect, test } from 'bun:test'
import { authSearch, ownPage } from './search.ts'

test('what comes next is a page of ours', () => {
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

test('an address has what it has', () => {
  expect(authSearch({ error: ['a', 'b'], next: '//x', other: 1 })).toEqual({ error: 'a' })
})
