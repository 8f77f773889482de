import { afterAll, describe, expect, test } from 'bun:test'
import { createTestApi, type SendInit } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

async function post(
  body: SendInit['body'] | undefined,
  headers: Record<string, string | null> = {},
) {
  const init = { headers: { 'Content-Type': 'application/json', ...headers } }
  const response = await t.send(
    'POST',
    '/api/v1/hosts',
    body === undefined ? init : { ...init, body },
  )
  const text = await response.text()
  const { error } = JSON.parse(text) as { error?: { code: string } }
  return { status: response.status, code: error?.code, headers: response.headers, text }
}

const bytes = (...values: number[]) => new Uint8Array(values)
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

describe('a body', () => {
  const bad: [string, SendInit['body'] | undefined][] = [
    ['no body', undefined],
    ['an empty one', ''],
    ['broken syntax', '{"no":1'],
    ['a trailing comma', '{"no":1,}'],
    ['single quotes', "{'no':1}"],
    ['a comment', '{"no":1}//'],
    ['NaN', '{"no":NaN}'],
    ['two values', '{} {}'],
    ['a control character in a string', '{"host":"a\nb"}'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a byte-order mark', '\ufeff{}'],
    ['UTF-16', bytes(0x7b, 0, 0x7d, 0)],
    ['broken UTF-8', bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['an overlong form', bytes(0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d)],
    ['an encoded surrogate', bytes(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d)],
    ['half a pair', String.raw`{"host":"\ud800"}`],
    ['half a pair in a name', String.raw`{"\udfff":1}`],
    ['halves in the wrong order', String.raw`{"host":"\ude00\ud83d"}`],
    ['a member twice', '{"no":1,"no":2}'],
    ['a member twice, once escaped', String.raw`{"no":1,"n\u006f":2}`],
    ['a member twice, deep inside', '{"a":[{"b":{"c":1,"c":1}}]}'],
    ['a member twice, called __proto__', '{"__proto__":1,"__proto__":2}'],
    ['33 levels', nested(33)],
    ['30,000 levels', nested(30_000)],
  ]
  for (const [name, body] of bad) {
    test(`${name} is INVALID_JSON`, async () => {
      const { status, code } = await post(body)
      expect([status, code]).toEqual([400, 'INVALID_JSON'])
    })
  }

  const good: [string, string][] = [
    ['32 levels', nested(32)],
    ['a whole pair', String.raw`{"host":"\ud83d\ude00"}`],
    ['colons and quotes in strings', String.raw`{"a:\"b":"c\\","d":"{\"a:\":1}:\\\""}`],
    ['a member called __proto__', '{"__proto__":{"x":1}}'],
    ['the same member in two objects', '{"a":{"x":1},"b":{"x":1}}'],
    ['a number beyond a double', '{"no":1e999,"host":"x"}'],
    ['white space', ' \t\r\n{ } \n'],
  ]
  for (const [name, body] of good) {
    test(`${name}: well-formed, up to the schema`, async () => {
      expect((await post(body)).code).toBe('VALIDATION_FAILED')
    })
  }

  test('must be declared as JSON', async () => {
    for (const type of [
      null,
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=iso-8859-1',
      'application/jsonx',
      'application/merge-patch+json',
      'application/json, text/plain',
    ]) {
      const { status, code, headers } = await post('{}', { 'Content-Type': type })
      expect([status, code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect(headers.get('Accept-Post')).toBe('application/json')
    }
    for (const type of [
      'application/json',
      'Application/JSON;Charset="UTF-8"',
      'application/json; profile="x"; charset = utf-8 ;',
    ]) {
      expect((await post('{}', { 'Content-Type': type })).status).toBe(422)
    }
  })

  test('must not be compressed, and the error names the header', async () => {
    const { status, headers, text } = await post('{}', { 'Content-Encoding': 'gzip' })
    expect(status).toBe(415)
    expect(headers.get('Accept-Encoding')).toBe('identity')
    expect(JSON.parse(text).error.details).toMatchObject([
      { field: 'Content-Encoding', code: 'INVALID_HEADER' },
    ])
    expect((await post('{}', { 'Content-Encoding': 'identity' })).status).toBe(422)
  })

  test('of PATCH may be a merge patch, and the error says so', async () => {
    const patch = (type: string) =>
      t.send('PATCH', '/api/v1/hosts/a', { body: {}, headers: { 'Content-Type': type } })
    for (const type of ['application/merge-patch+json', 'application/json; charset=utf-8']) {
      expect((await patch(type)).status).toBe(200)
    }
    const refused = await patch('application/json-patch+json')
    expect(refused.status).toBe(415)
    expect(refused.headers.get('Accept-Patch')).toContain('application/merge-patch+json')
  })

  test('may have 64 KiB, with or without a Content-Length', async () => {
    const fill = (length: number) => `{"host":"${'x'.repeat(length - 11)}"}`
    const stream = (text: string) => new Blob([text]).stream()
    expect((await post(fill(65_536))).status).toBe(422)
    expect((await post(stream(fill(65_536)))).status).toBe(422)
    expect((await post(fill(65_537))).code).toBe('PAYLOAD_TOO_LARGE')
    expect((await post(stream(fill(65_537)))).code).toBe('PAYLOAD_TOO_LARGE')
    // The declared length is enough: nothing is read.
    const endless = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const { status } = await post(endless, { 'Content-Length': '65537' })
    expect(status).toBe(413)
  })
})
