import { expect, test } from 'bun:test'
import { isOwn, onlyLinks } from './only-links.ts'

const isLinks = onlyLinks({ noOf: (host) => ({ 'sl.example': 0, 'go.example': 3 })[host] })

test.each([
  ['/spring-sale', true, true],
  // Other endpoints of the instance's own host.
  ['/api', false, true],
  ['/livez', false, true],
  ['/readyz', false, true],
  ['/metrics', false, true],
  // Not a slug without a doubt.
  ['/', false, false],
  ['/robots.txt', false, false],
  ['/favicon.ico', false, false],
  ['/.well-known/security.txt', false, false],
  ['/a/b', false, false],
])(
  '%s is a link’s without a doubt: at the instance %p, on a short domain %p',
  (path, own, short) => {
    expect(isLinks(path, `http://sl.example${path}`)).toBe(own)
    expect(isLinks(path, `http://go.example${path}`)).toBe(short)
  },
)

test('knows which paths are its own', () => {
  for (const path of [
    '/api',
    '/api/v1/links',
    '/api/nothing',
    '/docs',
    '/docs/',
    '/openapi.json',
    '/app',
    '/app/api/v1/links',
    '/app/sign-in',
    '/shared/0123456789abcdef',
  ]) {
    expect(isOwn(path)).toBe(true)
  }
  for (const path of [
    '/',
    '/abc',
    '/apis',
    '/docs2',
    '/docsify',
    '/livez',
    '/API',
    '/apps',
    '/App',
  ]) {
    expect(isOwn(path)).toBe(false)
  }
})
