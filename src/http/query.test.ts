import { describe, expect, test } from 'bun:test'
import { byParameter } from './details.ts'
import { langOf, pathOf, queryOf } from './request.ts'

describe('a request’s URL', () => {
  test('has a path, whose trailing slashes are ignored', () => {
    for (const [url, path] of [
      ['http://s.example/api/v1/links', '/api/v1/links'],
      ['http://s.example:3000/api/v1/links/?a=/b', '/api/v1/links'],
      ['https://s.example/a//', '/a'],
      ['http://s.example/', '/'],
      ['http://s.example', '/'],
      ['http://s.example/%2F#/x', '/%2F'],
      ['/api/v1/links?a', '/api/v1/links'],
      ['//', '/'],
    ] as const) {
      expect(pathOf(url)).toBe(path)
    }
  })

  test('has parameters, some several times', () => {
    const query = queryOf('http://x/?a=1&b=%C3%A4+%2B&a=2&__proto__=p&c&%zz=%ff&a=3#d=1')
    expect(Object.entries(query)).toEqual([
      ['a', ['1', '2', '3']],
      ['b', 'ä +'],
      ['__proto__', 'p'],
      ['c', ''],
      ['%zz', '\ufffd'],
    ])
    expect(Object.keys(queryOf('http://x/'))).toEqual([])
    expect(langOf('http://x/?lang=de&lang=fr')).toBe('de')
    expect(langOf('http://x/')).toBeNull()
  })
})

test('faults of a list parameter are reported once per parameter', () => {
  expect(
    byParameter([
      { field: 'kind[0]', code: 'INVALID_CHARACTERS' },
      { field: 'limit', code: 'REQUIRED' },
      { field: 'kind[2]', code: 'INVALID_CHARACTERS' },
      { field: 'kind[3]', code: 'TOO_LONG', params: { max: 9 } },
    ]),
  ).toEqual([
    { field: 'kind', code: 'INVALID_CHARACTERS' },
    { field: 'limit', code: 'REQUIRED' },
    { field: 'kind', code: 'TOO_LONG', params: { max: 9 } },
  ])
})
