import { afterEach, describe, expect, test } from 'bun:test'
import { type Ceremony, createAuthenticator } from './testing/authenticator.ts'
import type { Browser } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'
import { totpCode } from './testing/totp.ts'

let site: TestSite
afterEach(() => site.close())

const PATH = '/app/api/auth/passkey'
const HOUR_MS = 3_600_000
type Authenticator = ReturnType<typeof createAuthenticator>

async function register(browser: Browser, key: Authenticator, given: Ceremony = {}) {
  const { body } = await browser.get(`${PATH}/generate-register-options`)
  const response = key.create(body, given)
  return browser.post(`${PATH}/verify-registration`, { response, name: 'laptop' })
}

async function signIn(browser: Browser, key: Authenticator, given: Ceremony = {}) {
  const { body } = await browser.get(`${PATH}/generate-authenticate-options`)
  return browser.post(`${PATH}/verify-authentication`, { response: key.get(body, given) })
}

async function withPasskey() {
  site = await createSite()
  const owner = await site.owner()
  const key = createAuthenticator(site.baseUrl)
  expect((await register(owner, key)).status).toBe(200)
  return { owner, key }
}

describe('a passkey', () => {
  test('is created, signs in on its own, is listed and deleted', async () => {
    const { owner, key } = await withPasskey()
    const browser = site.browser()
    const seen = await signIn(browser, key)
    expect(seen.status).toBe(200)
    expect(await browser.who()).toBe('Ann@example.com')
    // Scripts must not see the session's token.
    const { body: sessions } = await owner.get('/app/api/auth/list-sessions')
    expect(sessions).toHaveLength(2)
    expect(seen.body.session.token).toBeUndefined()
    const { body: list } = await owner.get(`${PATH}/list-user-passkeys`)
    expect(list).toMatchObject([{ name: 'laptop', credentialID: key.id }])
    const renamed = await owner.post(`${PATH}/update-passkey`, { id: list[0].id, name: 'phone' })
    expect(renamed.status).toBe(200)
    expect((await owner.post(`${PATH}/delete-passkey`, { id: list[0].id })).status).toBe(200)
    expect((await signIn(site.browser(), key)).code).toBe('PASSKEY_FAILED')
  })

  test('requires user verification, to create it and to sign in', async () => {
    const { owner, key } = await withPasskey()
    const { body } = await site.browser().get(`${PATH}/generate-authenticate-options`)
    expect(body.userVerification).toBe('required')
    const touched = await signIn(site.browser(), key, { userVerified: false })
    expect([touched.status, touched.code]).toEqual([401, 'PASSKEY_FAILED'])
    const other = createAuthenticator(site.baseUrl)
    expect((await register(owner, other, { userVerified: false })).code).toBe('PASSKEY_FAILED')
    const { body: list } = await owner.get(`${PATH}/list-user-passkeys`)
    expect(list).toHaveLength(1)
  })

  const LIES: [string, Ceremony][] = [
    ['for another site', { origin: 'https://evil.example' }],
    ['for another port', { origin: 'https://s.example:8443' }],
    ['for a host below ours', { origin: 'https://x.s.example' }],
    ['without TLS', { origin: 'http://s.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['with a counter that went back', { counter: 0 }],
  ]
  test.each(LIES)('is refused %s', async (name, lie) => {
    const { owner, key } = await withPasskey()
    await signIn(site.browser(), key)
    const browser = site.browser()
    const seen = await signIn(browser, key, lie)
    expect([seen.status, seen.code]).toEqual([401, 'PASSKEY_FAILED'])
    expect(await browser.who()).toBeNull()
    if (name.includes('counter')) return
    const made = await register(owner, createAuthenticator(site.baseUrl), lie)
    expect(made.code).toBe('PASSKEY_FAILED')
  })

  test('is refused with a wrong signature or none', async () => {
    const { key } = await withPasskey()
    const thief = createAuthenticator(site.baseUrl)
    const browser = site.browser()
    const { body } = await browser.get(`${PATH}/generate-authenticate-options`)
    const response = { ...thief.get(body), id: key.id, rawId: key.id }
    const stolen = await browser.post(`${PATH}/verify-authentication`, { response })
    expect(stolen.code).toBe('PASSKEY_FAILED')
    expect((await signIn(site.browser(), thief)).code).toBe('PASSKEY_FAILED')
    for (const wrong of [null, 'x', {}, { id: {} }, { id: 'x', response: null }]) {
      const seen = await site.browser().post(`${PATH}/verify-authentication`, { response: wrong })
      expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED'])
    }
  })

  test('answers a challenge once, in the same browser, within five minutes', async () => {
    const { key } = await withPasskey()
    const browser = site.browser()
    const { body: options } = await browser.get(`${PATH}/generate-authenticate-options`)
    const cookies = new Map(browser.cookies)
    const response = key.get(options)
    const verify = (from: Browser) => from.post(`${PATH}/verify-authentication`, { response })
    expect((await verify(site.browser())).code).toBe('PASSKEY_FAILED')
    expect((await verify(browser)).status).toBe(200)
    const again = site.browser()
    for (const [name, value] of cookies) again.cookies.set(name, value)
    expect((await verify(again)).code).toBe('PASSKEY_FAILED')
    const late = site.browser()
    const { body: old } = await late.get(`${PATH}/generate-authenticate-options`)
    site.pass(301_000)
    const seen = await late.post(`${PATH}/verify-authentication`, { response: key.get(old) })
    expect(seen.code).toBe('PASSKEY_FAILED')
  })

  test('can be added only with a fresh session, and belongs to one person', async () => {
    const { owner, key } = await withPasskey()
    expect((await site.browser().get(`${PATH}/generate-register-options`)).code).toBe(
      'SIGN_IN_REQUIRED',
    )
    await site.users.create({ email: 'bob@example.com', password: PASSWORD })
    const bob = site.browser()
    await bob.signIn('bob@example.com', PASSWORD)
    const [{ id }] = (await owner.get(`${PATH}/list-user-passkeys`)).body
    expect((await bob.get(`${PATH}/list-user-passkeys`)).body).toEqual([])
    const taken = await bob.post(`${PATH}/delete-passkey`, { id })
    const renamed = await bob.post(`${PATH}/update-passkey`, { id, name: 'mine' })
    expect([taken.code, renamed.code]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
    // The same credential can't be registered by another person.
    expect((await register(bob, key)).code).toBe('PASSKEY_FAILED')
    expect(site.errors).toEqual([])
    expect((await signIn(site.browser(), key)).status).toBe(200)
    site.pass(25 * HOUR_MS)
    const stale = await owner.get(`${PATH}/generate-register-options`)
    expect([stale.status, stale.code]).toEqual([403, 'REAUTHENTICATION_REQUIRED'])
  })

  test('replaces the second factor too', async () => {
    const { owner, key } = await withPasskey()
    const { body } = await owner.post('/app/api/auth/two-factor/enable', { password: PASSWORD })
    const code = totpCode(body.totpURI)
    await owner.post('/app/api/auth/two-factor/verify-totp', { code })
    const browser = site.browser()
    expect((await signIn(browser, key)).status).toBe(200)
    expect(await browser.who()).toBe('Ann@example.com')
  })

  test('is offered if the public URL can have one', async () => {
    for (const [baseUrl, offered] of [
      ['https://s.example', true],
      ['http://127.0.0.1:3000', true],
      ['http://s.example', false],
      ['https://192.0.2.1', false],
    ] as const) {
      site = await createSite({ baseUrl })
      const { body } = await site.browser().get('/app/api/v1/session')
      expect([baseUrl, body.instance.sign_in.passkey]).toEqual([baseUrl, offered])
      if (baseUrl !== 'https://192.0.2.1') await site.close()
    }
  })

  test('works on localhost', async () => {
    site = await createSite({ baseUrl: 'http://127.0.0.1:3000' })
    const owner = await site.owner()
    const key = createAuthenticator('http://localhost:3000')
    expect((await register(owner, key)).status).toBe(200)
    expect((await signIn(site.browser(), key)).status).toBe(200)
  })
})
