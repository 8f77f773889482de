import { describe, expect, test } from 'bun:test'
import { addressKey } from '../lib/base/client-address.ts'
import { createTestApi, type TestApiOptions } from './testing/api.ts'

const NAMES = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

async function withApi(
  options: TestApiOptions,
  body: (t: Awaited<ReturnType<typeof createTestApi>>) => Promise<void>,
): Promise<void> {
  const t = await createTestApi(options)
  await body(t).finally(t.close)
}

const get = ['GET', '/api/v1/hosts/a'] as const
const free = { limits: { requests_per_minute: 60, burst: 60 } }
const small = { limits: { requests_per_minute: 30, burst: 3 } }
const left = (response: Response) => Number(response.headers.get('X-RateLimit-Remaining'))
const headersOf = (response: Response) => NAMES.map((name) => response.headers.get(name))

describe('the rate limit', () => {
  test('returns the remaining requests', () =>
    withApi(free, async (t) => {
      const reset = String(t.clock.ms / 1000 + 1)
      expect(headersOf(await t.send(...get))).toEqual([
        '"api";q=60;w=60',
        '"api";r=59;t=1',
        '60',
        '59',
        reset,
      ])
      expect(left(await t.send(...get))).toBe(58)
      t.clock.ms += 60_000
      expect(left(await t.send(...get))).toBe(59)
    }))

  test('returns the rate of the plan', () =>
    withApi(small, async (t) => {
      expect((await t.send(...get)).headers.get('RateLimit-Policy')).toBe('"api";q=30;w=60')
    }))

  test('refuses excess requests, and allows a retry after Retry-After', () =>
    withApi({ limits: { requests_per_minute: 7, burst: 3 } }, async (t) => {
      for (let round = 0; round < 20; round++) {
        let response = await t.send(...get)
        while (response.status === 200) response = await t.send(...get)
        expect(response.status).toBe(429)
        const { error } = (await response.json()) as { error: { code: string } }
        expect(error.code).toBe('RATE_LIMITED')
        expect(left(response)).toBe(0)
        const header = response.headers.get('Retry-After') as string
        expect(header).toMatch(/^[1-9]\d*$/)
        t.clock.ms += Number(header) * 1000 + round
        expect((await t.send(...get)).status).toBe(200)
      }
    }))

  test('is shared by all keys of a workspace, separate from others', () =>
    withApi(small, async (t) => {
      await t.send(...get)
      const as = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })
      expect(left(await t.send(...get, as('reader')))).toBe(1)
      expect(left(await t.send(...get, as('stranger')))).toBe(2)
    }))

  test('doesn’t count 401 and 403', () =>
    withApi(small, async (t) => {
      const reader = { Authorization: 'Bearer reader' }
      for (let i = 0; i < 10; i++) {
        const unknown = await t.send(...get, { headers: { Authorization: 'Bearer unknown' } })
        expect(unknown.status).toBe(401)
        expect(headersOf(unknown)).toEqual([null, null, null, null, null])
        const scope = await t.send('DELETE', '/api/v1/hosts/a', { headers: reader })
        expect(scope.status).toBe(403)
        expect(left(scope)).toBe(3)
      }
      expect(left(await t.send(...get))).toBe(2)
    }))

  test('counts requests refused by a plan’s limit', () =>
    withApi(small, async (t) => {
      const body = { no: 1, host: 'full.example' }
      for (const expected of [2, 1, 0]) {
        const full = await t.send('POST', '/api/v1/hosts', { body })
        expect([full.status, left(full)]).toEqual([403, expected])
      }
      expect((await t.send('POST', '/api/v1/hosts', { body })).status).toBe(429)
    }))

  test('counts other failures', () =>
    withApi(small, async (t) => {
      expect(left(await t.send('GET', '/api/v1/hosts/missing'))).toBe(2)
      expect(left(await t.send('POST', '/api/v1/hosts', { body: {} }))).toBe(1)
    }))

  test('counts requests without an endpoint, with headers', () =>
    withApi(small, async (t) => {
      expect(left(await t.send('GET', '/api/v1/nothing'))).toBe(2)
      const wrongMethod = await t.send('PUT', '/api/v1/hosts/a')
      expect([wrongMethod.status, left(wrongMethod)]).toEqual([405, 1])
      expect(left(await t.send('GET', '/api/v1/nothing'))).toBe(0)
      const refused = await t.send('GET', '/api/v1/nothing')
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2'])
      // A preflight has no key, and isn't counted.
      expect((await t.send('OPTIONS', '/api/v1/hosts/a')).status).toBe(204)
    }))

  test('sends no number if the plan has none', () =>
    withApi({}, async (t) => {
      expect(headersOf(await t.send(...get))).toEqual([null, null, null, null, null])
    }))
})

describe('requests without a key', () => {
  test('are limited per address', () =>
    withApi({ anonymousPerMinute: 3 }, async (t) => {
      const anonymous = (peer: string) => t.send('GET', '/api/v1/words', { peer })
      const unknown = { headers: { Authorization: 'Bearer unknown' }, peer: '192.0.2.1' }
      expect((await anonymous('192.0.2.1')).status).toBe(200)
      expect((await t.send(...get, unknown)).status).toBe(401)
      expect((await t.send(...get, { headers: { Authorization: null } })).status).toBe(401)
      const refused = await anonymous('192.0.2.1')
      expect(refused.status).toBe(429)
      expect((await t.send(...get, unknown)).status).toBe(429)
      expect((await anonymous('192.0.2.2')).status).toBe(200)
      expect((await t.send(...get)).status).toBe(200)
      t.clock.ms += Number(refused.headers.get('Retry-After')) * 1000
      expect((await anonymous('192.0.2.1')).status).toBe(200)
    }))

  test('are limited without an endpoint, too', () =>
    withApi({ anonymousPerMinute: 2 }, async (t) => {
      const nowhere = (headers: Record<string, string | null>) =>
        t.send('GET', '/api/v1/nothing', { headers })
      expect((await nowhere({ Authorization: null })).status).toBe(404)
      expect((await nowhere({ Authorization: 'Bearer unknown' })).status).toBe(404)
      expect((await nowhere({ Authorization: null })).status).toBe(429)
      expect((await nowhere({})).status).toBe(404)
    }))

  test('are counted by the /64 of an IPv6 address', () => {
    expect(addressKey('2001:db8:1:2::1')).toBe(addressKey('2001:db8:1:2:ffff::9'))
    expect(addressKey('2001:db8:1:2::1')).not.toBe(addressKey('2001:db8:1:3::1'))
    expect(addressKey('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(addressKey('192.0.2.1')).toBe('192.0.2.1')
  })
})
