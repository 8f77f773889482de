import { expect, test } from 'bun:test'
import { prefersJson, prefersProblem } from './accept.ts'

test.each([
  [null, false],
  ['*/*', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['text/html, application/json', false],
  ['text/html;q=0.5, application/json', true],
  ['application/json;q=0', false],
  ['APPLICATION/JSON ; Q=0.9', true],
  ['application/problem+json', true],
  ['application/json;q=x', false],
])('%s prefers JSON: %p', (accept, expected) => {
  expect(prefersJson(accept)).toBe(expected)
})

test('problem+json is chosen only when no other JSON is accepted', () => {
  expect(prefersProblem('application/problem+json')).toBe(true)
  expect(prefersProblem('application/json')).toBe(false)
  expect(prefersProblem('application/json, application/problem+json')).toBe(false)
  expect(prefersProblem('application/problem+json;q=0')).toBe(false)
  expect(prefersProblem('*/*, application/problem+json; q=0.0')).toBe(false)
})
