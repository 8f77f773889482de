import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { withVisitorsQuery } from './target.ts'

test.each([
  ['https://e.com/', '', 'https://e.com/'],
  ['https://e.com/', '?', 'https://e.com/'],
  ['https://e.com/', '?a=1', 'https://e.com/?a=1'],
  ['https://e.com/?x=1', '?a=1', 'https://e.com/?x=1&a=1'],
  ['https://e.com/?', '?a=1', 'https://e.com/?a=1'],
  ['https://e.com/?x&', '?a=1', 'https://e.com/?x&a=1'],
  ['https://e.com/#f?g', '?a=1', 'https://e.com/?a=1#f?g'],
  ['https://e.com/?x=1#f', '?lang=de&a=%2B+%zz', 'https://e.com/?x=1&lang=de&a=%2B+%zz#f'],
  ['https://e.com/', '??a', 'https://e.com/??a'],
  ['https://e.com/?x=1#f', '?a=1#g', 'https://e.com/?x=1&a=1#f'],
  ['https://e.com/', '?#g', 'https://e.com/'],
])('%s and %s make %s', (target, search, expected) => {
  expect(withVisitorsQuery(target, search)).toBe(expected)
})

test('a query that would make the address too long to be passed on is left out whole', () => {
  const target = 'https://e.com/#f'
  const room = 8192 - target.length - '?'.length
  const longest = `?a=${'x'.repeat(room - 2)}`
  expect(withVisitorsQuery(target, longest)).toHaveLength(8192)
  expect(withVisitorsQuery(target, `${longest}x`)).toBe(target)
  expect(withVisitorsQuery(target, `?a=${'ä'.repeat(room / 2)}`)).toBe(target)
})

test('neither origin, path nor fragment can be reached by a visitor', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string(),
      (url, text) => {
        const target = new URL(url)
        const { search } = new URL(`https://sho.rt/a?${text.replaceAll('#', '')}`)
        const result = new URL(withVisitorsQuery(target.href, search))
        expect([result.origin, result.pathname, result.hash]).toEqual([
          target.origin,
          target.pathname,
          target.hash,
        ])
        expect(result.search).toEndWith(search.slice(1))
      },
    ),
  )
})
