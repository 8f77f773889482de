import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, Seen } from './testing/browser.ts'
import { type Answers, startProvider } from './testing/provider.ts'
import { createSite, PASSWORD, type SiteOptions, type TestSite } from './testing/site.ts'

let provider: ReturnType<typeof startProvider>
let site: TestSite

beforeEach(() => {
  provider = startProvider()
})
afterEach(async () => {
  await site.close()
  await provider.stop()
})

const BOB = 'bob@example.com'
const SOCIAL = '/app/api/auth/sign-in/social'
const ASK = { provider: 'oidc', callbackURL: '/app/links', errorCallbackURL: '/app/sign-in' }

async function open(options: SiteOptions = {}): Promise<Browser> {
  site = await createSite({ oidcIssuer: provider.issuer, ...options })
  provider.answers.claims = { sub: 'p-1', email: BOB, email_verified: true, name: 'Bob' }
  return site.owner()
}

const start = (browser: Browser, over: object = {}) => browser.post(SOCIAL, { ...ASK, ...over })

/** Goes to the provider and returns. */
async function signIn(browser: Browser, change: (path: string) => string = (path) => path) {
  const { body } = await start(browser)
  return browser.get(change(provider.authorize(body.url).path))
}

/** The code that is passed to the sign-in page. */
function refusal({ status, headers }: Seen): string | null {
  const location = new URL(headers.get('Location') ?? '', site.baseUrl)
  expect([status, location.origin, location.pathname]).toEqual([302, site.baseUrl, '/app/sign-in'])
  return location.searchParams.get('error')
}

const invite = (owner: Browser, email = BOB) =>
  owner.post('/app/api/v1/invitations', { email, role: 'member' })

