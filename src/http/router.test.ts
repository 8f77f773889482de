import { describe, expect, test } from 'bun:test'
import { createRouter } from './router.ts'

function routerOf(...routes: string[]) {
  const router = createRouter<string>()
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ')
    router.add(method, path, route)
  }
  return router
}

describe('the router', () => {
  const router = routerOf(
    'GET /links/{id}',
    'PATCH /links/{id}',
    'GET /links/lookup',
    'GET /links/{id}/history',
    'POST /links/{id}/restore',
    'PUT /links/external/{external_id}',
    'GET /links.csv',
  )
  const found = (method: string, path: string) => router.match(method, path)

  test('takes no fixed segment for a parameter, with any method and in any order', () => {
    expect(found('GET', '/links/lookup')?.route).toBe('GET /links/lookup')
    expect(found('PATCH', '/links/lookup')).toBeUndefined()
    expect(found('GET', '/links/lookup/history')).toBeUndefined()
    expect(found('GET', '/links/external')).toBeUndefined()
    expect(found('GET', '/links/external/history')).toBeUndefined()
    expect(found('POST', '/links/external/restore')).toBeUndefined()
    expect(found('PUT', '/links/external/history')?.params).toEqual({ external_id: 'history' })
  })

  test('knows a fixed segment in any percent-encoding', () => {
    expect(found('GET', '/links/%6cookup')?.route).toBe('GET /links/lookup')
    expect(found('GET', '/%6C%69nks/%6Cooku%70')?.route).toBe('GET /links/lookup')
    expect(found('PATCH', '/links/%6cookup')).toBeUndefined()
    expect(found('POST', '/links/e%78ternal/restore')).toBeUndefined()
    expect(found('GET', '/links%2Fa')).toBeUndefined()
    expect(found('PATCH', '/links/%zz')?.params).toEqual({ id: '%zz' })
  })

  test('gives the values of parameters as they were sent', () => {
    expect(found('GET', '/links/a%2Fb/history')?.params).toEqual({ id: 'a%2Fb' })
    expect(found('GET', '/links/__proto__')?.params).toEqual({ id: '__proto__' })
    expect(found('GET', '/links.csv')?.route).toBe('GET /links.csv')
  })

  test('finds nothing at empty segments, too few or too many', () => {
    for (const path of ['/links//history', '/links', '/', '', '/links/a/b/c', '//links/a']) {
      expect(found('GET', path)).toBeUndefined()
    }
  })

  test('finds a route for everything below a path, unless a more exact one is there', () => {
    const mounted = routerOf('GET /auth/me')
    mounted.addBelow('/auth', 'below')
    expect(mounted.match('GET', '/auth/me')?.route).toBe('GET /auth/me')
    for (const path of ['/auth', '/auth/', '/auth/a/b', '/auth/me']) {
      expect(mounted.match('POST', path)?.route).toBe('below')
    }
    expect(mounted.match('GET', '/authentic')).toBeUndefined()
  })
})
