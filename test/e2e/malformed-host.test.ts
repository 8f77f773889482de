import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type CreatedKey, type Slugline, startSlugline } from '../harness/process.ts'

const HOSTS = ['a b', '[::1', '', '%zz', ':::', 'a@b', 'x/../y', '\u00ff', 'a:99999', '\\']

let slugline: Slugline
let key: CreatedKey
beforeAll(async () => {
  slugline = await startSlugline({ ANONYMOUS_REQUESTS_PER_MINUTE: '10000' })
  key = await slugline.createKey({ workspace: 'own' })
})
afterAll(() => slugline.dispose())

/** The status of a request with any `Host`. */
function statusOf(method: string, path: string, host: string, rest = ''): Promise<number> {
  const { hostname, port } = new URL(slugline.url)
  const answer = Promise.withResolvers<number>()
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (data) => {
    text += data.toString('latin1')
  })
  socket.on('error', answer.reject)
  socket.on('close', () => answer.resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])))
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
  socket.write(`${head}Authorization: Bearer ${key.key}\r\n${rest || '\r\n'}`, 'latin1')
  return answer.promise
}

/** What failed; null: nothing. */
async function failure(...request: Parameters<typeof statusOf>) {
  const status = await statusOf(...request)
  return status >= 200 && status < 500 ? null : [status, ...request.slice(0, 3)]
}

test('a malformed Host fails no request, and no token of a share is logged', async () => {
  const made = await slugline.call('POST', '/api/v1/shares', {
    key: key.key,
    body: { subject: { workspace: true } },
  })
  expect(made.status).toBe(201)
  const { pathname: share } = new URL(((await made.json()) as { url: string }).url)
  const form = [
    '--x\r\nContent-Disposition: form-data; name="dry_run"\r\n\r\ntrue\r\n',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n',
    'destination_url\nhttps://example.com\r\n--x--\r\n',
  ].join('')
  const upload = `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${form.length}\r\n\r\n${form}`
  const paths = ['/', '/none', '/none+', '/a/b', '/api/v1', '/api/v1/links?limit=1', '/docs']
  paths.push(
    '/app',
    '/app/links?w=x',
    '/app/api/auth/get-session',
    '/app/opensearch.xml',
    '/healthz',
  )
  paths.push('/api/v1/links.csv?sort=slug', '/api/v1/clicks.csv', '/mcp', '/openapi.json')
  paths.push(share, `${share}/about`, `${share}/stats`, `${share}/stats/country`)
  for (const host of HOSTS) {
    for (const path of paths) expect(await failure('GET', path, host)).toBeNull()
    const path = '/api/v1/imports?format=auto'
    expect(await failure('POST', path, host, upload)).toBeNull()
  }
  expect(slugline.output()).not.toContain(share)
})
