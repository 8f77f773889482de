import { afterAll, describe, expect, test } from 'bun:test'
import { StorageUnavailable } from '../platform/storage/index.ts'
import { createTestApi } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

const REQUEST_ID = /^req_[0-9a-hjkmnp-tv-z]{26}$/

async function errorOf(response: Response) {
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).slice(0, 3)).toEqual(['code', 'message', 'request_id'])
  expect(body.error.request_id).toBe(response.headers.get('X-Request-Id') as string)
  return body.error
}

describe('every response', () => {
  test('has a request id of its own, whatever the client sends', async () => {
    const seen = new Set<string>()
    for (const [method, path] of [
      ['GET', '/api/v1/hosts/a'],
      ['HEAD', '/api/v1/hosts/a'],
      ['OPTIONS', '/api/v1/hosts/a'],
      ['GET', '/api/v1/hosts/broken'],
      ['GET', '/nowhere'],
      ['PUT', '/api/v1/hosts/a'],
    ] as const) {
      const headers = { 'X-Request-Id': 'my-own-request' }
      const id = (await t.send(method, path, { headers })).headers.get('X-Request-Id')
      expect(id).toMatch(REQUEST_ID)
      seen.add(id as string)
    }
    expect(seen.size).toBe(6)
  })

  test('logs the client’s own id if it is well-formed', async () => {
    for (const [id, expected] of [
      ['my-own.request_1', 'my-own.request_1'],
      ['short', undefined],
      ['with spaces in it', undefined],
      ['x'.repeat(129), undefined],
    ] as const) {
      await t.send('GET', '/api/v1/hosts/a?secret=1', { headers: { 'X-Request-Id': id } })
      const { fields } = t.logged.at(-1) as (typeof t.logged)[0]
      expect(fields.client_request_id).toBe(expected)
      expect(fields.route).toBe('/api/v1/hosts/{id}')
      expect(JSON.stringify(fields)).not.toContain('secret')
    }
  })

  test('has the security and CORS headers', async () => {
    for (const path of ['/api/v1/hosts/a', '/nowhere']) {
      const { headers } = await t.send('GET', path)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Content-Security-Policy')).toStartWith("default-src 'none'")
      expect(headers.get('Cache-Control')).toBe('private, no-cache')
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Request-Id')
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
      expect(headers.get('Strict-Transport-Security')).toBeNull()
    }
  })

  test('has HSTS if the public URL is https', async () => {
    const secure = await createTestApi({ baseUrl: 'https://s.example' })
    const { headers } = await secure.send('GET', '/api/v1/hosts/a')
    expect(headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d{8}/)
    await secure.close()
  })
})

