import { expect, test } from 'bun:test'
import { readable, shortened, tagsThatFit } from './text.ts'

test('a URL is shown without its common parts', () => {
  expect(readable('https://www.example.com/')).toBe('example.com')
  expect(readable('https://example.com/a/')).toBe('example.com/a/')
})

test('a shortened text has the beginning, the end, and as many letters as fit', () => {
  const text = 'example.com/a/rather/long/address?with=parameters'
  for (let room = 10; room < text.length; room++) {
    const short = shortened(text, (part) => part.length <= room)
    const [start, end, ...more] = short.split('…')
    expect(more).toEqual([])
    expect(short).toHaveLength(room)
    expect(text.startsWith(start as string)).toBe(true)
    expect(text.endsWith(end as string)).toBe(true)
  }
  expect(shortened(text, () => true)).toBe(text)
  expect(shortened('🙂'.repeat(30), (part) => part.length <= 30).isWellFormed()).toBe(true)
})

test('a second tag is shown if both fit completely', () => {
  expect(tagsThatFit([])).toBe(0)
  expect(tagsThatFit(['one'])).toBe(1)
  expect(tagsThatFit(['docs', 'print'])).toBe(2)
  expect(tagsThatFit(['Produktvorstellung', 'summer'])).toBe(1)
  expect(tagsThatFit(['キャンペーン', 'docs'])).toBe(1)
  // The number of further tags takes room too.
  expect(tagsThatFit(['social', 'mail'])).toBe(2)
  expect(tagsThatFit(['social', 'mail', 'x'])).toBe(1)
  expect(tagsThatFit(['de', 'promo', 'x'])).toBe(1)
})
