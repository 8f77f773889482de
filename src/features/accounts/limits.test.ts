import { afterEach, describe, expect, test } from 'bun:test'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import type { Browser, Seen } from './testing/browser.ts'
import { createSite, PASSWORD, type SiteOptions, type TestSite } from './testing/site.ts'
import { totpCode } from './testing/totp.ts'

let site: TestSite
afterEach(() => site.close())

const AUTH = '/app/api/auth'
const ANN = 'ann@example.com'

/** What could be guessed or flooded: the request, and how often one address may send it. */
const GUARDED: [string, number, (browser: Browser, i: number) => Promise<Seen>][] = [
  [
    'signing in',
    20,
    (browser, i) =>
      browser.post(`${AUTH}/sign-in/email`, { email: `p${i}@example.com`, password: 'x' }),
  ],
  [
    'signing up',
    10,
    (browser, i) =>
      browser.post(`${AUTH}/sign-up/email`, {
        email: `p${i}@example.com`,
        password: PASSWORD,
        name: 'P',
      }),
  ],
  [
    'asking for a reset',
    10,
    (browser, i) => browser.post(`${AUTH}/request-password-reset`, { email: `p${i}@example.com` }),
  ],
  [
    'resetting',
    20,
    (browser, i) =>
      browser.post(`${AUTH}/reset-password`, { token: `guess ${i}`, newPassword: PASSWORD }),
  ],
  [
    'claiming',
    10,
    (browser, i) =>
      browser.post('/app/api/v1/claim', {
        token: `guess ${i}`,
        email: ANN,
        password: PASSWORD,
        name: 'Ann',
        workspace: 'Acme',
      }),
  ],
  [
    'a second factor',
    20,
    (browser, i) => browser.post(`${AUTH}/two-factor/verify-totp`, { code: `${100_000 + i}` }),
  ],
  [
    'a recovery code',
    20,
    (browser, i) => browser.post(`${AUTH}/two-factor/verify-backup-code`, { code: `${i}` }),
  ],
  [
    'a passkey',
    40,
    (browser) =>
      browser.post(`${AUTH}/passkey/verify-authentication`, {
        response: { id: 'x', response: {} },
      }),
  ],
  [
    'an invitation',
    20,
    (browser, i) => browser.post('/app/api/v1/invitations/lookup', { token: `guess${i}` }),
  ],
  [
    'accepting',
    20,
    (browser, i) => browser.post('/app/api/v1/invitations/accept', { token: `guess${i}` }),
  ],
  [
    'confirming an address',
    20,
    (browser, i) => browser.post(`${AUTH}/verify-email`, { token: `guess${i}` }),
  ],
]

describe('one address', () => {
  test.each(GUARDED)('may try %s at most %i times in a row', async (_, times, attempt) => {
    site = await createSite({ signUp: 'open' })
    await site.owner()
    const browser = (address: string) => site.browser(address)
    const seen = await Promise.all(
      Array.from({ length: times + 5 }, (_, i) => attempt(browser('198.51.100.7'), i)),
    )
    const limited = seen.filter(({ code }) => code === 'RATE_LIMITED')
    expect(limited).toHaveLength(5)
    for (const { status, headers } of limited) {
      expect([status, Number(headers.get('Retry-After')) >= 1]).toEqual([429, true])
    }
    // Other addresses are not affected.
    expect((await attempt(browser('198.51.100.8'), 99)).code).not.toBe('RATE_LIMITED')
  })
})

/** A site whose database can be broken. */
async function breakable(options: SiteOptions = {}) {
  const broken = { write: false, read: false }
  const fail = () => Promise.reject(new StorageUnavailable('disk'))
  site = await createSite({
    signUp: 'open',
    ...options,
    wrapStorage: (storage) => ({
      ...storage,
      read: {
        ...storage.read,
        run: (...rest) => (broken.read ? fail() : storage.read.run(...rest)),
        db: storage.read.db.withPlugin({
          transformQuery: ({ node }) => node,
          transformResult: ({ result }) => (broken.read ? fail() : Promise.resolve(result)),
        }),
      },
      write: (...rest) => (broken.write ? fail() : storage.write(...rest)),
    }),
  })
  return broken
}

describe('what can’t be counted or looked up', () => {
  test.each(GUARDED)('is refused: %s', async (_, _times, attempt) => {
    const broken = await breakable()
    await site.owner()
    broken.write = true
    const seen = await attempt(site.browser(), 1)
    expect([seen.status, seen.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(seen.headers.get('Retry-After')).not.toBeNull()
    expect(seen.headers.getSetCookie()).toEqual([])
  })

  test('doesn’t let anyone in without their second factor', async () => {
    const broken = await breakable()
    const owner = await site.owner()
    const { body } = await owner.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    await owner.post(`${AUTH}/two-factor/verify-totp`, { code: totpCode(body.totpURI) })
    site.pass(60_000)
    const browser = site.browser()
    await browser.signIn(ANN, PASSWORD)
    broken.write = true
    const seen = await browser.post(`${AUTH}/two-factor/verify-totp`, {
      code: totpCode(body.totpURI),
    })
    expect([seen.status, seen.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    broken.write = false
    expect(await browser.who()).toBeNull()
  })

  test('is neither treated as signed in nor as signed out', async () => {
    const broken = await breakable()
    const owner = await site.owner()
    broken.read = true
    for (const path of ['/app/api/v1/session', '/app/api/v1/links', `${AUTH}/list-sessions`]) {
      const seen = await owner.get(path)
      expect([path, seen.status, seen.code]).toEqual([path, 503, 'SERVICE_UNAVAILABLE'])
    }
    broken.read = false
    expect(await owner.who()).toBe('Ann@example.com')
  })
})

describe('a session', () => {
  test('is new with each sign-in: a planted one is useless', async () => {
    site = await createSite()
    const owner = await site.owner()
    const token = (browser: Browser) => browser.cookies.get('__Host-slugline.session_token')
    const browser = site.browser()
    // Of another person, and an invalid one.
    for (const planted of [token(owner) ?? '', 'planted.planted']) {
      browser.cookies.set('__Host-slugline.session_token', planted)
      await browser.signIn(ANN, PASSWORD)
      expect(token(browser)).not.toBe(planted)
    }
    const before = token(browser)
    const body = { currentPassword: PASSWORD, newPassword: 'another long one' }
    await browser.post(`${AUTH}/change-password`, body)
    expect(token(browser)).not.toBe(before)
    browser.cookies.set('__Host-slugline.session_token', before ?? '')
    expect(await browser.who()).toBeNull()
  })
})
