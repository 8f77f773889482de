import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Slugline, startSlugline } from '../harness/process.ts'

let slugline: Slugline
let key: string

beforeAll(async () => {
  slugline = await startSlugline({ LOG_LEVEL: 'error' })
  key = (await slugline.createKey()).key
})
afterAll(() => slugline.dispose())

/** Sends raw bytes; resolves with everything received when the connection has ended. */
function raw(chunks: (string | Uint8Array)[], { end = true } = {}): Promise<string> {
  const { port } = new URL(slugline.url)
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk)
      if (end) socket.end()
    })
    socket.on('data', (data) => {
      answer += data.toString('latin1')
      if (!end) socket.end()
    })
    socket.on('error', () => resolve(answer))
    socket.on('close', () => resolve(answer))
  })
}

const post = (headers: string, body: string) =>
  `POST /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n\r\n${body}`

test('malformed HTTP is refused without a 5xx, and the server continues', async () => {
  const cases: (string | Uint8Array)[][] = [
    ['\r\n\r\n\r\n'],
    ['GET\r\n\r\n'],
    ['GET / HTTP/9.9\r\n\r\n'],
    ['GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET /%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET /%ff%fe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET //evil.example/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET http://evil.example/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET /x HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['GET /x HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n'],
    [`GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
    [`GET /x HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(5000)}\r\n`],
    [`GET /x HTTP/1.1\r\nHost: x\r\nX-Long: ${'v'.repeat(100_000)}\r\n\r\n`],
    ['GET /x HTTP/1.1\r\nHost: x\r\nX-Bad: a\u0000b\r\nConnection: close\r\n\r\n'],
    ['GET /x HTTP/1.1\r\nHost: x\r\n folded: header\r\nConnection: close\r\n\r\n'],
    [post('Content-Type: application/json\r\nContent-Length: -1', '{}')],
    [post('Content-Type: application/json\r\nContent-Length: 5\r\nContent-Length: 2', '{}abc')],
    [post('Content-Type: application/json\r\nContent-Length: 99999999999999999999', '{}')],
    [post('Content-Type: application/json\r\nTransfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n')],
    [
      post(
        'Content-Type: application/json\r\nTransfer-Encoding: chunked',
        'ffffffffffffffff\r\n{}',
      ),
    ],
    [
      post(
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 2',
        '0\r\n\r\nGET /api/v1/links HTTP/1.1\r\n\r\n',
      ),
    ],
    ['TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['BREW /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    [new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])],
    [new Uint8Array(2000).fill(0xff)],
  ]
  for (const chunks of cases) {
    const answer = await raw(chunks)
    // 505 is correct for an unknown version (RFC 9110 §15.6.6).
    expect(answer).not.toMatch(/^HTTP\/1\.1 5(?!05)/)
    expect(answer).not.toContain('evil.example')
  }
  expect((await slugline.call('GET', '/livez')).status).toBe(200)
})

test.each(['a b', '[::1', ''])('a Host of "%s" makes no request fail', async (host) => {
  const requests = ['GET /api/v1/links?limit=1', 'POST /livez', 'GET /readyz', 'GET /docs?lang=de']
  requests.push('GET /openapi.json', 'GET /x?lang=de', 'GET /x+', 'GET /', 'POST /x', 'PUT /x')
  for (const request of requests) {
    const headers = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close`
    const answer = await raw([`${request} HTTP/1.1\r\n${headers}\r\n\r\n`], { end: false })
    expect({ request, status: answer.slice(9, 12) }).toMatchObject({
      status: expect.stringMatching(/^[234]/),
    })
  }
})

test('a body beyond the limit is refused with 413, announced or not', async () => {
  const big = `{"destination_url":"https://example.com/","title":"${'x'.repeat(70_000)}"}`
  const announced = await slugline.call('POST', '/api/v1/links', { key, body: big })
  expect(announced.status).toBe(413)
  const size = big.length.toString(16)
  const chunked = await raw([
    post(
      'Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked',
      `${size}\r\n${big}\r\n0\r\n\r\n`,
    ),
  ])
  expect(chunked).toMatch(/^HTTP\/1\.1 413 /)
  expect(chunked).toContain('PAYLOAD_TOO_LARGE')
})

test('a client that sends its body slowly delays no one', async () => {
  const { port } = new URL(slugline.url)
  const slow = Array.from({ length: 50 }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      post('Content-Type: application/json\r\nContent-Length: 1000', '{"destination_url"'),
    )
    socket.on('error', () => {})
    return socket
  })
  const created = await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/' },
  })
  expect(created.status).toBe(201)
  for (const socket of slow) socket.destroy()
  expect((await slugline.call('GET', '/livez')).status).toBe(200)
})