describe('methods and paths', () => {
  test('HEAD is GET without the body', async () => {
    const get = await t.send('GET', '/api/v1/hosts/a')
    const head = await t.send('HEAD', '/api/v1/hosts/a')
    expect(head.status).toBe(200)
    expect(head.headers.get('ETag')).toBe(get.headers.get('ETag'))
    expect(head.headers.get('Content-Length')).toBe(String((await get.text()).length))
    expect(await head.text()).toBe('')
  })

  test('OPTIONS returns the methods, also to browsers', async () => {
    const one = await t.send('OPTIONS', '/api/v1/hosts/a', { headers: { Authorization: null } })
    expect(one.status).toBe(204)
    const allow = (one.headers.get('Allow') as string).split(', ').sort()
    expect(allow).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH'])
    expect(one.headers.get('Access-Control-Allow-Methods')).toBe(one.headers.get('Allow'))
    expect(one.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    expect(one.headers.get('Access-Control-Max-Age')).toMatch(/^\d+$/)
    expect(one.headers.get('Accept-Patch')).toContain('application/merge-patch+json')
    const all = await t.send('OPTIONS', '/api/v1/hosts')
    expect(all.headers.get('Accept-Patch')).toBeNull()
    expect((await t.send('OPTIONS', '/nowhere')).status).toBe(404)
  })

  test('an unsupported method is 405', async () => {
    for (const [method, path] of [
      ['PUT', '/api/v1/hosts/a'],
      ['GET', '/api/v1/hosts'],
      ['HEAD', '/api/v1/hosts'],
      ['DELETE', '/api/v1/words'],
      ['PROPFIND', '/api/v1/words/'],
    ] as const) {
      const response = await t.send(method, path)
      expect(response.status).toBe(405)
      expect(response.headers.get('Allow')).toContain('OPTIONS')
    }
    const response = await t.send('PUT', '/api/v1/hosts/a')
    expect((await errorOf(response)).code).toBe('METHOD_NOT_ALLOWED')
    expect(response.headers.get('Allow')).toBe('GET, HEAD, PATCH, DELETE, OPTIONS')
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('Allow')
  })

  test('a trailing slash makes no difference', async () => {
    expect((await t.send('GET', '/api/v1/hosts/a/')).status).toBe(200)
    expect((await t.send('GET', '/api/v1/words/?lang=de')).status).toBe(200)
  })

  test('unusual paths are found or not found, never errors', async () => {
    for (const path of [
      '/api/v1/hosts/%zz',
      '/api/v1/hosts/%ff%fe',
      '/api/v1/hosts/%00?lang=%zz',
    ]) {
      expect((await t.send('GET', path)).status).toBe(200)
    }
    for (const path of ['//', '/%', '/api/v1/hosts/a/b', '/api//v1/hosts/a', '/API/V1/hosts/a']) {
      const response = await t.send('GET', path)
      expect(response.status).toBe(404)
      expect((await errorOf(response)).code).toBe('NOT_FOUND')
    }
  })
})

describe('errors', () => {
  test('reveal no internals', async () => {
    const response = await t.send('GET', '/api/v1/hosts/broken')
    expect(response.status).toBe(500)
    const error = await errorOf(response)
    expect(error.code).toBe('INTERNAL_ERROR')
    expect(JSON.stringify(error)).not.toContain('SELECT')
    const entry = t.logged.findLast(({ level }) => level === 'error')
    expect(entry?.fields.request_id).toBe(error.request_id)
    expect((entry?.fields.err as Error | undefined)?.stack).toContain('SELECT')
  })

  test('are RFC 9457 for clients that accept nothing else', async () => {
    const accept = 'application/problem+json'
    const response = await t.send('POST', '/api/v1/hosts', { body: {}, headers: { accept } })
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    const problem = (await response.json()) as Record<string, unknown>
    expect(problem).toMatchObject({
      type: 'http://localhost:3000/docs/errors#VALIDATION_FAILED',
      status: 422,
      code: 'VALIDATION_FAILED',
      request_id: response.headers.get('X-Request-Id'),
      details: [
        { field: 'no', code: 'REQUIRED' },
        { field: 'host', code: 'REQUIRED' },
      ],
    })
    const both = { accept: 'application/problem+json, application/json' }
    await errorOf(await t.send('GET', '/api/v1/hosts/missing', { headers: both }))
    // Media types are case-insensitive, and a weight alone is no alternative.
    const shouted = { accept: 'Application/Problem+JSON;q=0.5' }
    const other = await t.send('GET', '/api/v1/hosts/missing', { headers: shouted })
    expect(other.headers.get('Content-Type')).toBe('application/problem+json')
  })

  test('name every failing field and suggest free slugs', async () => {
    const invalid = await t.send('POST', '/api/v1/hosts', { body: { no: 'x', host: 1, z: 1 } })
    expect(invalid.status).toBe(422)
    const { details } = (await errorOf(invalid)) as { details: { field: string; code: string }[] }
    expect(details.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'no INVALID_TYPE',
      'host INVALID_TYPE',
      'z UNKNOWN_FIELD',
    ])
    await t.send('POST', '/api/v1/hosts', { body: { no: 7, host: 'taken.example' } })
    const taken = await t.send('POST', '/api/v1/hosts', { body: { no: 8, host: 'taken.example' } })
    expect(taken.status).toBe(409)
    expect((await errorOf(taken)).suggestions).toEqual(['b', 'c', 'd'])
  })

  test('link to the page that explains their code', async () => {
    const { headers } = await t.send('GET', '/api/v1/hosts/missing')
    expect(headers.get('Link')).toBe(
      '<http://localhost:3000/docs/errors#LINK_NOT_FOUND>; rel="help"',
    )
  })

  test('are problems only for clients that accept them', async () => {
    for (const accept of ['application/problem+json;q=0', 'application/problem+json;q=0, */*']) {
      const response = await t.send('GET', '/api/v1/hosts/missing', { headers: { accept } })
      expect(response.headers.get('Content-Type')).toBe('application/json')
    }
  })

  test('an unknown parameter is 422, on every endpoint', async () => {
    const detailsOf = async (method: string, path: string, body?: object) => {
      const response = await t.send(method, path, body === undefined ? {} : { body })
      expect(response.status).toBe(422)
      const { details } = (await errorOf(response)) as { details: Record<string, string>[] }
      return details.map(({ field, code }) => `${field} ${code}`)
    }
    expect(await detailsOf('GET', '/api/v1/hosts/a?limit=5&x=1&__proto__=2')).toEqual([
      'x UNKNOWN_PARAMETER',
      '__proto__ UNKNOWN_PARAMETER',
    ])
    expect(await detailsOf('GET', '/api/v1/words?workspace=1')).toEqual([
      'workspace UNKNOWN_PARAMETER',
    ])
    expect(await detailsOf('GET', '/api/v1/hosts/a?limit=0&x=1')).toEqual([
      'x UNKNOWN_PARAMETER',
      'limit OUT_OF_RANGE',
    ])
    const body = { no: 900, host: 'unknown.example' }
    expect(await detailsOf('POST', '/api/v1/hosts?dry=1', body)).toEqual(['dry UNKNOWN_PARAMETER'])
    expect((await t.send('GET', '/api/v1/hosts/a?limit=5&lang=de')).status).toBe(200)
  })

  test('two names of one parameter are 422', async () => {
    const response = await t.send('GET', '/api/v1/hosts/a?limit=5&per_page=5')
    expect((await errorOf(response)).details).toMatchObject([
      { field: 'per_page', code: 'CONFLICTING_PARAMETERS' },
    ])
    expect((await t.send('GET', '/api/v1/hosts/a?per_page=5')).status).toBe(200)
  })

  test('a known parameter with a bad value is 422', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1&limit=2']) {
      expect((await t.send('GET', `/api/v1/hosts/a?${query}`)).status).toBe(422)
    }
  })

  test('an unavailable storage is 503 with Retry-After', async () => {
    const away = await createTestApi({
      storage: {
        ...t.storage,
        write: () => Promise.reject(new StorageUnavailable('disk full')),
        close: async () => {},
      },
    })
    const response = await away.send('POST', '/api/v1/hosts', { body: { no: 1, host: 'x' } })
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    expect((await errorOf(response)).code).toBe('SERVICE_UNAVAILABLE')
    await away.close()
  })
})

