import { afterEach, describe, expect, test } from 'bun:test'
import type { Browser } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'
import { totpCode } from './testing/totp.ts'

let site: TestSite
afterEach(() => site.close())

const ANN = 'ann@example.com'

/** An owner who has an authenticator now. */
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

async function firstStep(): Promise<Browser> {
  const browser = site.browser()
  const seen = await browser.signIn(ANN, PASSWORD)
  expect(seen.body).toMatchObject({ twoFactorRedirect: true })
  return browser
}

const verify = (browser: Browser, code: string, kind = 'totp') =>
  browser.post(`/app/api/auth/two-factor/verify-${kind}`, { code })

describe('a second factor', () => {
  test('is asked for after the password, which alone opens nothing', async () => {
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

  test('needs the password to be set up and to be taken away', async () => {
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

  test('takes a code once', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    const code = totpCode(totpURI)
    const [one, other] = [await firstStep(), await firstStep()]
    expect((await verify(one, code)).status).toBe(200)
    expect((await verify(other, code)).code).toBe('INVALID_CODE')
    site.pass(30_000)
    expect((await verify(other, totpCode(totpURI))).status).toBe(200)
  })

  test('takes a code of just now, and none of before', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    expect((await verify(await firstStep(), totpCode(totpURI, Date.now() - 90_000))).code).toBe(
      'INVALID_CODE',
    )
    expect((await verify(await firstStep(), totpCode(totpURI, Date.now() - 30_000))).status).toBe(
      200,
    )
  })

  test('can be a recovery code, each of which is good once', async () => {
    site = await createSite()
    const { backupCodes } = await withSecondFactor()
    const [code = ''] = backupCodes
    expect(backupCodes).toHaveLength(10)
    const kept = await site.storage.read.db.selectFrom('two_factors').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(code)
    expect((await verify(await firstStep(), code, 'backup-code')).status).toBe(200)
    expect((await verify(await firstStep(), code, 'backup-code')).code).toBe('INVALID_CODE')
  })

  test('is asked for in vain after five wrong codes, and locked after ten', async () => {
    site = await createSite()
    const { totpURI } = await withSecondFactor()
    const browser = await firstStep()
    for (let i = 0; i < 5; i++) await verify(browser, `00000${i}`)
    // The step before has to be taken again.
    expect((await verify(browser, totpCode(totpURI))).code).toBe('SIGN_IN_REQUIRED')
    const other = await firstStep()
    for (let i = 0; i < 5; i++) await verify(other, `11111${i}`)
    site.pass(60_000)
    const locked = await verify(await firstStep(), totpCode(totpURI))
    expect([locked.status, locked.code]).toEqual([429, 'RATE_LIMITED'])
    site.pass(Number(locked.headers.get('Retry-After')) * 1000)
    expect((await verify(await firstStep(), totpCode(totpURI))).status).toBe(200)
  })

  test('is of no use without the step before', async () => {
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
    const body = { token: site.mailedToken(), newPassword: 'another long one' }
    expect((await site.browser().post('/app/api/auth/reset-password', body)).status).toBe(200)
    const seen = await site.browser().signIn(ANN, 'another long one')
    expect(seen.body).toMatchObject({ twoFactorRedirect: true })
  })
})
