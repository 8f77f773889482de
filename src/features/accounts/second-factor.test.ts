import { afterEach, describe, expect, test } from 'bun:test'
import { symmetricEncrypt } from 'better-auth/crypto'
import type { Browser } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'
import { totpCode } from './testing/totp.ts'

let site: TestSite
afterEach(() => site.close())

const ANN = 'ann@example.com'
const NEW = 'another long one'

/** An owner with an authenticator. */
async function withSecondFactor() {
  const browser = await site.owner()
  const { body } = await browser.post('/app/api/auth/two-factor/enable', { password: PASSWORD })
  const { totpURI, backupCodes } = body as { totpURI: string; backupCodes: string[] }
  const confirmed = await browser.post('/app/api/auth/two-factor/verify-totp', {
    code: totpCode(totpURI),
  })
  expect(confirmed.status).toBe(200)
  site.pass(60_000)
  return { browser, totpURI, backupCodes }
}

async function firstStep(address?: string): Promise<Browser> {
  const browser = site.browser(address)
  const seen = await browser.signIn(ANN, PASSWORD)
  expect(seen.body).toMatchObject({ twoFactorRedirect: true })
  return browser
}

/** A browser that the person has marked as trusted. */
async function trusted(totpURI: string): Promise<Browser> {
  const browser = await firstStep()
  const body = { code: totpCode(totpURI), trustDevice: true }
  const seen = await browser.post('/app/api/auth/two-factor/verify-totp', body)
  expect(seen.status).toBe(200)
  return browser
}

const verify = (browser: Browser, code: string, kind = 'totp') =>
  browser.post(`/app/api/auth/two-factor/verify-${kind}`, { code })

