import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { violations } from './axe.ts'
import { CHROMIUM, FIREFOX, launchChromium, launchFirefox } from './chromium.ts'
import {
  addAuthenticator,
  type Dashboard,
  PICTURES,
  screenshot,
  startDashboard,
  type Visitor,
} from './harness.ts'
import { layoutFaults } from './layout.ts'
import { heading, OWNER, signIn, write } from './people.ts'
import { AGENT } from './seed.ts'
import { totp } from './totp.ts'
import { en, wordsOf } from './words.ts'

const VIEWER = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  password: 'ships are safe in port',
}

const BROWSERS = [
  { name: 'Chromium', place: CHROMIUM, launch: launchChromium },
  { name: 'Firefox', place: FIREFOX, launch: launchFirefox },
]

for (const { name, place, launch } of BROWSERS) {
  describe.skipIf(place === null)(`the journey in a browser (needs ${name})`, () => {
    journey(launch, name === 'Chromium')
  })
}

/** Only Chromium has a virtual authenticator, and no half-transparent states for axe. */
function journey(launch: () => Promise<Browser>, isChromium: boolean): void {
  let dashboard: Dashboard
  let owner: Visitor
  let page: Page
  /** Violations found by axe-core at the end of each step: some states only occur here. */
  const inaccessible: string[] = []

  beforeAll(async () => {
    dashboard = await startDashboard({}, launch)
    owner = await dashboard.open()
    page = owner.page
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  /** A part of the journey; if it fails, a screenshot is saved. */
  async function step(name: string, does: () => Promise<void>, on: () => Page = () => page) {
    try {
      await does()
    } catch (cause) {
      await screenshot(on(), `journey-broken-${name}`)
      throw new Error(`${name} (${on().url()}): ${(cause as Error).message}`, { cause })
    }
    if (PICTURES) await screenshot(on(), `journey-${name}`)
    if (!isChromium) return
    inaccessible.push(...(await violations(on())).map((one) => `${name}: ${one}`))
  }

  /** Waits first: Firefox logs aborted requests of a page that is left while it loads. */
  async function go(path: string, { page, settled }: Visitor = owner): Promise<void> {
    await settled()
    await page.goto(path)
  }

  const button = (word: Parameters<typeof en>[0], on: Page = page) =>
    on.getByRole('button', { name: en(word), exact: true })
  const dialog = (on: Page = page) => on.getByRole('dialog')
  const toast = (text: string, on: Page = page) => on.getByText(text).first().waitFor()

  test('from the first account to a viewer without permissions', async () => {
    await step('claim', async () => {
      await page.goto(await dashboard.claimUrl())
      await heading(page, en('auth.claim.title'))
      await write(page.getByLabel(en('auth.name')), OWNER.name)
      await write(page.getByLabel(en('auth.email')), OWNER.email)
      await write(page.getByLabel(en('auth.password'), { exact: true }), OWNER.password)
      await write(page.getByLabel(en('auth.workspace')), 'Acme')
      await button('auth.claim.submit').click()
      await heading(page, en('shell.links'))
    })

    await go('/app/account')
    await page.getByRole('button', { name: en('settings.twoFactor.enable') }).waitFor()
    // Passkeys can be tested only there; the others don't depend on the browser.
    const inChromium = isChromium ? step : async () => {}
    await inChromium('passkey', async () => {
      await addAuthenticator(page)
      await button('settings.passkeys.add').click()
      await write(dialog().getByLabel(en('settings.passkeys.name')), 'test key')
      await dialog()
        .getByRole('button', { name: en('settings.passkeys.add') })
        .click()
      await toast(en('settings.passkeys.added'))
      await page.getByText('test key').waitFor()
      // A removed one can't be had back, so that is asked first.
      const name = en('settings.passkeys.removeOf', { name: 'test key' })
      await page.getByRole('button', { name, exact: true }).click()
      const question = page.getByRole('alertdialog')
      await question.getByRole('button', { name: en('common.cancel'), exact: true }).click()
      await question.waitFor({ state: 'detached' })
      await page.getByText('test key').waitFor()
    })

    let otpauth = ''
    let recoveryCode = ''
    await step('two-factor', async () => {
      await button('settings.twoFactor.enable').click()
      await write(dialog().getByLabel(en('settings.twoFactor.password')), OWNER.password)
      await button('settings.twoFactor.continue').click()
      const secret = await dialog()
        .getByRole('region', { name: en('settings.twoFactor.secret') })
        .locator('code')
        .innerText()
      otpauth = `otpauth://totp/x?secret=${secret.replaceAll(/\s/g, '')}`
      await write(page.getByLabel(en('settings.twoFactor.code')), totp(otpauth))
      await button('settings.twoFactor.confirm').click()
      await dialog()
        .getByRole('heading', { name: en('settings.recovery') })
        .waitFor()
      recoveryCode = await dialog().getByRole('listitem').first().innerText()
    })
    await step('two-factor-is-on', async () => {
      await page.getByRole('checkbox', { name: en('settings.recovery.kept') }).check()
      await button('settings.recovery.done').click()
      await toast(en('settings.twoFactor.enabled'))
    })

    await step('sign-in-with-password-and-code', async () => {
      await signOut()
      await owner.settled()
      await signIn(page, OWNER)
      await heading(page, en('auth.twoFactor.title'))
      await write(page.getByLabel(en('auth.twoFactor.code')), totp(otpauth))
      await heading(page, en('shell.links'))
    })

    await inChromium('sign-in-with-recovery-code', async () => {
      await signOut()
      await owner.settled()
      await signIn(page, OWNER)
      await button('auth.twoFactor.useRecovery').click()
      const code = page.getByLabel(en('auth.twoFactor.recoveryCode'))
      await code.and(page.locator(':focus')).waitFor()
      await write(code, recoveryCode)
      await button('auth.twoFactor.submit').click()
      await heading(page, en('shell.links'))
    })

    await inChromium('sign-in-with-passkey', async () => {
      await signOut()
      await go('/app/sign-in')
      await button('auth.signIn.passkey').click()
      await heading(page, en('shell.links'))
    })

    let key = ''
    let curl = ''
    await step('key', async () => {
      await page.getByRole('link', { name: en('shell.keys') }).click()
      await button('keys.create').first().click()
      await write(dialog().getByLabel(en('keys.name')), 'website')
      await dialog()
        .getByRole('button', { name: en('keys.create') })
        .click()
      const made = dialog().getByRole('region', { name: en('keys.made.key') })
      key = await made.locator('code').innerText()
      // The shown command works unchanged.
      const command = (name: string) => dialog().getByRole('region', { name }).locator('pre')
      curl = await command(en('keys.made.try')).innerText()
      const connect = await command(en('keys.made.mcp')).innerText()
      expect(connect).toInclude(`/mcp --header "Authorization: Bearer ${key}"`)
      // It can't be closed by accident.
      await page.keyboard.press('Escape')
      expect(await made.isVisible()).toBe(true)
      await button('keys.made.close').click()
      await page.getByText(en('keys.made.leave')).waitFor()
      await button('keys.made.stay').click()
      await page.getByRole('checkbox', { name: en('keys.made.kept') }).check()
      await button('keys.made.close').click()
      await dialog().waitFor({ state: 'hidden' })
      await page.getByRole('cell', { name: 'website' }).first().waitFor()
    })
    expect(key).toMatch(/^slug_\w{8}_\w{32}$/)
    expect(JSON.parse(await shell(curl))).toMatchObject({ data: [] })

    await step('create-link', async () => {
      await page.getByRole('link', { name: en('shell.links'), exact: true }).click()
      await heading(page, en('shell.links'))
      await button('links.create').first().click()
      await write(
        dialog().getByLabel(en('links.field.destination'), { exact: true }),
        'https://example.com/first',
      )
      await write(dialog().getByLabel(en('links.field.slug'), { exact: true }), 'summer')
      await page.keyboard.press('Enter')
      await page.locator('[data-row]').getByText('summer').waitFor()
    })

    const follow = () =>
      fetch(`${dashboard.slugline.url}/summer`, {
        redirect: 'manual',
        headers: { 'user-agent': AGENT, 'accept-language': 'de', accept: 'text/html' },
      })
    await step('click-appears-live', async () => {
      await go('/app/statistics?live=on')
      await page.getByText(en('statistics.live.on')).waitFor()
      const answer = await follow()
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toBe('https://example.com/first')
      await page.getByTestId('live-clicks').getByText('summer').waitFor()
    })

    await step('link-statistics', async () => {
      await go('/app/links')
      await page.locator('[data-row-link]').click()
      await page
        .getByRole('link', { name: en('shell.statistics') })
        .nth(1)
        .click()
      const figure = page.getByRole('button', { name: new RegExp(`^${en('statistics.clicks')}`) })
      await figure.filter({ hasText: '1' }).waitFor()
    })

    await step('edit', async () => {
      await go('/app/links')
      await page.locator('[data-row-link]').click()
      await button('links.edit').click()
      await write(
        dialog().getByLabel(en('links.field.destination'), { exact: true }),
        'https://example.com/second',
      )
      await page.keyboard.press('Enter')
      await dialog().waitFor({ state: 'hidden' })
      await page.getByText('example.com/second').first().waitFor()
    })
    expect((await follow()).headers.get('location')).toBe('https://example.com/second')

    await step('restore-from-history', async () => {
      await button('links.restore').last().click()
      await toast(en('links.restored'))
    })
    expect((await follow()).headers.get('location')).toBe('https://example.com/first')

    await step('delete', async () => {
      await page
        .getByRole('button', { name: new RegExp(en('links.actionsFor', { name: '' })) })
        .click()
      // Below "Delete clicks before"; its name has its key.
      await page
        .getByRole('menuitem', { name: en('links.delete') })
        .last()
        .click()
      await button('common.undo').first().waitFor()
    })
    expect((await follow()).status).toBe(404)

    await step('undo', async () => {
      await button('common.undo').first().click()
      await page.locator('[data-row]').getByText('summer').waitFor()
    })
    expect((await follow()).status).toBe(302)

    let invitation = ''
    await step('invite', async () => {
      await dashboard.slugline.cli('workspaces', 'set-plan', 'Acme', 'pro')
      await page.getByRole('link', { name: en('shell.members') }).click()
      await button('members.invite').click()
      await write(dialog().getByLabel(en('members.emails')), VIEWER.email)
      await dialog().getByLabel(en('members.role')).click()
      await page.getByRole('option', { name: en('role.viewer') }).click()
      await button('members.invite.submit').click()
      invitation = await dialog().locator('pre').innerText()
      await button('members.done').click()
    })

    const other = await dashboard.open({ locale: 'en-GB' })
    const theirs = () => other.page
    await step(
      'join-as-viewer',
      async () => {
        await other.page.goto(invitation.trim())
        await write(other.page.getByLabel(en('auth.name')), VIEWER.name)
        await write(other.page.getByLabel(en('auth.password'), { exact: true }), VIEWER.password)
        await button('auth.invitation.create', other.page).click()
        await heading(other.page, en('shell.links'))
        await other.page.locator('[data-row]').getByText('summer').waitFor()
      },
      theirs,
    )
    await step(
      'viewer-is-refused',
      async () => {
        expect(await button('links.create', other.page).count()).toBe(0)
        expect(await other.page.getByRole('link', { name: en('shell.keys') }).count()).toBe(0)
        await go('/app/keys', other)
        await other.page.getByRole('heading', { name: en('common.refused') }).waitFor()
      },
      theirs,
    )
    await viewerIsRefusedByTheServer(other)
    expect(other.faults).toEqual([])
    await other.close()

    await step('german-and-arabic', async () => {
      for (const language of isChromium ? ['de', 'ar'] : ['ar']) {
        await go('/app/account')
        await page.getByRole('combobox').first().click()
        const name = language === 'de' ? 'Deutsch' : 'العربية'
        await page.getByRole('option', { name }).click()
        await page.locator('form button[type=submit]').first().click()
        await page.locator(`html[lang=${language}]`).waitFor()
        await go('/app/links')
        await heading(page, wordsOf(language)('shell.links'))
        if (PICTURES) await screenshot(page, `journey-links-${language}`)
      }
      expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    })

    await step('dark-phone', async () => {
      await go('/app/account')
      await page.getByRole('button', { name: wordsOf('ar')('settings.theme.dark') }).click()
      await page.setViewportSize({ width: 390, height: 844 })
      for (const path of ['links', 'statistics', 'keys', 'usage']) {
        await go(`/app/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await owner.settled()
        expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
        expect(await layoutFaults(page)).toEqual([])
        if (PICTURES) await screenshot(page, `journey-phone-${path}`)
      }
    })

    expect(owner.faults).toEqual([])
    expect(inaccessible).toEqual([])
  }, 600_000)

  /** What the pages don't show must be refused by the server too. */
  async function viewerIsRefusedByTheServer({ context }: Visitor): Promise<void> {
    const { url } = dashboard
    const session = (await (await context.request.get(`${url}/app/api/v1/session`)).json()) as {
      workspaces: { id: string; role: string }[]
    }
    const [workspace] = session.workspaces
    expect(workspace?.role).toBe('viewer')
    const attempts: [string, string, unknown?][] = [
      ['POST', '/links', { destination_url: 'https://example.com/' }],
      ['GET', '/keys'],
      ['POST', '/keys', { name: 'x', scopes: ['links:read'] }],
      ['POST', '/invitations', { email: 'x@example.com', role: 'owner' }],
      ['GET', '/audit'],
      ['PATCH', '/workspace', { name: 'Mine' }],
      ['GET', '/instance/workspaces'],
    ]
    for (const [method, path, data] of attempts) {
      const answer = await context.request.fetch(`${url}/app/api/v1${path}`, {
        method,
        headers: { Origin: url, 'Slugline-Workspace': workspace?.id ?? '' },
        ...(data === undefined ? {} : { data }),
      })
      expect(`${method} ${path} ${answer.status()}`).toBe(`${method} ${path} 403`)
    }
  }

  async function signOut(): Promise<void> {
    await go('/app/links')
    await page
      .getByRole('button', { name: en('shell.account') })
      .first()
      .click()
    await page.getByRole('menuitem', { name: en('shell.signOut') }).click()
    await heading(page, en('auth.signIn.title'))
  }
}

/** The output of a command that is pasted into a terminal. */
async function shell(line: string): Promise<string> {
  const child = Bun.spawn(['sh', '-c', line], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`${line}: ${err}`)
  return out
}
