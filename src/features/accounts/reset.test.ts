import { afterEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { createResetLink } from './operator.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

let site: TestSite
afterEach(() => site.close())

const ANN = 'ann@example.com'
const NEW = 'another long one'
const ask = (email: string, address?: string) =>
  site.browser(address).post('/app/api/auth/request-password-reset', { email })
const reset = (token: string, newPassword = NEW) =>
  site.browser().post('/app/api/auth/reset-password', { token, newPassword })
const signIn = (password: string) => site.browser().signIn(ANN, password)

describe('a forgotten password', () => {
  test('is replaced by the link of a message, once, and all sessions end', async () => {
    site = await createSite()
    const browser = await site.owner()
    expect((await ask('ANN@example.com')).status).toBe(200)
    const [letter] = site.letters
    expect(letter?.to).toBe('Ann@example.com')
    expect(letter?.text).toContain('https://s.example/app/reset-password#token=')
    const token = site.mailedToken()
    const kept = await site.storage.read.db.selectFrom('verifications').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(token)
    expect((await reset(token, 'short')).details).toEqual({ newPassword: 'TOO_SHORT' })
    expect((await reset(token)).status).toBe(200)
    expect((await reset(token, 'yet another one')).code).toBe('INVALID_TOKEN')
    expect(await browser.who()).toBeNull()
    expect((await signIn(PASSWORD)).code).toBe('SIGN_IN_FAILED')
    expect((await signIn(NEW)).status).toBe(200)
    // And they are notified.
    expect(site.letters.at(-1)?.subject).not.toBe(letter?.subject)
  })

  test('invalidates earlier links', async () => {
    site = await createSite()
    const browser = await site.owner()
    await ask(ANN)
    const first = site.mailedToken()
    await ask(ANN)
    expect((await reset(site.mailedToken())).status).toBe(200)
    expect((await reset(first, 'yet another one')).code).toBe('INVALID_TOKEN')
    await browser.signIn(ANN, NEW)
    await ask(ANN)
    const pending = site.mailedToken()
    const body = { currentPassword: NEW, newPassword: PASSWORD }
    expect((await browser.post('/app/api/auth/change-password', body)).status).toBe(200)
    expect((await reset(pending)).code).toBe('INVALID_TOKEN')
  })

  test('is reset by one of several concurrent requests', async () => {
    site = await createSite()
    await site.owner()
    await ask(ANN)
    const token = site.mailedToken()
    const seen = await Promise.all([1, 2, 3].map((i) => reset(token, `another long ${i}`)))
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 410, 410])
  })

  test('is not replaced by a link that is an hour old', async () => {
    site = await createSite()
    await site.owner()
    await ask(ANN)
    site.pass(3_600_001)
    expect((await reset(site.mailedToken())).code).toBe('INVALID_TOKEN')
    expect((await reset('nonsense')).code).toBe('INVALID_TOKEN')
    expect((await signIn(PASSWORD)).status).toBe(200)
  })

  test('doesn’t reveal who has an account', async () => {
    site = await createSite()
    await site.owner()
    const known = await ask(ANN)
    const unknown = await ask('eve@example.com')
    expect(unknown.status).toBe(known.status)
    expect(unknown.body).toEqual(known.body)
    expect(site.letters).toHaveLength(1)
  })

  test('takes as long for an unknown address', async () => {
    site = await createSite({ signUp: 'open', constantMs: 120 })
    await site.owner()
    const account = { name: 'Eve', password: PASSWORD }
    const timed = async (path: string, body: object) => {
      const start = performance.now()
      await site.browser().post(`/app/api/auth/${path}`, body)
      return performance.now() - start
    }
    for (const email of [ANN, 'eve@example.com']) {
      expect(await timed('request-password-reset', { email })).toBeGreaterThan(115)
      expect(await timed('send-verification-email', { email })).toBeGreaterThan(115)
      expect(await timed('sign-up/email', { email, ...account })).toBeGreaterThan(115)
    }
  })

  test('sends a person at most five messages, then one every five minutes', async () => {
    site = await createSite()
    await site.owner()
    for (let i = 0; i < 5; i++) expect((await ask(ANN, `198.51.100.${i}`)).status).toBe(200)
    const refused = await ask(ANN, '198.51.100.99')
    expect([refused.code, refused.headers.get('Retry-After')]).toEqual(['RATE_LIMITED', '300'])
    site.pass(300_000)
    expect((await ask(ANN, '198.51.100.99')).status).toBe(200)
    expect(site.letters).toHaveLength(6)
  })

  test('is reset by the operator if email isn’t set up', async () => {
    site = await createSite({ mail: false })
    await site.owner()
    expect((await ask(ANN)).code).toBe('MAIL_NOT_SET_UP')
    expect((await ask('eve@example.com')).code).toBe('MAIL_NOT_SET_UP')
    const input = {
      storage: site.storage,
      clock: systemClock,
      ids: createIds(systemClock, systemRandom),
      random: systemRandom,
      baseUrl: site.baseUrl,
    }
    expect((await createResetLink({ ...input, email: 'eve@example.com' })).url).toBeNull()
    const { url } = await createResetLink({ ...input, email: 'ANN@example.com' })
    const token = new URL(url ?? '').hash.slice('#token='.length)
    expect((await reset(token)).status).toBe(200)
    expect((await reset(token)).code).toBe('INVALID_TOKEN')
    expect((await signIn(NEW)).status).toBe(200)
  })

  test('can’t redirect to another site', async () => {
    site = await createSite()
    await site.owner()
    const body = { email: ANN, redirectTo: 'https://evil.example/' }
    const seen = await site.browser().post('/app/api/auth/request-password-reset', body)
    expect(seen.details).toEqual({ redirectTo: 'INVALID_URL' })
    expect(site.letters).toEqual([])
    // Nor by the host names in headers of a request or a proxy.
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=evil.example',
    }
    const path = '/app/api/auth/request-password-reset'
    expect((await site.browser().post(path, { email: ANN }, { headers })).status).toBe(200)
    const [letter] = site.letters
    expect(letter?.text).toContain(`${site.baseUrl}/app/reset-password`)
    expect(`${letter?.text}${letter?.html}`).not.toContain('evil')
    const elsewhere = { token: 'x', callbackURL: 'https://evil.example/' }
    const verified = await site.browser().post('/app/api/auth/verify-email', elsewhere)
    expect(verified.details).toEqual({ callbackURL: 'UNKNOWN_FIELD' })
  })
})
