import { afterAll, describe, expect, test } from 'bun:test'
import { createTestApi } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

describe('entity tags', () => {
  const etagOf = async (headers = {}) =>
    (await t.send('GET', '/api/v1/hosts/a', { headers })).headers.get('ETag') as string

  test('name the version and a digest of everything else', async () => {
    const etag = await etagOf()
    expect(etag).toMatch(/^"3\.[0-9a-z]+"$/)
    expect(await etagOf()).toBe(etag)
    // The same version in another workspace has another body, hence another tag.
    const headers = { Authorization: 'Bearer stranger' }
    expect(await etagOf(headers)).not.toBe(etag)
    const stale = { ...headers, 'If-None-Match': etag }
    expect((await t.send('GET', '/api/v1/hosts/a', { headers: stale })).status).toBe(200)
  })

  test('If-None-Match compares weakly, in lists too', async () => {
    const ask = (value: string, method = 'GET') =>
      t.send(method, '/api/v1/hosts/a', { headers: { 'If-None-Match': value } })
    const etag = await etagOf()
    for (const value of [etag, `W/${etag}`, `"1", ${etag}`, `W/"a,b" ,W/${etag}`, '*']) {
      const response = await ask(value)
      expect(response.status).toBe(304)
      expect(response.headers.get('ETag')).toBe(etag)
      expect(response.headers.get('Content-Type')).toBeNull()
      expect(response.headers.get('X-Request-Id')).not.toBeNull()
      expect(await response.text()).toBe('')
    }
    expect((await ask(etag, 'HEAD')).status).toBe(304)
    for (const value of ['"3"', '"2"', '3', '"3', '', '"x 3"', '"3.x"']) {
      expect((await ask(value)).status).toBe(200)
    }
  })

  test('If-Match compares the version alone, strongly', async () => {
    const patch = async (value: string) =>
      (await t.send('PATCH', '/api/v1/hosts/a', { body: {}, headers: { 'If-Match': value } }))
        .status
    for (const value of ['"3"', '"1", "3"', '*', '"3.any"', await etagOf()]) {
      expect(await patch(value)).toBe(200)
    }
    for (const value of ['"2"', '"2.3"', '"33"', 'W/"3"', '3', ''])
      expect(await patch(value)).toBe(412)
  })

  test('If-None-Match refuses a change of what it names', async () => {
    const patch = async (value: string) =>
      (await t.send('PATCH', '/api/v1/hosts/a', { body: {}, headers: { 'If-None-Match': value } }))
        .status
    for (const value of ['*', '"3"', '"3.x"', 'W/"3"', '"1", "3"']) {
      expect(await patch(value)).toBe(412)
    }
    for (const value of ['"2"', '3', '']) expect(await patch(value)).toBe(200)
  })

  test('publicly cached responses have one of their content', async () => {
    const first = await t.send('GET', '/api/v1/words?lang=de')
    const etag = first.headers.get('ETag') as string
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=300')
    const headers = { 'If-None-Match': etag }
    expect((await t.send('GET', '/api/v1/words?lang=de', { headers })).status).toBe(304)
    expect((await t.send('GET', '/api/v1/words?lang=fr', { headers })).status).toBe(200)
  })
})