describe('a second factor', () => {
  test('is asked for after the password, which alone isn’t enough', async () => {
    site = await createSite()
    const { totpURI, browser: owner } = await withSecondFactor()
    expect((await owner.get('/app/api/v1/session')).body.user.two_factor_enabled).toBe(true)
    const browser = await firstStep()
    expect(await browser.who()).toBeNull()
    expect((await browser.get('/app/api/v1/links')).code).toBe('SIGN_IN_REQUIRED')
    const wrong = await verify(browser, '000000')
    expect([wrong.status, wrong.code]).toEqual([401, 'INVALID_CODE'])
    expect((await verify(browser, totpCode(totpURI))).status).toBe(200)
    expect(await browser.who()).toBe('Ann@example.com')
  })

  test('needs the password to be set up and removed', async () => {
    site = await createSite()
    const { browser } = await withSecondFactor()
    const paths = ['enable', 'disable', 'generate-backup-codes']
    for (const path of paths) {
      const seen = await browser.post(`/app/api/auth/two-factor/${path}`, { password: 'x' })
      expect(seen.details).toEqual({ password: 'WRONG_PASSWORD' })
      expect((await browser.post(`/app/api/auth/two-factor/${path}`)).details).toEqual({
        password: 'REQUIRED',
      })
    }
    const again = await browser.post('/app/api/auth/two-factor/enable', { password: PASSWORD })
    expect(again.code).toBe('CONFLICT')
    await browser.post('/app/api/auth/two-factor/disable', { password: PASSWORD })
    expect((await site.browser().signIn(ANN, PASSWORD)).body.twoFactorRedirect).toBeUndefined()
  })

  test('that was encrypted under another secret has its own error, for codes and recovery codes', async () => {
    site = await createSite()
    const { browser: owner, totpURI, backupCodes } = await withSecondFactor()
    const data = await symmetricEncrypt({ key: 'another secret altogether', data: 'x' })
    await site.storage.write((tx) =>
      tx.db.updateTable('two_factors').set({ secret: data, backup_codes: data }).execute(),
    )
    const browser = await firstStep()
    for (const seen of [
      await verify(browser, totpCode(totpURI)),
      await verify(browser, backupCodes[0] as string, 'backup-code'),
      await verify(owner, totpCode(totpURI)),
    ]) {
      expect([seen.status, seen.code]).toEqual([409, 'SECOND_FACTOR_UNREADABLE'])
    }
    expect(await browser.who()).toBeNull()
    expect(site.errors).toEqual([])
  })

  test('accepts a code once', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    const code = totpCode(totpURI)
    const [one, other] = [await firstStep(), await firstStep()]
    expect((await verify(one, code)).status).toBe(200)
    expect((await verify(other, code)).code).toBe('INVALID_CODE')
    site.pass(30_000)
    expect((await verify(other, totpCode(totpURI))).status).toBe(200)
  })

  test('accepts a current code, and no older one', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    expect((await verify(await firstStep(), totpCode(totpURI, Date.now() - 90_000))).code).toBe(
      'INVALID_CODE',
    )
    // The previous one, or, just before its end, what has become the previous one.
    expect((await verify(await firstStep(), totpCode(totpURI, Date.now() - 25_000))).status).toBe(
      200,
    )
  })

  test('can be a recovery code, each of which works once', async () => {
    site = await createSite()
    const { backupCodes } = await withSecondFactor()
    const [code = ''] = backupCodes
    expect(backupCodes).toHaveLength(10)
    const kept = await site.storage.read.db.selectFrom('two_factors').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(code)
    expect((await verify(await firstStep(), code, 'backup-code')).status).toBe(200)
    expect((await verify(await firstStep(), code, 'backup-code')).code).toBe('INVALID_CODE')
  })

  test('can be a recovery code, which works for one of two concurrent requests', async () => {
    site = await createSite()
    const { backupCodes } = await withSecondFactor()
    const browsers = await Promise.all([1, 2, 3].map(() => firstStep()))
    const [code = ''] = backupCodes
    const seen = await Promise.all(browsers.map((browser) => verify(browser, code, 'backup-code')))
    expect(seen.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('loses its recovery codes when new ones are made', async () => {
    site = await createSite()
    const { browser, backupCodes } = await withSecondFactor()
    const path = '/app/api/auth/two-factor/generate-backup-codes'
    const { body } = await browser.post(path, { password: PASSWORD })
    const old = await verify(await firstStep(), backupCodes[0] ?? '', 'backup-code')
    expect(old.code).toBe('INVALID_CODE')
    const fresh = await verify(await firstStep(), body.backupCodes[0], 'backup-code')
    expect(fresh.status).toBe(200)
  })

  test('needs the password again after five wrong codes', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    const browser = await firstStep()
    for (let i = 0; i < 5; i++) {
      expect((await verify(browser, `00000${i}`)).code).toBe('INVALID_CODE')
    }
    // The first step has to be repeated.
    expect((await verify(browser, totpCode(totpURI))).code).toBe('SIGN_IN_REQUIRED')
  })

  test('can be guessed ten times, then once in two minutes, from any address', async () => {
    site = await createSite()
    const { totpURI, backupCodes } = await withSecondFactor()
    const browsers: Browser[] = []
    for (let i = 0; i < 24; i++) browsers.push(await firstStep(`198.51.100.${i}`))
    const seen = await Promise.all(
      browsers.map((browser, i) => verify(browser, `0000${i}`, i % 2 ? 'totp' : 'backup-code')),
    )
    expect(seen.filter(({ code }) => code === 'INVALID_CODE')).toHaveLength(10)
    expect(seen.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(14)
    // Even the correct code is refused: otherwise guessing would still work.
    const right = () => verify(browsers[0] as Browser, totpCode(totpURI))
    const refused = await right()
    const seconds = Number(refused.headers.get('Retry-After'))
    expect([refused.status, seconds]).toEqual([429, 120])
    site.pass(119_000)
    expect((await right()).code).toBe('RATE_LIMITED')
    site.pass(1_000)
    expect((await right()).status).toBe(200)
    // A correct code is refunded.
    expect((await verify(await firstStep(), backupCodes[0] ?? '', 'backup-code')).status).toBe(200)
  })

  test('can be guessed from one address twenty times, across accounts', async () => {
    site = await createSite()
    const codes = await Promise.all(
      Array.from({ length: 25 }, () => verify(site.browser(), '000000')),
    )
    expect(codes.filter(({ code }) => code === 'SIGN_IN_REQUIRED')).toHaveLength(20)
    expect(codes.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(5)
  })

  test('is useless without the first step', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    expect((await verify(site.browser(), totpCode(totpURI))).code).toBe('SIGN_IN_REQUIRED')
    const late = await firstStep()
    site.pass(11 * 60_000)
    expect((await verify(late, totpCode(totpURI))).code).toBe('SIGN_IN_REQUIRED')
  })

  test('stays when the password is reset', async () => {
    site = await createSite()
    await withSecondFactor()
    await site.browser().post('/app/api/auth/request-password-reset', { email: ANN })
    const body = { token: site.mailedToken(), newPassword: NEW }
    expect((await site.browser().post('/app/api/auth/reset-password', body)).status).toBe(200)
    const seen = await site.browser().signIn(ANN, NEW)
    expect(seen.body).toMatchObject({ twoFactorRedirect: true })
  })

  test('is skipped on a trusted device, for thirty days', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    const device = await trusted(totpURI)
    await device.post('/app/api/auth/sign-out')
    expect((await device.signIn(ANN, PASSWORD)).body.twoFactorRedirect).toBeUndefined()
    expect(await device.who()).toBe('Ann@example.com')
    await firstStep()
    await device.post('/app/api/auth/sign-out')
    site.pass(31 * 86_400_000)
    expect((await device.signIn(ANN, PASSWORD)).body.twoFactorRedirect).toBe(true)
  })

  test('is required on all devices after a change of the password', async () => {
    site = await createSite()
    const { browser, totpURI } = await withSecondFactor()
    const device = await trusted(totpURI)
    site.pass(60_000)
    const begun = await firstStep()
    await browser.post('/app/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: NEW,
    })
    // A sign-in that began with the old password can't be completed.
    expect((await verify(begun, totpCode(totpURI))).code).toBe('SIGN_IN_REQUIRED')
    expect(await device.who()).toBeNull()
    expect((await device.signIn(ANN, NEW)).body.twoFactorRedirect).toBe(true)
  })

  test('that was removed and set up again is required on formerly trusted devices', async () => {
    site = await createSite()
    const { browser, totpURI } = await withSecondFactor()
    const device = await trusted(totpURI)
    await browser.post('/app/api/auth/two-factor/disable', { password: PASSWORD })
    const { body } = await browser.post('/app/api/auth/two-factor/enable', { password: PASSWORD })
    const code = totpCode(body.totpURI)
    await browser.post('/app/api/auth/two-factor/verify-totp', { code })
    expect((await device.signIn(ANN, PASSWORD)).body.twoFactorRedirect).toBe(true)
  })
})
