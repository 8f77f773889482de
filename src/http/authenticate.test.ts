import { afterAll, describe, expect, test } from 'bun:test'
import { createTestApi } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

async function ask(authorization: string | null, method = 'GET', path = '/api/v1/hosts/a') {
  const response = await t.send(method, path, { headers: { Authorization: authorization } })
  const { error } = (await response.json()) as { error?: { code: string } }
  const challenge = response.headers.get('WWW-Authenticate')
  return { status: response.status, code: error?.code, challenge }
}

describe('authentication', () => {
  test('accepts a Bearer credential, with the scheme in any case', async () => {
    for (const header of ['Bearer writer', 'bearer writer', 'BEARER   writer', ' Bearer writer ']) {
      expect((await ask(header)).status).toBe(200)
    }
  })

  test('requires a credential', async () => {
    for (const header of [
      null,
      '',
      'Bearer',
      'Bearer ',
      'Basic d3JpdGVy',
      'writer',
      'Bearerwriter',
    ]) {
      expect(await ask(header)).toEqual({
        status: 401,
        code: 'UNAUTHORIZED',
        challenge: 'Bearer realm="slugline"',
      })
    }
  })

  test('gives the same answer for all bad credentials', async () => {
    for (const header of [
      'Bearer unknown',
      'Bearer wri ter',
      'Bearer writer, Bearer x',
      'Bearer "',
    ]) {
      expect(await ask(header)).toEqual({
        status: 401,
        code: 'INVALID_API_KEY',
        challenge: 'Bearer realm="slugline", error="invalid_token"',
      })
    }
  })

  test('names the missing scope, before it validates the request', async () => {
    for (const [method, path] of [
      ['POST', '/api/v1/hosts'],
      ['PATCH', '/api/v1/hosts/a'],
      ['DELETE', '/api/v1/hosts/a'],
    ] as const) {
      expect(await ask('Bearer reader', method, path)).toEqual({
        status: 403,
        code: 'INSUFFICIENT_SCOPE',
        challenge: 'Bearer realm="slugline", error="insufficient_scope", scope="links:write"',
      })
    }
  })

  test('is not required for public endpoints', async () => {
    for (const header of [null, 'Bearer unknown']) {
      expect((await ask(header, 'GET', '/api/v1/words')).status).toBe(200)
    }
  })
})