describe('single sign-on', () => {
  test('signs in invited people, by code, PKCE, state and nonce, and recognizes them later', async () => {
    const owner = await open()
    await invite(owner)
    const browser = site.browser()
    const { body } = await start(browser)
    const { path, asked } = provider.authorize(body.url)
    expect(body.url).toStartWith(`${provider.issuer}/authorize?`)
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'slugline',
      redirect_uri: 'https://s.example/app/api/auth/callback/oidc',
      code_challenge_method: 'S256',
    })
    expect(asked.get('scope')?.split(' ').sort()).toEqual(['email', 'openid', 'profile'])
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.get(name)?.length).toBeGreaterThanOrEqual(32)
    }
    const back = await browser.get(path)
    expect(back.headers.get('Location')).toBe('/app/links')
    expect(await browser.who()).toBe(BOB)
    const again = site.browser()
    provider.answers.claims = { sub: 'p-1', email: 'robert@example.com', email_verified: false }
    await signIn(again)
    // People are identified by subject, not by an address that can change.
    expect(await again.who()).toBe(BOB)
    expect(provider.exchanged).toHaveLength(2)
  })

  test('makes a person who then accepts a member', async () => {
    const owner = await open()
    const { body } = await invite(owner)
    const letter = site.letters.at(-1)?.text ?? body.url
    const token = /token=([^&\s]+)/.exec(letter)?.[1] ?? ''
    const browser = site.browser()
    await signIn(browser)
    const joined = await browser.post('/app/api/v1/invitations/accept', { token })
    expect(joined.body.workspace).toMatchObject({ name: 'Acme', role: 'member' })
  })

  test('is named on the sign-in page, and not accepted elsewhere', async () => {
    await open()
    const { body } = await site.browser().get('/app/api/v1/session')
    expect(body.instance.sign_in.oidc).toEqual([{ id: 'oidc', name: 'Example' }])
    await site.close()
    site = await createSite()
    expect((await start(site.browser())).status).toBe(503)
  })

  test.each([true, 'true'])('takes an address that the provider has verified: %p', async (said) => {
    const owner = await open()
    await invite(owner, 'bob@münchen.de')
    Object.assign(provider.answers.claims, { email: 'Bob@MÜNCHEN.de', email_verified: said })
    const browser = site.browser()
    await signIn(browser)
    const { user } = (await browser.get('/app/api/v1/session')).body
    expect(user).toMatchObject({ email: 'bob@xn--mnchen-3ya.de', email_verified: true })
  })

  const WHO: [string, SiteOptions['signUp'], boolean, string | null][] = [
    ['invited, by invitation', 'invitation', true, null],
    ['uninvited, by invitation', 'invitation', false, 'signup_disabled'],
    ['invited, closed', 'closed', true, 'signup_disabled'],
    ['uninvited, open', 'open', false, null],
  ]
  test.each(WHO)(
    'asks whether somebody may have an account: %s',
    async (_, signUp, invited, code) => {
      const owner = await open({ signUp: signUp ?? 'invitation' })
      if (invited) await invite(owner)
      const browser = site.browser()
      const seen = await signIn(browser)
      if (code !== null) expect(refusal(seen)).toBe(code)
      expect(await browser.who()).toBe(code === null ? BOB : null)
      const users = await site.storage.read.db.selectFrom('users').selectAll().execute()
      expect(users).toHaveLength(code === null ? 2 : 1)
    },
  )

  test('is refused before the instance is claimed', async () => {
    site = await createSite({ oidcIssuer: provider.issuer, signUp: 'open' })
    provider.answers.claims = { sub: 'p-1', email: BOB, email_verified: true }
    expect(refusal(await signIn(site.browser()))).toBe('signup_disabled')
  })

  const now = () => Math.floor(Date.now() / 1000)
  const LIES: [string, (answers: Answers) => void][] = [
    ['signed by somebody else', (a) => Object.assign(a, { token: provider.forge })],
    ['without a signature', (a) => Object.assign(a, { token: unsigned })],
    ['that is missing', (a) => Object.assign(a, { token: () => undefined, userInfo: a.claims })],
    ['for another client', (a) => Object.assign(a.claims, { aud: 'another' })],
    ['of another issuer', (a) => Object.assign(a.claims, { iss: 'https://evil.example' })],
    ['with another nonce', (a) => Object.assign(a.claims, { nonce: 'x'.repeat(32) })],
    ['without a nonce', (a) => Object.assign(a.claims, { nonce: undefined })],
    ['that is over', (a) => Object.assign(a.claims, { exp: now() - 60 })],
    ['about nobody', (a) => Object.assign(a.claims, { sub: '' })],
    ['without an address', (a) => Object.assign(a.claims, { email: undefined })],
    ['with an unverified address', (a) => Object.assign(a.claims, { email_verified: false })],
    [
      'whose userinfo is too long',
      ({ claims: { sub, ...rest }, ...a }) =>
        Object.assign(provider.answers, a, {
          claims: { sub },
          userInfo: { ...rest, sub, more: 'x'.repeat(2_000_000) },
        }),
    ],
    ['that says nothing of it', (a) => Object.assign(a.claims, { email_verified: undefined })],
    ['that denies it as text', (a) => Object.assign(a.claims, { email_verified: 'false' })],
    ['that says it in another type', (a) => Object.assign(a.claims, { email_verified: 1 })],
  ]
  test.each(LIES)('refuses a token %s', async (_, lie) => {
    await open({ signUp: 'open' })
    lie(provider.answers)
    const browser = site.browser()
    expect(refusal(await signIn(browser))).toBeString()
    expect(await browser.who()).toBeNull()
    const users = await site.storage.read.db.selectFrom('users').selectAll().execute()
    expect(users).toHaveLength(1)
  })

  test('requests the address from userinfo if the token has none, for the same subject', async () => {
    await open({ signUp: 'open' })
    const { sub, ...rest } = provider.answers.claims
    Object.assign(provider.answers, { claims: { sub }, userInfo: { ...rest, sub: 'p-2' } })
    expect(refusal(await signIn(site.browser()))).toBeString()
    Object.assign(provider.answers, { userInfo: { ...rest, sub } })
    const browser = site.browser()
    await signIn(browser)
    expect(await browser.who()).toBe(BOB)
  })

  test('returns to the browser that started, once, within five minutes', async () => {
    await open({ signUp: 'open' })
    const browser = site.browser()
    const { path } = provider.authorize((await start(browser)).body.url)
    const stranger = site.browser()
    expect(refusal(await stranger.get(path))).toBe('state_mismatch')
    expect(await stranger.who()).toBeNull()
    const other = path.replace(/state=[^&]+/, `state=${'x'.repeat(32)}`)
    expect(refusal(await browser.get(other))).toBe('state_mismatch')
    await browser.get(path)
    expect(await browser.who()).toBe(BOB)
    expect(refusal(await site.browser().get(path))).toBe('state_mismatch')
    const late = site.browser()
    const old = provider.authorize((await start(late)).body.url).path
    site.pass(601_000)
    expect(refusal(await late.get(old))).toBe('state_mismatch')
  })

  test('redirects to no other site, and accepts no token of another issuer', async () => {
    await open({ signUp: 'open' })
    const browser = site.browser()
    const evil = 'https://evil.example/'
    expect((await start(browser, { callbackURL: evil })).details).toEqual({
      callbackURL: 'INVALID_URL',
    })
    expect((await start(browser, { errorCallbackURL: evil })).details).toEqual({
      errorCallbackURL: 'INVALID_URL',
    })
    expect((await start(browser, { callbackURL: '//evil.example/' })).status).toBe(422)
    expect((await start(browser, { idToken: { token: 'x.y.z' } })).details).toEqual({
      idToken: 'UNKNOWN_FIELD',
    })
    expect((await start(browser, { provider: 'google' })).details).toEqual({
      provider: 'INVALID_VALUE',
    })
  })
})

