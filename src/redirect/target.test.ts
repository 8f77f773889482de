import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createUrlCheck, type Destination } from '../model/links/values.ts'
import { locationOf } from './target.ts'

function withQuery(target: string, search: string): string {
  const forwarding = { forward_query: 1, forward_path: 0 }
  return locationOf(target, forwarding, () => ({ slug: 'a', rest: '', search }))
}

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
  expect(withQuery(target, search)).toBe(expected)
})

test('a query that would make the URL too long is omitted completely', () => {
  const target = 'https://e.com/#f'
  const room = 8192 - target.length - '?'.length
  const longest = `?a=${'x'.repeat(room - 2)}`
  expect(withQuery(target, longest)).toHaveLength(8192)
  expect(withQuery(target, `${longest}x`)).toBe(target)
  expect(withQuery(target, `?a=${'ä'.repeat(room / 2)}`)).toBe(target)
})

test('neither origin, path nor fragment can be reached by a visitor', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string(),
      (url, text) => {
        const target = new URL(url)
        const { search } = new URL(`https://sho.rt/a?${text.replaceAll('#', '')}`)
        const result = new URL(withQuery(target.href, search))
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

const check = createUrlCheck(
  { hosts: ['s.example'], listenPort: 3000, basePort: 443 },
  { schemes: ['http', 'https', 'myapp', 'mailto'] },
)
const targetOf = (text: string) => (check(text) as Destination).target
const ALL = { forward_query: 1, forward_path: 1 }

describe('forwarded parts of a visit', () => {
  const visit = { slug: 'Ä/b', rest: 'x%2Fy/@z;1/%zz/\'"', search: "?a=1%26b&a=2&q='+%00" }

  test.each([
    ['https://e.com', "https://e.com/x%2Fy/@z;1/%25zz/'%22"],
    ['https://e.com/p/?q#f', "https://e.com/p/x%2Fy/@z;1/%25zz/'%22?q#f"],
    ['myapp://host', "myapp://host/x%2Fy/@z;1/%25zz/'%22"],
    ['myapp://', "myapp:///x%2Fy/@z;1/%25zz/'%22"],
    ['mailto:a@e.com', 'mailto:a@e.com'],
    ['mailto:a@e.com?subject={path.2}', 'mailto:a@e.com?subject=%40z%3B1'],
    ['https://e.com/{path.1}/{path.9}?{path.3}', 'https://e.com/x%2Fy/?%25zz'],
    ['https://e.com/{slug}?s={slug}#{path.1}', 'https://e.com/%C3%84/b?s=%C3%84/b#x%2Fy'],
    ['https://e.com/{query.a}', "https://e.com/1%26b/x%2Fy/@z;1/%25zz/'%22"],
    ['https://e.com/{path}#{query.q}', "https://e.com/x%2Fy/@z;1/%25zz/'%22#%27%20%00"],
    ['https://e.com/{path.0}{path.x}{query.}{Path}', null],
  ])('goes into %s', (given, expected) => {
    const target = targetOf(given)
    const location = locationOf(target, { ...ALL, forward_query: 0 }, () => visit)
    expect(location).toBe(expected ?? `${target}/x%2Fy/@z;1/%25zz/'%22`)
  })

  test('leave braces that the destination has encoded as they are', () => {
    const none = { forward_query: 0, forward_path: 0 }
    for (const given of [
      'https://e.com/%7Bslug%7D',
      'https://e.com/%7bslug%7d/%7Bpath.1%7D',
      'https://e.com/%7Bslug}/{slug%7D',
      'https://e.com/?a=%7Bquery.a%7D&b=%7Bslug}#%7Bpath%7D',
    ]) {
      expect(locationOf(targetOf(given), none, () => visit)).toBe(new URL(given).href)
    }
    const both = 'https://e.com/%7Bslug%7D/{slug}/%7Bpath%7D?%7Bslug%7D={slug}#%7Bslug%7D{slug}'
    expect(locationOf(targetOf(both), none, () => ({ ...visit, slug: '%7bslug%7D' }))).toBe(
      'https://e.com/%7Bslug%7D/%257bslug%257D/%7Bpath%7D?%7Bslug%7D=%257bslug%257D#%7Bslug%7D%257bslug%257D',
    )
    const forwarded = targetOf('https://e.com/%7Bslug%7D')
    expect(locationOf(forwarded, ALL, () => ({ slug: 's', rest: '%7bslug%7D', search: '' }))).toBe(
      'https://e.com/%7Bslug%7D/%7bslug%7D',
    )
  })

  test('are appended as a path first, then as a query', () => {
    const plain = { slug: 'a', rest: 'b/{query.c}', search: '?c=d' }
    expect(locationOf('https://e.com/#f', ALL, () => plain)).toBe(
      'https://e.com/b/%7Bquery.c%7D?c=d#f',
    )
  })

  test('are omitted completely if the URL would be too long, or leave its path', () => {
    const long = { slug: 's', rest: 'x'.repeat(8192), search: '?q=1' }
    expect(locationOf('https://e.com/a', ALL, () => long)).toBe('https://e.com/a?q=1')
    const template = targetOf('https://e.com/{slug}/{path}?q={query.q}')
    const values = { ...ALL, forward_query: 0 }
    expect(locationOf(template, values, () => long)).toBe('https://e.com/s/?q=')
    const far = { ...long, slug: 'ü'.repeat(128), rest: '' }
    const full = targetOf(`https://e.com/{slug}?${'x'.repeat(8000)}`)
    expect(locationOf(full, values, () => far)).toBe(full.replace('%7Bslug%7D', ''))
    for (const dots of ['.', '..']) {
      const up = { slug: 's', rest: `${dots}/%2E${dots}/a`, search: `?q=${dots}` }
      expect(locationOf('https://e.com/a', ALL, () => ({ ...up, search: '' }))).toBe(
        'https://e.com/a',
      )
      expect(
        locationOf(targetOf('https://e.com/a/{query.q}/b'), values, () => ({ ...up, rest: '' })),
      ).toBe('https://e.com/a//b')
    }
    const dot = { slug: 's', rest: '', search: '?q=.' }
    expect(locationOf(targetOf('https://e.com/a/.{query.q}/'), values, () => dot)).toBe(
      'https://e.com/a/',
    )
  })
})

const PIECES = [
  ...['https://e.com', 'http://[::1]:8080', 'https://xn--mnchen-3ya.de:444', 'myapp://host'],
  ...['https://a.b/base/', 'https://a.b/p?x=1', 'https://a.b/p#f', 'https://a.b/p?x#f?g'],
  ...[
    'https://a.b/{path}',
    'https://a.b/x{path.1}{path.2}/{slug}',
    'https://a.b/{query.q}{query.r}',
  ],
  ...['https://a.b/?u={path}&v={query.q}#{path.1}', 'https://a.b/.{query.q}/%7Bpath%7D?{slug}'],
]
/** Malicious input. */
const NASTY = [
  ...[
    '..',
    '.',
    '%2e%2E',
    '.%2e',
    '/',
    '//',
    '\\',
    '\\\\evil.example',
    '//evil.example',
    '@evil.example',
  ],
  ...[
    'https://evil.example',
    ':80',
    '?',
    '#',
    '%',
    '%2',
    '%2F',
    '%5C',
    '%00',
    '\0',
    '\r\n',
    '\t',
    ' ',
  ],
  ...[
    '{path}',
    '%7Bpath%7D',
    '{query.q}',
    '{slug}',
    '😀',
    '\ud800',
    'é',
    "'",
    '"',
    '<',
    '^',
    '`',
    '|',
  ],
  ...['javascript:', '&', '=', '+', ';', '[', ']', '%ff', '%C3%A4', '\u202e', 'a', 'b.c', '~'],
]

test('letters that fold to ASCII are encoded like any other', () => {
  const passed = { slug: 's', rest: 'ſ\u212a', search: '' }
  const link = { forward_query: 0, forward_path: 1 }
  expect(locationOf('https://e.com/', link, () => passed)).toBe('https://e.com/%C5%BF%E2%84%AA')
})

test('100,000 visits: the origin stays, and the URL is as the standard serializes it', () => {
  const nasty = fc.array(fc.constantFrom(...NASTY), { maxLength: 8 }).map((all) => all.join(''))
  const text = fc.oneof(nasty, fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(
      fc.constantFrom(...PIECES),
      fc.record({
        slug: fc.oneof(fc.constantFrom('a', 'a/b', '😀', 'ü.~'), nasty),
        rest: text,
        search: text.map((query) => `?q=${query}&r=${query.slice(1)}`),
      }),
      fc.nat(1),
      fc.nat(1),
      (given, passed, forward_query, forward_path) => {
        const target = targetOf(given)
        const link = { forward_query, forward_path }
        const location = locationOf(target, link, () => passed)
        const [before, after] = [new URL(target), new URL(location)]
        const originOf = (url: URL) => [url.protocol, url.username, url.password, url.host]
        expect(originOf(after)).toEqual(originOf(before))
        // The visitor's own query is forwarded unchanged, as serialized in the request.
        if (forward_query === 0) expect(after.href).toBe(location)
        if (!target.includes('%7B')) expect(after.pathname).toStartWith(before.pathname)
        expect(location.length).toBeLessThanOrEqual(8192)
      },
    ),
    { numRuns: 100_000 },
  )
})
