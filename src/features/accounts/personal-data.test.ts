import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Browser } from './testing/browser.ts'
import { DOT } from './testing/picture.ts'
import { createSite, type TestSite } from './testing/site.ts'

const DATA = '/app/api/v1/account/data.ndjson'

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Any = any

let site: TestSite
let owner: Browser
beforeEach(async () => {
  site = await createSite()
  owner = await site.owner()
})
afterEach(() => site.close())

test('a person gets what is stored about them, and no secret and nothing of others', async () => {
  const browser = await site.joined(owner, 'admin')
  const { id } = (await browser.get('/app/api/v1/session')).body.user
  await browser.send('PUT', '/app/api/v1/account/picture', { image: DOT })
  const body = { destination_url: 'https://example.com/secret', slug: 'one' }
  await browser.post('/app/api/v1/links', body)
  await browser.post('/app/api/v1/keys', { name: 'mine', scopes: ['links:read'] })
  await browser.post('/app/api/v1/views', { name: 'Mine' })
  await browser.post('/app/api/v1/invitations', { email: 'guest@example.com', role: 'viewer' })
  await owner.send('PATCH', `/app/api/v1/members/${id}`, { role: 'member' })

  const answer = await browser.send('GET', DATA)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines: Any[] = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const of = (kind: string) => lines.filter((line) => line.kind === kind)
  expect(of('account')).toMatchObject([
    { id, email: 'admin@example.com', picture_png: expect.any(String), two_factor_enabled: false },
  ])
  expect(of('session')).toHaveLength(1)
  expect(of('sign_in')).toMatchObject([{ provider_id: 'credential' }])
  expect(of('membership')).toMatchObject([{ name: 'Acme', role: 'member' }])
  expect(of('view')).toMatchObject([{ name: 'Mine' }])
  const did = (by: string) => of('activity').flatMap((one) => (one.by === by ? one.action : []))
  expect(did('you')).toContain('link.created')
  expect(did('you')).toContain('invitation.created')
  expect(did('others')).toContain('member.updated')
  for (const secret of ['argon2', 'token', 'hash', 'Ann@example.com', 'example.com/secret']) {
    expect(answer.text).not.toContain(secret)
  }
  expect((await site.browser().send('GET', DATA)).status).toBe(401)
})

test('a person gets it five times, then once a minute', async () => {
  for (let n = 0; n < 5; n++) expect((await owner.send('GET', DATA)).status).toBe(200)
  expect((await owner.send('GET', DATA)).status).toBe(429)
  site.pass(60_000)
  expect((await owner.send('GET', DATA)).status).toBe(200)
})
