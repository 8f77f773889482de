import { afterAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { createLoopWatch } from '../../test/harness/loop-watch.ts'
import { endpoint } from './api.ts'
import { createTestApi } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

const long = 'a long text, '.repeat(200)
/** Bytes that compress badly, as text. */
const huge = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
  .toString('hex')
  .repeat(128)
const success = { status: 200, description: 'A text.' } as const
const common = { tag: 'Texts', summary: 'A text', method: 'get', success } as const
for (const [name, text] of [
  ['long', long],
  ['huge', huge],
  ['short', 'short'],
] as const) {
  endpoint(t.api, {
    ...common,
    path: `/api/v1/${name}`,
    scope: 'links:read',
    operationId: `get${name}`,
    handler: () => ({ status: 200, body: { text }, version: 7 }),
  })
}
endpoint(t.api, {
  ...common,
  path: '/api/v1/secret',
  scope: 'links:read',
  secret: true,
  operationId: 'getSecret',
  handler: () => ({ status: 200, body: { text: long } }),
})

const get = (path: string, accepted: string | null, headers = {}) =>
  t.send('GET', path, { headers: { 'Accept-Encoding': accepted, ...headers } })

describe('compression', () => {
  const decode: Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array> = {
    zstd: Bun.zstdDecompressSync,
    gzip: Bun.gunzipSync,
    br: brotliDecompressSync,
  }

  test('serves the codings that a client accepts', async () => {
    for (const [accepted, coding] of [
      ['gzip, br, zstd', 'zstd'],
      ['gzip;q=0.5, br;q=0.1', 'gzip'],
      ['zstd;q=0, BR', 'br'],
    ] as const) {
      const response = await get('/api/v1/long', accepted)
      expect(response.headers.get('Content-Encoding')).toBe(coding)
      expect(response.headers.get('Vary')).toContain('Accept-Encoding')
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.length).toBeLessThan(300)
      const text = Buffer.from(decode[coding]?.(bytes) ?? []).toString()
      expect(JSON.parse(text)).toEqual({ text: long })
    }
  })

  test('of a large response doesn’t hold the event loop', async () => {
    for (const coding of ['zstd', 'gzip', 'br']) {
      const watch = createLoopWatch()
      const response = await get('/api/v1/huge', coding)
      await Bun.sleep(5)
      expect(watch.stop()).toBeLessThan(250)
      expect(response.headers.get('Content-Encoding')).toBe(coding)
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(JSON.parse(Buffer.from(decode[coding]?.(bytes) ?? []).toString())).toEqual({
        text: huge,
      })
    }
  })

  test('skips short responses, those with secrets, and clients that accept none', async () => {
    for (const [path, accepted] of [
      ['/api/v1/short', 'gzip'],
      ['/api/v1/secret', 'gzip'],
      ['/api/v1/long', null],
      ['/api/v1/long', 'identity'],
      ['/api/v1/long', 'gzip;q=0'],
    ] as const) {
      const response = await get(path, accepted)
      expect(response.headers.get('Content-Encoding'), `${path} ${accepted}`).toBeNull()
      expect(await response.json()).toHaveProperty('text')
    }
    const { headers } = await get('/api/v1/long', null)
    expect(headers.get('Vary')).toContain('Accept-Encoding')
  })

  test('has a strong tag per coding, and recognizes each of them', async () => {
    const tags = new Set<string>()
    for (const coding of ['identity', 'gzip', 'zstd', 'br']) {
      tags.add((await get('/api/v1/long', coding)).headers.get('ETag') as string)
    }
    expect(tags.size).toBe(4)
    for (const tag of tags) {
      const response = await get('/api/v1/long', 'gzip', { 'If-None-Match': tag })
      expect(response.status).toBe(304)
      expect(response.headers.get('Content-Encoding')).toBeNull()
    }
  })

  test('HEAD has the length of GET', async () => {
    const send = { headers: { 'Accept-Encoding': 'gzip' } }
    const bytes = await (await t.send('GET', '/api/v1/long', send)).bytes()
    const head = await t.send('HEAD', '/api/v1/long', send)
    expect(head.headers.get('Content-Length')).toBe(String(bytes.length))
    expect(await head.text()).toBe('')
  })
})