describe('an account that is there already', () => {
  test('is linked when both sides have verified its address', async () => {
    await open({ signUp: 'closed' })
    await site.users.create({ email: 'Bob@example.com', password: PASSWORD })
    const browser = site.browser()
    await signIn(browser)
    expect(await browser.who()).toBe('Bob@example.com')
    const { body } = await browser.get('/app/api/auth/list-accounts')
    expect(body.map(({ providerId }: { providerId: string }) => providerId).sort()).toEqual([
      'credential',
      'oidc',
    ])
    // The last way to sign in stays.
    const idOf = (provider: string) =>
      body.find(({ providerId }: { providerId: string }) => providerId === provider).id
    const unlink = (from: Browser, accountId: string) =>
      from.post('/app/api/auth/unlink-account', { accountId })
    expect((await unlink(browser, 'acc_nothing')).code).toBe('NOT_FOUND')
    expect((await unlink(browser, idOf('oidc'))).status).toBe(200)
    expect((await unlink(browser, idOf('credential'))).code).toBe('CONFLICT')
    const events = (await browser.get('/app/api/v1/account/events')).body.data
    expect(events.map(({ action }: { action: string }) => action)).toEqual([
      'account.sso_unlinked',
      'account.signed_in',
      'account.sso_linked',
    ])
  })

  test('is not linked without an address verified by us or the provider', async () => {
    const owner = await open({ mail: false })
    const { body } = await invite(owner)
    const token = new URL(body.url).hash.slice('#token='.length)
    const account = { token, name: 'Eve', password: PASSWORD }
    // Someone who saw the invitation's URL may not be its recipient.
    await site.browser().post('/app/api/v1/invitations/accept', account)
    expect(refusal(await signIn(site.browser()))).toBe('account_not_linked')
    provider.answers.claims = { sub: 'p-9', email: 'ann@example.com', email_verified: false }
    expect(refusal(await signIn(site.browser()))).toBe('account_not_linked')
  })
})

describe('a provider', () => {
  const FAULTS: [string, Record<string, unknown>][] = [
    ['speaks for another issuer', { issuer: 'https://evil.example' }],
    ['has no keys', { jwks_uri: undefined }],
    ['has no token endpoint', { token_endpoint: undefined }],
  ]
  test.each(FAULTS)('that %s is not used, and the log says why', async (_, description) => {
    await open()
    Object.assign(provider.answers, { description })
    const seen = await start(site.browser())
    expect([seen.status, seen.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(seen.headers.get('Retry-After')).toBe('10')
    expect(JSON.stringify(site.warnings)).toContain('openid-configuration')
    // It is requested again once it is right.
    provider.answers.description = {}
    expect((await start(site.browser())).status).toBe(200)
  })

  test('whose callback fails redirects to the sign-in page, instead of JSON', async () => {
    await open()
    const { body } = await start(site.browser())
    const { path } = provider.authorize(body.url)
    await provider.stop()
    await site.close()
    // As after a restart: the description has to be fetched again.
    site = await createSite({ oidcIssuer: provider.issuer })
    const browser = site.browser()
    const back = await browser.get(path)
    expect(refusal(back)).toBe('service_unavailable')
    expect(back.headers.get('Content-Type')).toBeNull()
    let last = back
    for (let i = 0; i < 40 && refusal(last) !== 'rate_limited'; i++) last = await browser.get(path)
    expect(refusal(last)).toBe('rate_limited')
    expect((await browser.post('/app/api/auth/callback/oidc')).code).toBe('METHOD_NOT_ALLOWED')
  })

  test('that is down doesn’t affect other sign-ins', async () => {
    await open()
    await provider.stop()
    expect((await start(site.browser())).status).toBe(503)
    expect(JSON.stringify(site.warnings)).toContain(provider.issuer)
    expect((await site.browser().signIn('ann@example.com', PASSWORD)).status).toBe(200)
  })
})

function unsigned(token: string): string {
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  return `${header}.${token.split('.')[1]}.`
}
