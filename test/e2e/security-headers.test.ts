import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Slugline, startSlugline } from '../harness/process.ts'

let plain: Slugline
let secure: Slugline

beforeAll(async () => {
  plain = await startSlugline()
  secure = await startSlugline({ BASE_URL: 'https://sho.rt' })
  for (const slugline of [plain, secure]) {
    const { key } = await slugline.createKey()
    const body = { destination_url: 'https://example.com/', slug: 'a' }
    expect((await slugline.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
  }
})
afterAll(() => Promise.all([plain.dispose(), secure.dispose()]))

const ANSWERS: [string, string][] = [
  ['GET', '/a'],
  ['GET', '/a+'],
  ['GET', '/nothing'],
  ['GET', '/'],
  ['OPTIONS', '/a'],
  ['PUT', '/a'],
  ['GET', '/api/v1/plans'],
  ['GET', '/api/v1/links'],
  ['GET', '/docs'],
  ['GET', '/openapi.json'],
  ['GET', '/app'],
  ['POST', '/app'],
  ['GET', '/livez'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ['PUT', '/metrics'],
]

test.each(ANSWERS)(
  '%s %s keeps browsers on TLS where the public address is https',
  async (method, path) => {
    const kept = async (slugline: Slugline) =>
      (await slugline.call(method, path)).headers.has('strict-transport-security')
    expect(await kept(secure)).toBe(true)
    expect(await kept(plain)).toBe(false)
  },
)

test.each(ANSWERS)('%s %s sets no cookie and has a request id', async (method, path) => {
  const { headers } = await secure.call(method, path)
  expect(headers.has('set-cookie')).toBe(false)
  expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  if (headers.get('content-type')?.startsWith('text/html') && !headers.has('location')) {
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('permissions-policy')).toContain('camera=()')
  }
})