describe('the language', () => {
  const languageOf = async (path: string, acceptLanguage: string | null, api = t) => {
    const response = await api.send('GET', path, { headers: { 'Accept-Language': acceptLanguage } })
    expect(response.headers.get('Vary')).toContain('Accept-Language')
    return response.headers.get('Content-Language')
  }

  test('comes from lang, Accept-Language, the workspace, English', async () => {
    const german = await createTestApi({ language: 'de' })
    const path = '/api/v1/hosts/missing'
    expect(await languageOf(`${path}?lang=fr`, 'es', german)).toBe('fr')
    expect(await languageOf(`${path}?lang=tlh`, 'es', german)).toBe('es')
    expect(await languageOf(path, 'tlh', german)).toBe('de')
    expect(await languageOf(path, null, german)).toBe('de')
    expect(await languageOf(path, null)).toBe('en')
    await german.close()
  })

  test('reaches every text', async () => {
    const init = { body: {}, headers: { 'Accept-Language': 'en-XA' } }
    const error = await errorOf(await t.send('POST', '/api/v1/hosts', init))
    const texts = [error, ...(error.details as { message: string }[])].map(({ message }) => message)
    for (const text of texts) expect(text).toMatch(/[^\x20-\x7e]/)
  })

  test('has a header if something is localized, and only then', async () => {
    expect(await languageOf('/api/v1/words?lang=ja', null)).toBe('ja')
    const { headers } = await t.send('GET', '/api/v1/hosts/a?lang=ja')
    expect(headers.get('Content-Language')).toBeNull()
  })
})
