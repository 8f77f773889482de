import { afterEach, describe, expect, test } from 'bun:test'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import type { Browser } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

let site: TestSite
afterEach(() => site.close())

const ANN = 'ann@example.com'
const signIn = (email: string, password: string, address?: string) =>
  site.browser(address).signIn(email, password)

describe('signing in', () => {
  test('accepts the address in any case, and lasts until signing out', async () => {
    site = await createSite()
    await site.owner()
    const browser = site.browser()
    expect((await browser.signIn('ANN@Example.COM', PASSWORD)).status).toBe(200)
    expect(await browser.who()).toBe('Ann@example.com')
    expect((await browser.get('/app/api/v1/links')).status).toBe(200)
    const cookies = new Map(browser.cookies)
    await browser.post('/app/api/auth/sign-out')
    expect(await browser.who()).toBeNull()
    // The deleted cookie is useless.
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    expect((await browser.get('/app/api/v1/links')).code).toBe('SIGN_IN_REQUIRED')
  })

  test('gives the same answer for a wrong password and an unknown address', async () => {
    site = await createSite()
    await site.owner()
    const wrong = await signIn(ANN, 'wrong wrong wrong')
    const unknown = await signIn('eve@example.com', 'wrong wrong wrong')
    for (const { body } of [wrong, unknown]) delete body.error.request_id
    expect(unknown.body).toEqual(wrong.body)
    expect([unknown.status, wrong.status]).toEqual([401, 401])
    expect(wrong.code).toBe('SIGN_IN_FAILED')
    const names = (headers: Headers) => [...headers.keys()].sort()
    expect(names(unknown.headers)).toEqual(names(wrong.headers))
    // Scripts see neither the session's token nor better-auth's own text.
    const right = await signIn(ANN, PASSWORD)
    expect(right.body.token).toBeUndefined()
    expect(JSON.stringify(wrong.body)).not.toContain('Invalid')
  })

  test('hashes as much for an unknown address', async () => {
    site = await createSite()
    await site.owner()
    await signIn(ANN, 'wrong wrong wrong')
    const { verify, hash } = Bun.password
    let hashed = 0
    try {
      Bun.password.verify = ((...rest: Parameters<typeof verify>) => {
        hashed++
        return verify(...rest)
      }) as typeof verify
      Bun.password.hash = ((...rest: Parameters<typeof hash>) => {
        hashed++
        return hash(...rest)
      }) as typeof hash
      await signIn(ANN, 'wrong wrong wrong')
      await signIn('eve@example.com', 'wrong wrong wrong')
    } finally {
      Object.assign(Bun.password, { verify, hash })
    }
    expect(hashed).toBe(2)
  })

  test('uses the person’s language', async () => {
    site = await createSite()
    await site.owner()
    const german = await site
      .browser()
      .post(
        '/app/api/auth/sign-in/email',
        { email: ANN, password: 'x' },
        { headers: { 'Accept-Language': 'de' } },
      )
    expect(german.headers.get('Content-Language')).toBe('de')
  })

  test('reports invalid fields, and accepts only an object', async () => {
    site = await createSite()
    const browser = site.browser()
    const seen = await browser.post('/app/api/auth/sign-in/email', { email: 'ann' })
    expect(seen.status).toBe(422)
    expect(seen.details).toEqual({ email: 'INVALID_EMAIL', password: 'REQUIRED' })
    const headers = { 'Content-Type': 'text/plain' }
    const text = await browser.post('/app/api/auth/sign-in/email', {}, { headers })
    expect(text.code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  test('forwards only listed paths', async () => {
    site = await createSite()
    const browser = await site.owner()
    for (const path of ['ok', 'error', 'update-user', 'delete-user', 'get-access-token', 'jwks']) {
      expect((await browser.get(`/app/api/auth/${path}`)).code).toBe('NOT_FOUND')
      expect((await browser.post(`/app/api/auth/${path}`)).code).toBe('NOT_FOUND')
    }
    expect((await browser.get('/app/api/auth/sign-in/email')).code).toBe('METHOD_NOT_ALLOWED')
    const otp = await browser.post('/app/api/auth/two-factor/send-otp')
    expect(otp.code).toBe('NOT_FOUND')
  })
})

describe('the session’s cookie', () => {
  test('is limited to this host and to TLS, if TLS is used', async () => {
    site = await createSite()
    const browser = await site.owner()
    const { headers } = await browser.signIn(ANN, PASSWORD)
    const cookies = headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      const [pair = '', ...attributes] = cookie.split('; ')
      expect(pair).toStartWith('__Host-slugline.')
      for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) {
        expect(attributes).toContain(attribute)
      }
      expect(cookie).not.toContain('Domain')
    }
  })

  test('has a plain name without TLS', async () => {
    site = await createSite({ baseUrl: 'http://127.0.0.1:3000' })
    await site.owner()
    const [cookie = ''] = (await signIn(ANN, PASSWORD)).headers.getSetCookie()
    expect(cookie).toStartWith('slugline.session_token=')
    expect(cookie).toContain('HttpOnly')
    expect(cookie).not.toContain('Secure')
  })

  test('is useless with a wrong signature or none', async () => {
    site = await createSite()
    const browser = await site.owner()
    const [[name, value] = ['', '']] = browser.cookies
    const [token = '', signature = ''] = decodeURIComponent(value).split('.')
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    for (const forged of [token, `${token}.`, `${token}.${other}`, `x${token}.${signature}`, '%']) {
      browser.cookies.set(name, encodeURIComponent(forged))
      expect(await browser.who()).toBeNull()
    }
    browser.cookies.set(name, value)
    expect(await browser.who()).toBe('Ann@example.com')
  })
})

describe('sessions', () => {
  test('end after two weeks without use, and are prolonged by use', async () => {
    site = await createSite()
    const browser = await site.owner()
    const idle = site.browser()
    await idle.signIn(ANN, PASSWORD)
    const DAY = 86_400_000
    for (let day = 0; day < 20; day += 5) {
      site.pass(5 * DAY)
      expect(await browser.who()).toBe('Ann@example.com')
    }
    expect(await idle.who()).toBeNull()
    await site.accounts.purge()
    const rows = await site.storage.read.db.selectFrom('sessions').selectAll().execute()
    expect(rows).toHaveLength(1)
  })

  test('are listed without tokens and addresses, and end immediately when they are revoked', async () => {
    site = await createSite()
    const browser = await site.owner()
    const other = site.browser('198.51.100.7')
    await other.signIn(ANN, PASSWORD)
    const { body: list } = await browser.get('/app/api/auth/list-sessions')
    expect(list).toHaveLength(2)
    expect(list.map(({ userAgent }: { userAgent: string }) => userAgent)).toEqual([
      'Firefox, Windows',
      'Firefox, Windows',
    ])
    const kept = await site.storage.read.db.selectFrom('sessions').selectAll().execute()
    const text = JSON.stringify([list, kept])
    for (const secret of ['198.51.100', '140.0', 'Mozilla']) expect(text).not.toContain(secret)
    for (const { token } of kept) expect(JSON.stringify(list)).not.toContain(token)
    const { token } = list.find(({ current }: { current: boolean }) => !current)
    await browser.post('/app/api/auth/revoke-session', { token })
    expect(await other.who()).toBeNull()
    expect(await browser.who()).toBe('Ann@example.com')
  })

  test('of others can’t be revoked', async () => {
    site = await createSite()
    const ann = await site.owner()
    await site.users.create({ email: 'bob@example.com', password: PASSWORD })
    const bob = site.browser()
    await bob.signIn('bob@example.com', PASSWORD)
    const [{ token }] = (await ann.get('/app/api/auth/list-sessions')).body
    await bob.post('/app/api/auth/revoke-session', { token })
    expect(await ann.who()).toBe('Ann@example.com')
  })

  test('on other devices end when the password is changed', async () => {
    site = await createSite()
    const browser = await site.owner()
    const other = site.browser()
    await other.signIn(ANN, PASSWORD)
    const change = (currentPassword: string, newPassword: string) =>
      browser.post('/app/api/auth/change-password', { currentPassword, newPassword })
    expect((await change('wrong wrong wrong', 'another long one')).details).toEqual({
      currentPassword: 'WRONG_PASSWORD',
    })
    expect((await change(PASSWORD, 'short')).details).toEqual({ newPassword: 'TOO_SHORT' })
    expect((await change(PASSWORD, 'another long one')).status).toBe(200)
    expect(await other.who()).toBeNull()
    expect(await browser.who()).toBe('Ann@example.com')
    expect((await signIn(ANN, PASSWORD)).code).toBe('SIGN_IN_FAILED')
    expect((await signIn(ANN, 'another long one')).status).toBe(200)
    expect(site.letters.at(-1)).toMatchObject({ to: 'Ann@example.com' })
  })
})

describe('passwords', () => {
  /** So many characters beyond the BMP, all different. */
  const emoji = (count: number) =>
    String.fromCodePoint(...Array.from({ length: count }, (_, i) => 0x1f400 + i))
  const change = (browser: Browser, currentPassword: string, newPassword: string) =>
    browser.post('/app/api/auth/change-password', { currentPassword, newPassword })

  test('are counted in code points, and any that is accepted signs in', async () => {
    site = await createSite()
    const browser = await site.owner()
    let current = PASSWORD
    for (const next of [emoji(65), emoji(128)]) {
      expect((await change(browser, current, next)).status).toBe(200)
      expect((await signIn(ANN, next)).status).toBe(200)
      current = next
    }
    const longer = await change(browser, current, emoji(129))
    expect(longer.details).toEqual({ newPassword: 'TOO_LONG' })
    const shorter = await change(browser, current, emoji(9))
    expect(shorter.details).toEqual({ newPassword: 'TOO_SHORT' })
  })

  test('match however the keyboard composes their letters', async () => {
    site = await createSite()
    const browser = await site.owner()
    const composed = 'crème brûlée à la carte'.normalize('NFC')
    expect((await change(browser, PASSWORD, composed)).status).toBe(200)
    expect((await signIn(ANN, composed.normalize('NFD'))).status).toBe(200)
    expect((await signIn(ANN, composed)).status).toBe(200)
    expect((await signIn(ANN, 'creme brulee a la carte')).code).toBe('SIGN_IN_FAILED')
  })
})

describe('requests of other sites', () => {
  const CASES: [string, Record<string, string | null>][] = [
    ['another origin', { Origin: 'https://evil.example' }],
    ['another port', { Origin: 'https://s.example:8443' }],
    ['no TLS', { Origin: 'http://s.example' }],
    ['no origin', { Origin: null }],
    ['an opaque origin', { Origin: 'null' }],
    ['a site beside ours', { 'Sec-Fetch-Site': 'same-site' }],
    ['another site that claims our origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['an address that was typed', { 'Sec-Fetch-Site': 'none' }],
  ]

  test.each(CASES)('are refused: %s', async (_, headers) => {
    site = await createSite()
    const browser = await site.owner()
    for (const [method, path] of [
      ['POST', '/app/api/v1/links'],
      ['PATCH', '/app/api/v1/account'],
      ['DELETE', '/app/api/v1/workspace'],
      ['POST', '/app/api/auth/sign-out'],
      ['POST', '/app/api/auth/sign-in/email'],
      ['POST', '/app/api/v1/claim'],
    ] as const) {
      const seen = await browser.send(method, path, {}, { headers })
      expect([seen.status, seen.code]).toEqual([403, 'CROSS_SITE_REQUEST'])
    }
    expect(await browser.who()).toBe('Ann@example.com')
  })

  test('of this site are recognized by Sec-Fetch-Site, under any host name', async () => {
    site = await createSite({ baseUrl: 'http://127.0.0.1:3000' })
    const browser = await site.owner()
    const headers = { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-origin' }
    const seen = await browser.send('PATCH', '/app/api/v1/account', { name: 'A' }, { headers })
    expect(seen.body.user.name).toBe('A')
  })

  test('get no readable response', async () => {
    site = await createSite()
    const browser = await site.owner()
    const headers = { Origin: 'https://evil.example' }
    for (const method of ['GET', 'OPTIONS']) {
      const seen = await browser.send(method, '/app/api/v1/links', undefined, { headers })
      expect([...seen.headers.keys()].filter((name) => name.includes('allow-origin'))).toEqual([])
    }
  })
})

describe('guessing', () => {
  test('an account’s password works ten times, then once a minute, from any address', async () => {
    site = await createSite()
    await site.owner()
    const guess = (i: number, password = 'wrong wrong wrong') =>
      signIn(ANN, password, `198.51.100.${i}`)
    for (let i = 0; i < 10; i++) expect((await guess(i)).code).toBe('SIGN_IN_FAILED')
    // Even the correct one is refused.
    const refused = await guess(10, PASSWORD)
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED'])
    const seconds = Number(refused.headers.get('Retry-After'))
    expect(seconds).toBeWithin(1, 61)
    site.pass((seconds - 1) * 1000)
    expect((await guess(11, PASSWORD)).code).toBe('RATE_LIMITED')
    site.pass(1000)
    expect((await guess(12, PASSWORD)).status).toBe(200)
  })

  test('unknown accounts are limited like existing ones', async () => {
    site = await createSite()
    for (let i = 0; i < 10; i++) await signIn('eve@example.com', 'x', `198.51.100.${i}`)
    expect((await signIn('eve@example.com', 'x', '198.51.100.99')).code).toBe('RATE_LIMITED')
  })

  test('many accounts from one address works twenty times', async () => {
    site = await createSite()
    const codes = await Promise.all(
      Array.from({ length: 25 }, (_, i) => signIn(`p${i}@example.com`, 'x')),
    )
    expect(codes.filter(({ code }) => code === 'SIGN_IN_FAILED')).toHaveLength(20)
    expect(codes.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(5)
    // An owner of an IPv6 address has the whole /64.
    for (let i = 0; i < 20; i++) await signIn(`q${i}@example.com`, 'x', `2001:db8::${i + 1}`)
    expect((await signIn(ANN, 'x', '2001:db8::ffff')).code).toBe('RATE_LIMITED')
  })

  test('correct passwords are refunded', async () => {
    site = await createSite()
    await site.owner()
    for (let i = 0; i < 12; i++) {
      expect((await signIn(ANN, PASSWORD, `198.51.100.${i}`)).status).toBe(200)
    }
  })

  test('is refused when it can’t be counted', async () => {
    let broken = false
    site = await createSite({
      wrapStorage: (storage) => ({
        ...storage,
        write: (...rest) =>
          broken ? Promise.reject(new StorageUnavailable('disk')) : storage.write(...rest),
      }),
    })
    await site.owner()
    broken = true
    const seen = await signIn(ANN, PASSWORD)
    expect([seen.status, seen.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(seen.headers.get('Retry-After')).not.toBeNull()
  })

  test('stores no addresses and no accounts', async () => {
    site = await createSite()
    await signIn('eve@example.com', 'x', '198.51.100.7')
    const rows = await site.storage.read.db.selectFrom('attempts').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    for (const { key } of rows) expect(key).toMatch(/^[\w-]{43}$/)
    site.pass(3_600_000)
    await site.accounts.purge()
    const left = await site.storage.read.db.selectFrom('attempts').selectAll().execute()
    expect(left).toEqual([])
  })
})