test('a request without a valid host gets the dashboard, and no raw error', async () => {
  for (const request of [
    'GET /app/ HTTP/1.0\r\n\r\n',
    'GET /app/links HTTP/1.1\r\nHost: a b:::\r\nConnection: close\r\n\r\n',
    'GET /app/assets/none.js HTTP/1.0\r\n\r\n',
  ]) {
    const answer = await raw([request], { end: false })
    expect(answer, request).toMatch(/^HTTP\/1\.1 (?:200|404|503) /)
    expect(answer.toLowerCase(), request).toContain('\r\nx-request-id: req_')
  }
})

test('a path that is normalized to another one is refused', async () => {
  const host = 'Host: 127.0.0.1\r\nConnection: close\r\n\r\n'
  const folded = [
    '/x\\..\\metrics',
    '//..\\metrics',
    '/%2e%2e\\metrics',
    '/a/../metrics',
    '/./metrics',
  ]
  folded.push('/x\\..\\api\\v1\\links', '/api/\\..\\..\\app/login', '/a\\b', '/metrics\\')
  folded.push('/api/v1\\plans', '/api/v1\\plans/', '/api/v1/x/..\\plans', '/api//..\\v1/plans')
  folded.push('/api/v1/./plans', '/api/v1/plans/..', `/${'a/'.repeat(20)}${'..\\'.repeat(18)}b/c`)
  // For a single segment the whole URL is compared: nothing after it must be ignored.
  folded.push('/x\\..\\metrics?/x\\..\\metrics', '/metrics#/metrics', '/a/b\\c?/a/b\\c')
  for (const path of folded) {
    const answer = await raw([`GET ${path} HTTP/1.1\r\nAccept-Language: de\r\n${host}`], {
      end: false,
    })
    expect(answer, path).toStartWith('HTTP/1.1 400 ')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head.toLowerCase()).toContain('content-language: de')
    const { error } = JSON.parse(body)
    expect(error.code).toBe('BAD_REQUEST')
    expect(head.toLowerCase()).toContain(`x-request-id: ${error.request_id}`)
  }
  const http10 = await raw(['GET /x\\..\\metrics HTTP/1.0\r\n\r\n'], { end: false })
  expect(http10).toStartWith('HTTP/1.1 400 ')
  const proper = [
    '/',
    '//',
    '//a',
    '/%5cd',
    '/é',
    '/%zz',
    '/%ff',
    '/a%2fb',
    '/{a}',
    '/🚀/%F0%9F%9A%80',
    '/a?b=\\..',
  ]
  for (const path of [
    ...proper,
    '/metrics',
    '/readyz',
    '/app/',
    '/app/links',
    '/a;b',
    '/a//b',
    '/%61pp',
    '/api/v1/plans/',
    '/a/b/c/d/e/f/g/h',
    '/a/b/c/d/e/f/g/h/',
    `/${'a/'.repeat(20)}b`,
    '/a/%zz/%5cb',
    '/a/é/{b}?c=/a/é/{b}',
    '/metrics?/metrics',
    '/%3f',
  ]) {
    const answer = await raw([`GET ${path} HTTP/1.1\r\n${host}`], { end: false })
    expect(answer, path).not.toStartWith('HTTP/1.1 400 ')
  }
})

test.each([
  ['431', `GET /api/v1 HTTP/1.1\r\nHost: x\r\nX-Long: ${'v'.repeat(20_480)}\r\n\r\n`],
  ['505', 'GET /api/v1 HTTP/9.9\r\nHost: x\r\n\r\n'],
  ['400', 'GET /api/v1 HTTP/1.1\r\n\r\n'],
  ['', 'BREW /api/v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
])('what the HTTP server itself refuses is %p, without a request id', async (status, request) => {
  const answer = await raw([request], { end: false })
  expect(answer.slice(9, 12)).toBe(status)
  expect(answer.toLowerCase()).not.toContain('x-request-id')
})
